import { describe } from '../process/private-dir.ts';
import { StartError } from '../process/start-error.ts';
import { openSealer } from '../seal/open-sealer.ts';
import { createSealKeyFile, readSealKeyFile } from '../seal/seal-key-file.ts';
import type { Sealer } from '../seal/sealer.ts';
import type { Store } from '../store/store.ts';
import { checkSealKey, needsItsSealKey } from './installation.ts';

/** The sealer of this store. A key is made only for a store in which nothing was ever sealed. */
export async function loadSealer(path: string, store: Store): Promise<Sealer> {
  const key = (await readSealKeyFile(path)) ?? (await makeKey(path, store));
  const sealer = openSealer(key);
  await checkSealKey(store, sealer, path);
  return sealer;
}

async function makeKey(path: string, store: Store): Promise<Uint8Array> {
  if (await needsItsSealKey(store)) {
    throw new StartError(
      `the seal key of this store is not there: put it at ${path} (mode 0600), or give --seal-key-file; a backup does not hold it`,
    );
  }
  try {
    return await createSealKeyFile(path);
  } catch (error) {
    throw new StartError(`the seal key ${path} cannot be made: ${describe(error)}`, { cause: error });
  }
}
