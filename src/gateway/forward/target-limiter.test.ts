import { describe, expect, it } from 'vitest';
import { TargetLimiters } from './target-limiter.ts';

describe('the limiter of a target cluster', () => {
  it('limits waiting requests per cluster, and one caller to half of them (completions §10)', () => {
    const limiters = new TargetLimiters();
    const fill = (target: string, share: string) => {
      const releases: (() => void)[] = [];
      for (;;) {
        try {
          releases.push(limiters.get(target).acquire(share));
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
    const limiters = new TargetLimiters();
    const busy = limiters.get('busy');
    busy.acquire('anna');
    const idle = limiters.get('idle');
    idle.acquire('anna')();
    limiters.get('another');
    expect(limiters.get('busy')).toBe(busy);
    expect(limiters.get('idle')).not.toBe(idle);
  });
});
