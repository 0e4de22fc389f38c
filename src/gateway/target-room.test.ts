import { describe, expect, it } from 'vitest';
import { TargetRooms } from './target-room.ts';

describe('the limiter of a target cluster', () => {
  it('limits waiting requests per cluster, and one caller to half of them (completions §10)', () => {
    const limiters = new TargetRooms();
    const fill = (target: string, share: string) => {
      const releases: (() => void)[] = [];
      for (;;) {
        try {
          releases.push(limiters.of(target).enter(share));
        } catch (error) {
          expect(error).toMatchObject({ code: 429 });
          return releases;
        }
      }
    };
    const anna = fill('far', 'anna');
    expect(anna.length).toBe(200);
    expect(fill('far', 'bob').length).toBe(200);
    expect(fill('far', 'carl').length).toBe(0);
    expect(fill('near', 'carl').length).toBe(200);
    anna[0]?.();
    anna[0]?.();
    expect(fill('far', 'carl').length).toBe(1);
    expect(fill('far', 'anna').length).toBe(0);
  });

  it('is dropped when no request waits any more', () => {
    const limiters = new TargetRooms();
    const busy = limiters.of('busy');
    busy.enter('anna');
    const idle = limiters.of('idle');
    idle.enter('anna')();
    limiters.of('another');
    expect(limiters.of('busy')).toBe(busy);
    expect(limiters.of('idle')).not.toBe(idle);
  });
});
