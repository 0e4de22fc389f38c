import type { ReadyDay } from './v1/project.ts';

/**
 * The upper bounds, in milliseconds, of the buckets of a `ReadyDay`, a histogram of the time from the creation of a
 * virtual cluster until it is first Ready. `buckets[i]` counts times above the previous bound up to
 * `readyBucketBounds[i]`. One more bucket counts longer times. The bounds must never change, because the status of
 * projects stores the counts.
 */
export const readyBucketBounds: readonly number[] = [
  5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000,
];

/**
 * The number of days for which the time to Ready is retained. There is no entry for a day on which no virtual cluster
 * became Ready.
 */
export const readyDaysRetained = 14;

/** Returns the UTC day of a time in milliseconds since the epoch: `2026-11-15`. */
export function readyDayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** Returns the index of the histogram bucket that counts this time to Ready. */
export function readyBucketIndex(milliseconds: number): number {
  const index = readyBucketBounds.findIndex((limit) => milliseconds <= limit);
  return index < 0 ? readyBucketBounds.length : index;
}

/** Returns a histogram of one day that contains a single time to Ready. */
export function singleReadyDay(day: string, milliseconds: number): ReadyDay {
  const buckets = readyBucketBounds.concat(0).fill(0);
  buckets[readyBucketIndex(milliseconds)] = 1;
  return { day, count: 1, buckets };
}

/**
 * Merges the histograms of several sources, for example of several projects, or of stored and new counts. The result
 * contains each day once, oldest first. Omits invalid days and days that are not among the last `readyDaysRetained`
 * days.
 */
export function mergeReadyDays(now: number, ...sources: readonly (readonly ReadyDay[])[]): ReadyDay[] {
  const newest = readyDayOf(now);
  const oldest = readyDayOf(now - (readyDaysRetained - 1) * 86_400_000);
  const days = new Map<string, ReadyDay>();
  for (const entry of sources.flat()) {
    if (entry.day < oldest || entry.day > newest) continue;
    const before = days.get(entry.day);
    days.set(entry.day, before === undefined ? entry : sum(before, entry));
  }
  return [...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
}

/**
 * Returns a percentile of the time to Ready in milliseconds. `fraction` is a number from 0 to 1: 0.5 is the median.
 * `undefined` if there are no counts. Interpolates linearly within a bucket. Times beyond the last bound count as that
 * bound.
 */
export function readyPercentile(days: readonly ReadyDay[], fraction: number): number | undefined {
  const buckets = days.reduce<readonly number[]>((total, day) => addCounts(total, day.buckets), []);
  const count = buckets.reduce((total, each) => total + each, 0);
  if (count === 0) return undefined;
  const wanted = Math.min(Math.max(fraction, 0), 1) * count;
  let below = 0;
  for (const [index, inside] of buckets.entries()) {
    const upper = readyBucketBounds[index];
    if (inside > 0 && below + inside >= wanted && upper !== undefined) {
      const lower = readyBucketBounds[index - 1] ?? 0;
      return lower + ((upper - lower) * Math.max(wanted - below, 0)) / inside;
    }
    below += inside;
  }
  return readyBucketBounds.at(-1);
}

function sum(a: ReadyDay, b: ReadyDay): ReadyDay {
  return { day: a.day, count: a.count + b.count, buckets: addCounts(a.buckets, b.buckets) };
}

function addCounts(a: readonly number[], b: readonly number[]): number[] {
  const [longer, shorter] = a.length >= b.length ? [a, b] : [b, a];
  return longer.map((each, index) => each + (shorter[index] ?? 0));
}
