import type { Entry, Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';

/** Takes a settled row away; false: it was written anew while it was being settled, so there is more to do. */
export async function takeRow(store: Store, entry: Entry): Promise<boolean> {
  try {
    await store.transact({
      checks: [{ key: entry.key, revision: entry.revision }],
      writes: [{ key: entry.key, value: undefined, quiet: true }],
    });
    return true;
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'CheckFailed') throw error;
    return false;
  }
}
