import { StartError } from '../../process/start-error.ts';
import { openLevel } from '../../store/embedded/level-open.ts';
import { StoreError } from '../../store/store-error.ts';
import type { DataDir } from './data-dir.ts';

/**
 * Locks a data directory whose store is elsewhere, so that two servers cannot write to the same audit log or have the
 * same replica ID. Uses the lock of an empty LevelDB, as the embedded store does, because Node.js has no other lock
 * that the operating system releases when a process ends. Returns a function that releases the lock.
 */
export async function lockDataDir(dir: DataDir): Promise<() => Promise<void>> {
  try {
    const lock = await openLevel(dir.lock);
    return () => lock.close();
  } catch (error) {
    if (!(error instanceof StoreError) || !error.message.includes('in use by another process')) throw error;
    throw new StartError(
      `data directory ${dir.path} is in use by another process; each replica needs a directory of its own`,
      {
        cause: error,
      },
    );
  }
}
