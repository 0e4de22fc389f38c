import { dueRange, gcRange, pendingRange, removalKey, removalRange } from '../../registry/rows.ts';
import type { Key, KeyRange } from '../../store/key.ts';
import type { Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import { birthKey } from '../plane-birth.ts';
import type { PlanesWithWork } from './planes-with-work.ts';

/** Keys that are taken away in one transaction, or looked at in one go. */
const atOnce = 500;
/** Planes that are erased at the same time: they share their flushes. */
const sideBySide = 32;

/**
 * The plane is gone from this moment on, whatever happens to the process: what is left of it is found by its row.
 * False: there is no such plane, nor anything left of one.
 */
export async function markRemoved(store: Store, id: string): Promise<boolean> {
  const birth = await store.get(birthKey(id));
  if (birth === undefined) return (await store.get(removalKey(id))) !== undefined;
  try {
    await store.transact({
      checks: [{ key: birth.key, revision: birth.revision }],
      writes: [
        { key: birth.key, value: undefined },
        { key: removalKey(id), value: '', quiet: true },
      ],
    });
    return true;
  } catch (error) {
    // It was born anew for other standing objects, or removed by somebody else.
    if (error instanceof StoreError && error.code === 'CheckFailed') return markRemoved(store, id);
    throw error;
  }
}

/**
 * Takes away everything that is in the store of planes that are marked as removed: their slices with all history, and
 * their work for upkeep. May be done again after a crash, and any number of times.
 */
export async function erasePlanes(store: Store, ids: ReadonlySet<string>, working: PlanesWithWork): Promise<void> {
  const all = [...ids];
  for (let at = 0; at < all.length; at += sideBySide) {
    const some = all.slice(at, at + sideBySide);
    await Promise.all(some.map((id) => store.removePrefix({ slice: id, prefix: [] })));
  }
  const { dated, busy } = await working.among(ids);
  for (const id of busy) {
    for (const range of [gcRange, pendingRange]) await removeRows(store, { ...range, prefix: [...range.prefix, id] });
  }
  if (dated.size > 0) await removeRows(store, dueRange, ({ segments }) => dated.has(segments[2] ?? ''));
  working.forget(ids);
  await store.transact({ writes: all.map((id) => ({ key: removalKey(id), value: undefined, quiet: true })) });
}

/** Erases planes as they come; those that come while it is at work are erased together after that. */
export function planeEraser(store: Store, working: PlanesWithWork): (id: string) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  let waiting: { readonly ids: Set<string>; readonly erased: Promise<void> } | undefined;
  return (id) => {
    if (waiting === undefined) {
      const ids = new Set<string>();
      const erased = last.then(() => {
        waiting = undefined;
        return erasePlanes(store, ids, working);
      });
      waiting = { ids, erased };
      last = erased.catch(() => {});
    }
    waiting.ids.add(id);
    return waiting.erased;
  };
}

/** Planes whose removal began and did not end. */
export async function unfinishedRemovals(store: Store): Promise<ReadonlySet<string>> {
  const { entries } = await store.list(removalRange);
  return new Set(entries.map(({ key }) => key.segments[1] ?? ''));
}

async function removeRows(store: Store, range: KeyRange, concerns: (key: Key) => boolean = () => true): Promise<void> {
  for (let after: Key | undefined; ; ) {
    const page = await store.list(range, { limit: atOnce, uncounted: true, ...(after === undefined ? {} : { after }) });
    const keys = page.entries.map(({ key }) => key).filter(concerns);
    if (keys.length > 0) await store.transact({ writes: keys.map((key) => ({ key, value: undefined, quiet: true })) });
    after = page.entries.at(-1)?.key;
    if (after === undefined || page.remaining === 0) return;
  }
}
