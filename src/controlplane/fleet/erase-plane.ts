import {
  deadlineRange,
  gcRange,
  planeRemovalKey,
  planeRemovalRange,
  reconcileRange,
} from '../../registry/rows/rows.ts';
import type { Key, KeyRange } from '../../store/key.ts';
import type { Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import { planeCreationKey } from '../plane-creation.ts';
import type { PlanesWithWork } from './planes-with-work.ts';

/** The maximum number of keys in one list page and in one delete transaction. */
const pageSize = 500;
/** The maximum number of planes that are erased concurrently. Concurrent transactions share flushes to disk. */
const concurrency = 32;

/**
 * Marks a plane as removed: deletes its creation row, and writes a removal row, which records that the plane's data
 * must be erased. With this row, the erasure continues after a crash. Returns false if the plane does not exist and has
 * no data to erase.
 */
export async function markPlaneRemoved(store: Store, id: string): Promise<boolean> {
  const creationRow = await store.get(planeCreationKey(id));
  if (creationRow === undefined) return (await store.get(planeRemovalKey(id))) !== undefined;
  try {
    await store.transact({
      checks: [{ key: creationRow.key, revision: creationRow.revision }],
      writes: [
        { key: creationRow.key, value: undefined },
        { key: planeRemovalKey(id), value: '', unlogged: true },
      ],
    });
    return true;
  } catch (error) {
    // The creation row was updated for changed built-in objects, or another caller has removed the plane. Try again.
    if (error instanceof StoreError && error.code === 'CheckFailed') return markPlaneRemoved(store, id);
    throw error;
  }
}

/**
 * Erases all stored data of planes that are marked as removed: their slices, the history, and their maintenance rows.
 * Can be repeated after a crash.
 */
export async function erasePlanes(store: Store, ids: ReadonlySet<string>, tracker: PlanesWithWork): Promise<void> {
  const all = [...ids];
  for (let at = 0; at < all.length; at += concurrency) {
    const batch = all.slice(at, at + concurrency);
    await Promise.all(batch.map((id) => store.removePrefix({ slice: id, prefix: [] })));
  }
  const { withDeadlines, withOtherWork } = await tracker.findAmong(ids);
  for (const id of withOtherWork) {
    for (const range of [gcRange, reconcileRange]) await removeRows(store, { ...range, prefix: [...range.prefix, id] });
  }
  if (withDeadlines.size > 0)
    await removeRows(store, deadlineRange, ({ segments }) => withDeadlines.has(segments[2] ?? ''));
  tracker.forget(ids);
  await store.transact({ writes: all.map((id) => ({ key: planeRemovalKey(id), value: undefined, unlogged: true })) });
}

/** Returns a function that erases a plane. Planes that are passed during an erasure are erased together afterwards. */
export function createPlaneEraser(store: Store, tracker: PlanesWithWork): (id: string) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  let waiting: { readonly ids: Set<string>; readonly erased: Promise<void> } | undefined;
  return (id) => {
    if (waiting === undefined) {
      const ids = new Set<string>();
      const erased = last.then(() => {
        waiting = undefined;
        return erasePlanes(store, ids, tracker);
      });
      waiting = { ids, erased };
      last = erased.catch(() => {});
    }
    waiting.ids.add(id);
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
  isIncluded: (key: Key) => boolean = () => true,
): Promise<void> {
  for (let after: Key | undefined; ; ) {
    const page = await store.list(range, {
      limit: pageSize,
      skipCount: true,
      ...(after === undefined ? {} : { after }),
    });
    const keys = page.entries.map(({ key }) => key).filter(isIncluded);
    if (keys.length > 0)
      await store.transact({ writes: keys.map((key) => ({ key, value: undefined, unlogged: true })) });
    after = page.entries.at(-1)?.key;
    if (after === undefined || page.remaining === 0) return;
  }
}
