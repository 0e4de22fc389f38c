import { describe, expect, it } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import { ChangeAge } from './change-age.ts';

const hour = 3_600_000;

describe('the age of a change', () => {
  it.each([hour, -hour])('does not change when the system clock is set by %i ms', (by) => {
    const clock = new ManualClock();
    const age = new ChangeAge(clock);
    const first = age.stamp();
    clock.setWall(by);
    clock.advance(299_999);
    expect(age.isOlder(first, 300_000)).toBe(false);
    clock.advance(1);
    expect(age.isOlder(first, 300_000)).toBe(true);
    expect(age.isOlder(age.stamp(), 300_000)).toBe(false);
  });

  it('starts when the store is opened if the timestamp is in the future', () => {
    const clock = new ManualClock();
    const before = clock.now() + hour;
    const age = new ChangeAge(clock);
    expect(age.isOlder(before, 300_000)).toBe(false);
    clock.advance(300_000);
    expect(age.isOlder(before, 300_000)).toBe(true);
  });

  it('continues across a restart', () => {
    const clock = new ManualClock();
    const first = new ChangeAge(clock).stamp();
    clock.advance(200_000);
    const age = new ChangeAge(clock);
    clock.advance(100_000);
    expect([age.isOlder(first, 300_000), age.isOlder(first, 300_001)]).toEqual([true, false]);
  });
});
