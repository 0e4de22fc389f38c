import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { RecentResults } from './recent-results.ts';

describe('recent results', () => {
  it('are loaded once for concurrent callers and for a short time', async () => {
    const clock = new ManualClock(0);
    const results = new RecentResults<number>(2_000, clock);
    let loads = 0;
    const load = async () => ++loads;
    expect(await Promise.all([results.get('a', load), results.get('a', load), results.get('b', load)])).toEqual([
      1, 1, 2,
    ]);
    clock.advance(1_999);
    expect(await results.get('a', load)).toBe(1);
    clock.advance(1);
    expect(await results.get('a', load)).toBe(3);
    results.forget('a');
    expect(await results.get('a', load)).toBe(4);
  });

  it('do not contain failures', async () => {
    const results = new RecentResults<number>(2_000, new ManualClock(0));
    await expect(results.get('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await results.get('a', async () => 1)).toBe(1);
  });
});
