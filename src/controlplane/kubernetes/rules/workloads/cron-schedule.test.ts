import { describe, expect, it } from 'vitest';
import { cronScheduleFault } from './cron-schedule.ts';

describe('a cron schedule', () => {
  it.each([
    '* * * * *',
    '0/15 9-17 ? JAN,feb mon-FRI',
    ' 5  4 1-31/2 * 0,6 ',
    ',, * * * *',
    '@daily',
    '@every 1h30m',
    'TZ=Europe/Berlin 0 0 * * *',
    'CRON_TZ=UTC @hourly',
  ])('is valid: %s', (schedule) => {
    expect(cronScheduleFault(schedule)).toBeUndefined();
  });

  it.each([
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['@never', 'unrecognized descriptor: @never'],
    ['@every 5', 'failed to parse duration @every 5: time: missing unit in duration "5"'],
    ['TZ=Nowhere 0 * * * *', 'provided bad location Nowhere: unknown time zone Nowhere'],
    ['TZ=../x 0 * * * *', 'provided bad location ../x: time: invalid location name'],
    ['TZ=0', 'invalid schedule format: runtime error: slice bounds out of range [:-1]'],
  ])('is invalid: %s', (schedule, fault) => {
    expect(cronScheduleFault(schedule)).toBe(fault);
  });
});
