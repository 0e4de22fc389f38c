import { fileExists } from '../../process/private-dir.ts';
import { openEmbeddedStore } from '../../store/embedded/embedded.ts';
import type { Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import type { DataDir } from './data-dir.ts';

/**
 * Opens the store of a data directory for a command that works without a server. No server can use the store until the
 * caller closes it. Returns `undefined` if there is no store or a server uses it.
 */
export async function openStoreIfUnused(dir: DataDir): Promise<Store | undefined> {
  if (!(await fileExists(dir.store))) return undefined;
  return await openEmbeddedStore({ directory: dir.store }).catch((error: unknown) => {
    if (error instanceof StoreError && error.message.includes('in use by another process')) return undefined;
    throw error;
  });
}
