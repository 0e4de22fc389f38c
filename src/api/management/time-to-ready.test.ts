import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  mergeReadyDays,
  readyBucketBounds,
  readyBucketIndex,
  readyDayOf,
  readyDaysRetained,
  readyPercentile,
  singleReadyDay,
} from './time-to-ready.ts';

const now = Date.parse('2026-11-15T12:00:00Z');
const today = '2026-11-15';
const times = (milliseconds: readonly number[], day = today) =>
  mergeReadyDays(now, ...milliseconds.map((each) => [singleReadyDay(day, each)]));

describe('time to Ready per day', () => {
  it('counts each time in the first bucket whose bound it does not exceed', () => {
    expect([0, 5, 5.1, 10, 600_000, 600_001].map(readyBucketIndex)).toEqual([0, 0, 1, 1, 16, 17]);
    const [day] = times([3, 4, 700, 3_600_000]);
    expect(day).toMatchObject({ day: today, count: 4 });
    expect(day?.buckets).toHaveLength(readyBucketBounds.length + 1);
    expect(day?.buckets.map((count, index) => [index, count]).filter(([, count]) => count !== 0)).toEqual([
      [0, 2],
      [7, 1],
      [17, 1],
    ]);
  });

  it('merges to each day once, oldest first, and at most the last fourteen days', () => {
    const days = Array.from({ length: 30 }, (_, index) =>
      singleReadyDay(readyDayOf(now + (5 - index) * 86_400_000), 1),
    );
    const merged = mergeReadyDays(now, days, days);
    expect(merged.map(({ day }) => day)).toEqual(merged.map(({ day }) => day).toSorted());
    expect(merged).toHaveLength(readyDaysRetained);
    expect(merged.at(-1)?.day).toBe(today);
    expect(merged[0]?.day).toBe('2026-11-02');
    expect(merged.every(({ count }) => count === 2)).toBe(true);
  });

  it('does not modify the merged lists', () => {
    const frozen = Object.freeze(
      times([1, 2]).map((day) => Object.freeze({ ...day, buckets: Object.freeze(day.buckets) as number[] })),
    );
    expect(mergeReadyDays(now, frozen, times([3]))[0]?.count).toBe(3);
    expect(frozen[0]?.count).toBe(2);
  });
});

describe('readyPercentile', () => {
  it('is undefined without counts, and the last bound for longer times', () => {
    expect(readyPercentile([], 0.5)).toBeUndefined();
    expect(readyPercentile(times([1e9]), 0.5)).toBe(600_000);
  });

  it('interpolates linearly within a bucket', () => {
    expect(readyPercentile(times([60, 60, 60, 60]), 0.5)).toBe(75);
    expect(readyPercentile(times([60, 60, 60, 60]), 1)).toBe(100);
    expect(readyPercentile(times([1, 1, 1, 60]), 0.95)).toBe(90);
  });

  it('lies in the bucket of the time at that rank, and never decreases as the fraction increases', () => {
    const some = fc.array(fc.integer({ min: 0, max: 900_000 }), { minLength: 1, maxLength: 60 });
    const part = fc.double({ min: 0.01, max: 1, noNaN: true });
    fc.assert(
      fc.property(some, part, part, (milliseconds, a, b) => {
        const days = times(milliseconds);
        const exact = milliseconds.toSorted((x, y) => x - y)[Math.ceil(a * milliseconds.length) - 1] ?? 0;
        const bucket = readyBucketIndex(exact);
        const found = readyPercentile(days, a) ?? -1;
        const last = readyBucketBounds.at(-1) ?? 0;
        expect(found).toBeGreaterThanOrEqual(Math.min(readyBucketBounds[bucket - 1] ?? 0, last) - 1e-6);
        expect(found).toBeLessThanOrEqual((readyBucketBounds[bucket] ?? last) + 1e-6);
        const [low, high] = [Math.min(a, b), Math.max(a, b)].map((each) => readyPercentile(days, each) ?? 0);
        expect(low).toBeLessThanOrEqual((high ?? 0) + 1e-6);
      }),
    );
  });
});
