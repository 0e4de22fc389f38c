import type { ReadyDay } from './v1/project.ts';

/**
 * How long virtual clusters took from their creation to their first Ready, by day and by size. A day is
 * `{ day, count, buckets }`: `buckets[i]` counts those that took at most `readyLimits[i]` milliseconds and more than the
 * limit before it; the last bucket, which has no limit, those that took longer than all of them. `count` is their sum.
 * These limits never change: what was counted stays in the status of projects.
 */
export const readyLimits: readonly number[] = [
  5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000,
];

/** So many days are kept; a day on which nothing became Ready has no entry. */
export const readyDaysKept = 14;

/** The day of a time, in UTC: `2026-11-15`. */
export function readyDayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** The bucket that a time belongs to. */
export function readyBucketOf(milliseconds: number): number {
  const index = readyLimits.findIndex((limit) => milliseconds <= limit);
  return index < 0 ? readyLimits.length : index;
}

/** One time, counted. */
export function readyOnce(day: string, milliseconds: number): ReadyDay {
  const buckets = readyLimits.concat(0).fill(0);
  buckets[readyBucketOf(milliseconds)] = 1;
  return { day, count: 1, buckets };
}

/**
 * Days of several sources as one list, oldest first, each day once: of the projects of a fleet, or of what is known and
 * what is new. Whatever is not of the last `readyDaysKept` days before `now` is left out, as is a day that is no day.
 */
export function mergeReadyDays(now: number, ...sources: readonly (readonly ReadyDay[])[]): ReadyDay[] {
  const newest = readyDayOf(now);
  const oldest = readyDayOf(now - (readyDaysKept - 1) * 86_400_000);
  const days = new Map<string, ReadyDay>();
  for (const entry of sources.flat()) {
    if (entry.day < oldest || entry.day > newest) continue;
    const before = days.get(entry.day);
    days.set(entry.day, before === undefined ? entry : sum(before, entry));
  }
  return [...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
}

/**
 * The time within which that part of them was Ready (0.5: half of them; 0.95), in milliseconds; undefined: there are
 * none. Within a bucket they count as spread evenly. What took longer than the last limit counts as that limit.
 */
export function readyPercentile(days: readonly ReadyDay[], part: number): number | undefined {
  const buckets = days.reduce<readonly number[]>((total, day) => addCounts(total, day.buckets), []);
  const count = buckets.reduce((total, each) => total + each, 0);
  if (count === 0) return undefined;
  const wanted = Math.min(Math.max(part, 0), 1) * count;
  let below = 0;
  for (const [index, inside] of buckets.entries()) {
    const upper = readyLimits[index];
    if (inside > 0 && below + inside >= wanted && upper !== undefined) {
      const lower = readyLimits[index - 1] ?? 0;
      return lower + ((upper - lower) * Math.max(wanted - below, 0)) / inside;
    }
    below += inside;
  }
  return readyLimits.at(-1);
}

function sum(a: ReadyDay, b: ReadyDay): ReadyDay {
  return { day: a.day, count: a.count + b.count, buckets: addCounts(a.buckets, b.buckets) };
}

function addCounts(a: readonly number[], b: readonly number[]): number[] {
  const [longer, shorter] = a.length >= b.length ? [a, b] : [b, a];
  return longer.map((each, index) => each + (shorter[index] ?? 0));
}
