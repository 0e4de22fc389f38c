import type { Entry, Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';

/**
 * Deletes the maintenance row of completed work. Returns false if the row was rewritten in the meantime, which means
 * that there is more work.
 */
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
