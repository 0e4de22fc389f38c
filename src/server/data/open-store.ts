import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { fileExists } from '../../process/private-dir.ts';
import { StartError } from '../../process/start-error.ts';
import { openEmbeddedStore } from '../../store/embedded/embedded.ts';
import { openMemoryStore } from '../../store/memory.ts';
import type { Store } from '../../store/store.ts';
import type { ServerOptions } from '../settings/options.ts';
import type { DataDir } from './data-dir.ts';
import { checkStoreIdentity } from './installation.ts';

/** Opens the store of this installation. Rejects the store of another installation. The caller must close the store. */
export async function openStore(
  dir: DataDir,
  settings: Pick<ServerOptions, 'store' | 'history'>,
  clock: Clock,
  log: Log,
): Promise<Store> {
  if (settings.store === 'memory') {
    // A memory store is empty at every start, so it cannot belong to a data directory that already has a store.
    if (await fileExists(dir.installation)) {
      throw new StartError(`${dir.path} already contains a store; use another --data-dir with --store memory`);
    }
    return openMemoryStore({ clock, retention: settings.history });
  }
  const store = await openEmbeddedStore({ directory: dir.store, clock, retention: settings.history, log });
  try {
    await checkStoreIdentity(dir, store);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}
