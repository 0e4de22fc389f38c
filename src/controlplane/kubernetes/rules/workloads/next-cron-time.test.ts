import { describe, expect, it } from 'vitest';
import { nextCronTime } from './next-cron-time.ts';

function next(schedule: string, after: string, zone = 'UTC'): string | undefined {
  const time = nextCronTime(schedule, Date.parse(after), zone);
  return time === undefined ? undefined : new Date(time).toISOString().replace(':00.000Z', 'Z');
}

describe('the next time of a schedule', () => {
  it.each([
    ['0 3 * * *', '2026-11-18T02:59:59Z', '2026-11-18T03:00Z'],
    ['0 3 * * *', '2026-11-18T03:00:00Z', '2026-11-19T03:00Z'],
    ['*/15 * * * *', '2026-11-18T03:01:00Z', '2026-11-18T03:15Z'],
    ['30 2 * * mon-fri', '2026-11-20T02:30:00Z', '2026-11-23T02:30Z'],
    ['0 0 29 2 *', '2026-03-01T00:00:00Z', '2028-02-29T00:00Z'],
    ['0 0 29 2 *', '2096-03-01T00:00:00Z', '2104-02-29T00:00Z'],
    ['5/20 1,2 * * *', '2026-11-18T01:05:00Z', '2026-11-18T01:25Z'],
    ['@daily', '2026-11-18T00:00:00Z', '2026-11-19T00:00Z'],
    ['@weekly', '2026-11-18T00:00:00Z', '2026-11-22T00:00Z'],
    ['@monthly', '2026-12-18T00:00:00Z', '2027-01-01T00:00Z'],
    ['@every 90m', '2026-11-18T00:00:00Z', '2026-11-18T01:30Z'],
  ])('%s after %s is %s', (schedule, after, expected) => {
    expect(next(schedule, after)).toBe(expected);
  });

  it('is on a day that matches the day of the month or the weekday, if both are restricted', () => {
    expect(next('0 0 13 * fri', '2026-11-10T00:00:00Z')).toBe('2026-11-13T00:00Z');
    expect(next('0 0 13 * fri', '2026-11-13T00:00:00Z')).toBe('2026-11-20T00:00Z');
    expect(next('0 0 13 * *', '2026-11-13T00:00:00Z')).toBe('2026-12-13T00:00Z');
    // A star with a step restricts a field, unlike a plain star.
    expect(next('0 0 */30 * fri', '2026-11-18T00:00:00Z')).toBe('2026-11-20T00:00Z');
  });

  it('follows the time zone, also with half hours', () => {
    expect(next('0 3 * * *', '2026-11-18T00:00:00Z', 'Europe/Berlin')).toBe('2026-11-18T02:00Z');
    expect(next('0 3 * * *', '2026-07-18T00:00:00Z', 'Europe/Berlin')).toBe('2026-07-18T01:00Z');
    expect(next('0 3 * * *', '2026-11-18T00:00:00Z', 'Asia/Kolkata')).toBe('2026-11-18T21:30Z');
  });

  it('skips a time that does not exist, and takes both times that exist twice, as Kubernetes does', () => {
    expect(next('30 2 * * *', '2026-03-28T12:00:00Z', 'Europe/Berlin')).toBe('2026-03-30T00:30Z');
    expect(next('30 2 * * *', '2026-10-24T12:00:00Z', 'Europe/Berlin')).toBe('2026-10-25T00:30Z');
    expect(next('30 2 * * *', '2026-10-25T00:30:00Z', 'Europe/Berlin')).toBe('2026-10-25T01:30Z');
  });

  it('does not exist for a date that no year has', () => {
    expect(next('0 0 30 2 *', '2026-11-18T00:00:00Z')).toBeUndefined();
  });
});
