import {
  deadlineRange,
  gcRange,
  planeRemovalKey,
  planeRemovalRange,
  reconcileRange,
} from '../../registry/rows/rows.ts';
import { fenceFailed } from '../../registry/write/fence-failed.ts';
import type { Key, KeyRange } from '../../store/key.ts';
import { maxTransactionWrites, type RevisionCheck, type Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import { planeCreationKey } from '../plane-creation.ts';
import type { PlanesWithWork } from './planes-with-work.ts';

/** The maximum number of keys in one list page. */
const pageSize = 500;
/** The maximum number of planes that are erased concurrently. Concurrent transactions share flushes to disk. */
const concurrency = 32;

/**
 * Marks a plane as removed: deletes its creation row, and writes a removal row, which records that the plane's data
 * must be erased. With this row, the erasure continues after a crash. Returns false if the plane does not exist and has
 * no data to erase. Throws 503 if the check `fence` fails (`RequestContext.fence`).
 */
export async function markPlaneRemoved(store: Store, id: string, fence?: RevisionCheck): Promise<boolean> {
  const creationRow = await store.get(planeCreationKey(id));
  if (creationRow === undefined) return (await store.get(planeRemovalKey(id))) !== undefined;
  try {
    await store.transact({
      checks: [{ key: creationRow.key, revision: creationRow.revision }, ...(fence === undefined ? [] : [fence])],
      writes: [
        { key: creationRow.key, value: undefined },
        { key: planeRemovalKey(id), value: '', unlogged: true },
      ],
      usesReserve: true,
    });
    return true;
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'CheckFailed') throw error;
    if (error.detail === 1) throw fenceFailed();
    // Try again: a server of another release has replaced the creation row, or another caller has removed the plane.
    return markPlaneRemoved(store, id, fence);
  }
}

/** Planes to erase, and the fences of the background work that erases them (`RequestContext.fence`). */
export interface Erasure {
  readonly ids: ReadonlySet<string>;
  readonly fences: readonly RevisionCheck[];
}

/**
 * Erases all stored data of planes that are marked as removed: their slices, the history, and their maintenance rows.
 * Can be repeated after a crash. The removal of a slice needs no fence, because the slice is marked and IDs of planes
 * are never used again. Each transaction that removes other rows contains the fences, so it succeeds only in the
 * process that holds the background work. Throws 503 if a fence fails.
 */
export async function erasePlanes(store: Store, { ids, fences }: Erasure, tracker: PlanesWithWork): Promise<void> {
  const all = [...ids];
  for (let at = 0; at < all.length; at += concurrency) {
    const batch = all.slice(at, at + concurrency);
    await Promise.all(batch.map((id) => store.removePrefix({ slice: id, prefix: [] })));
  }
  const { withDeadlines, withOtherWork } = await tracker.findAmong(ids);
  for (const id of withOtherWork) {
    for (const range of [gcRange, reconcileRange])
      await removeRows(store, { ...range, prefix: [...range.prefix, id] }, fences);
  }
  if (withDeadlines.size > 0)
    await removeRows(store, deadlineRange, fences, ({ segments }) => withDeadlines.has(segments[2] ?? ''));
  tracker.forget(ids);
  await removeUnlogged(store, all.map(planeRemovalKey), fences);
}

/**
 * Returns a function that erases a plane. Calls during an erasure wait until it ends; the planes of the waiting calls
 * are then erased together. The fences of the calls differ only if the process was expelled and has registered again;
 * all of the waiting calls then fail.
 */
export function createPlaneEraser(
  store: Store,
  tracker: PlanesWithWork,
): (id: string, fence?: RevisionCheck) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  let waiting:
    | { readonly ids: Set<string>; readonly fences: RevisionCheck[]; readonly erased: Promise<void> }
    | undefined;
  return (id, fence) => {
    if (waiting === undefined) {
      const ids = new Set<string>();
      const fences: RevisionCheck[] = [];
      const erased = last.then(() => {
        waiting = undefined;
        return erasePlanes(store, { ids, fences }, tracker);
      });
      waiting = { ids, fences, erased };
      last = erased.catch(() => {});
    }
    waiting.ids.add(id);
    if (fence !== undefined && !waiting.fences.some(({ revision }) => revision === fence.revision))
      waiting.fences.push(fence);
    return waiting.erased;
  };
}

/** Returns the planes that are marked as removed and whose data is not completely erased. */
export async function listUnfinishedPlaneRemovals(store: Store): Promise<ReadonlySet<string>> {
  const { entries } = await store.list(planeRemovalRange);
  return new Set(entries.map(({ key }) => key.segments[1] ?? ''));
}

async function removeRows(
  store: Store,
  range: KeyRange,
  fences: readonly RevisionCheck[],
  isIncluded: (key: Key) => boolean = () => true,
): Promise<void> {
  for (let after: Key | undefined; ; ) {
    const page = await store.list(range, {
      limit: pageSize,
      skipCount: true,
      ...(after === undefined ? {} : { after }),
    });
    const keys = page.entries.map(({ key }) => key).filter(isIncluded);
    await removeUnlogged(store, keys, fences);
    after = page.entries.at(-1)?.key;
    if (after === undefined || page.remaining === 0) return;
  }
}

/**
 * Removes unlogged rows. Each transaction removes at most as many rows as every store allows in one transaction. Throws
 * 503 if a fence fails.
 */
async function removeUnlogged(store: Store, keys: readonly Key[], fences: readonly RevisionCheck[]): Promise<void> {
  const transactions: Promise<unknown>[] = [];
  for (let start = 0; start < keys.length; start += maxTransactionWrites) {
    const part = keys.slice(start, start + maxTransactionWrites);
    const writes = part.map((key) => ({ key, value: undefined, unlogged: true }));
    transactions.push(store.transact({ checks: fences, writes }));
  }
  try {
    await Promise.all(transactions);
  } catch (error) {
    throw error instanceof StoreError && error.code === 'CheckFailed' ? fenceFailed() : error;
  }
}
