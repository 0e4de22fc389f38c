import { compareBytes } from '@flotilla/json';
import { WorkBudget } from '../../../lib/work-budget.ts';

/** The position of an object or subject in a list: its kind, its namespace and its name. */
export type Position = readonly [rank: number, namespace: string, name: string];

/** An object or subject whose entries are computed when they are needed. */
export interface PageItem<Entry> {
  readonly position: Position;
  /** Absent if the item certainly has no entries. */
  readonly entries?: (() => readonly Entry[]) | undefined;
}

export interface Page<Entry> {
  readonly entries: readonly Entry[];
  /** The position after which the next page starts. Absent if this is the last page. */
  readonly next?: Position;
}

/**
 * The maximum number of items that are inspected for one page. The number of items whose entries are computed has a
 * separate limit.
 */
const maxInspected = 20_000;
const maxComputed = 1000;
/**
 * The units of work per tick of the event loop. Inspecting an item is one unit; computing its entries counts as 40
 * units.
 */
const workPerTick = 2_000;
const workPerComputed = 40;

/** The limits of a page: its length, and the time for which its computation may block other requests. */
export interface PageLimits {
  readonly limit: number;
  /** Waits until the caller may use more CPU time. Optional. */
  readonly nextTimeSlice?: (() => Promise<void>) | undefined;
}

/**
 * Collects the entries of items in the order of their positions, up to the limit. All entries of an item are on the
 * same page.
 */
export async function collectPage<Entry>(
  items: Iterable<PageItem<Entry>>,
  { limit, nextTimeSlice }: PageLimits,
): Promise<Page<Entry>> {
  const work = new WorkBudget(workPerTick, nextTimeSlice);
  const entries: Entry[] = [];
  let inspected = 0;
  let computed = 0;
  let last: Position | undefined;
  for (const item of items) {
    if (last !== undefined && (entries.length >= limit || inspected >= maxInspected || computed >= maxComputed)) {
      return { entries, next: last };
    }
    if (work.spend(item.entries === undefined ? 1 : workPerComputed)) await work.next();
    inspected++;
    last = item.position;
    if (item.entries === undefined) continue;
    computed++;
    entries.push(...item.entries());
  }
  return { entries };
}

export function comparePositions(a: Position, b: Position): number {
  return a[0] - b[0] || compareBytes(a[1], b[1]) || compareBytes(a[2], b[2]);
}
