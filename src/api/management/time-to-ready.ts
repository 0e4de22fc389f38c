import type { ReadyDay } from './v1/project.ts';

/**
 * Histogram of the time from the creation of a virtual cluster to its first Ready, per day. A day is
 * `{ day, count, buckets }`: `buckets[i]` counts times of at most `readyBucketBounds[i]` milliseconds and more than the
 * previous bound. The last bucket has no bound and counts longer times. `count` is the sum of the buckets. The bounds
 * must never change, because project statuses store the counts.
 */
export const readyBucketBounds: readonly number[] = [
  5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000,
];

/** Number of days that are retained. A day on which nothing became Ready has no entry. */
export const readyDaysRetained = 14;

/** The UTC day of a time: `2026-11-15`. */
export function readyDayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** The index of the bucket that counts a time. */
export function readyBucketIndex(milliseconds: number): number {
  const index = readyBucketBounds.findIndex((limit) => milliseconds <= limit);
  return index < 0 ? readyBucketBounds.length : index;
}

/** A histogram that contains a single time. */
export function singleReadyDay(day: string, milliseconds: number): ReadyDay {
  const buckets = readyBucketBounds.concat(0).fill(0);
  buckets[readyBucketIndex(milliseconds)] = 1;
  return { day, count: 1, buckets };
}

/**
 * Merges days of several sources, such as projects of a fleet, or stored and new counts, into one list with each day
 * once, oldest first. Omits days outside the `readyDaysRetained` days up to `now`, and invalid days.
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
 * A percentile of the time to Ready in milliseconds (0.5 is the median). `undefined` if there are no counts.
 * Interpolates linearly within a bucket. Times beyond the last bound count as that bound.
 */
export function readyPercentile(days: readonly ReadyDay[], part: number): number | undefined {
  const buckets = days.reduce<readonly number[]>((total, day) => addCounts(total, day.buckets), []);
  const count = buckets.reduce((total, each) => total + each, 0);
  if (count === 0) return undefined;
  const wanted = Math.min(Math.max(part, 0), 1) * count;
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
