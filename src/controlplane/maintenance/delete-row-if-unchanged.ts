import type { Entry } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import type { MaintenanceOptions } from './maintenance-options.ts';

/**
 * Deletes the maintenance row of completed work. Returns false in two cases: the row was rewritten in the meantime,
 * which means that there is more work, or another process has taken over the work.
 */
export async function deleteRowIfUnchanged(
  { store, fence }: Pick<MaintenanceOptions, 'store' | 'fence'>,
  entry: Entry,
): Promise<boolean> {
  try {
    await store.transact({
      checks: [{ key: entry.key, revision: entry.revision }, ...(fence === undefined ? [] : [fence])],
      writes: [{ key: entry.key, value: undefined, unlogged: true }],
    });
    return true;
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'CheckFailed') throw error;
    return false;
  }
}
