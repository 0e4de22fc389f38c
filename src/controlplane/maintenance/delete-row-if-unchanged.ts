import type { Entry, Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';

/** Deletes the row of completed work; false if the row was rewritten during the work, so that there is more to do. */
export async function deleteRowIfUnchanged(store: Store, entry: Entry): Promise<boolean> {
  try {
    await store.transact({
      checks: [{ key: entry.key, revision: entry.revision }],
      writes: [{ key: entry.key, value: undefined, unlogged: true }],
    });
    return true;
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'CheckFailed') throw error;
    return false;
  }
}
