import { describe, expect, it } from 'vitest';
import { ManualClock } from './clock.ts';

const hour = 3_600_000;

function alarmIn(milliseconds: number) {
  const clock = new ManualClock();
  let rung = 0;
  const cancel = clock.at(clock.now() + milliseconds, () => {
    rung++;
  });
  return { clock, cancel, rung: () => rung };
}

describe('an alarm', () => {
  it('fires once at its time, and immediately if the time has passed', () => {
    const { clock, rung } = alarmIn(2 * hour);
    clock.advance(2 * hour - 1);
    expect(rung()).toBe(0);
    clock.advance(1);
    clock.advance(hour);
    expect(rung()).toBe(1);
    const late = alarmIn(-hour);
    late.clock.advance(0);
    expect(late.rung()).toBe(1);
  });

  it('fires within a second after the clock is set forward beyond its time', () => {
    const { clock, rung } = alarmIn(hour);
    clock.advance(10_000);
    clock.setWall(hour);
    clock.advance(1_000);
    expect(rung()).toBe(1);
  });

  it('fires later if the clock is set back', () => {
    const { clock, rung } = alarmIn(hour);
    clock.setWall(-hour);
    clock.advance(2 * hour - 1);
    expect(rung()).toBe(0);
    clock.advance(1);
    expect(rung()).toBe(1);
  });

  it('fires at the right time after the clock is set forward and back again', () => {
    const { clock, rung } = alarmIn(2 * hour);
    clock.setWall(hour);
    clock.advance(1_000);
    clock.setWall(-hour);
    clock.advance(2 * hour - 1_001);
    expect(rung()).toBe(0);
    clock.advance(1);
    expect(rung()).toBe(1);
  });

  it('does not fire once it is canceled, and others still fire', () => {
    const { clock, cancel, rung } = alarmIn(hour);
    let other = 0;
    clock.at(clock.now() + hour, () => {
      other++;
    });
    cancel();
    cancel();
    clock.setWall(hour);
    clock.advance(1_000);
    expect([rung(), other]).toEqual([0, 1]);
  });
});
