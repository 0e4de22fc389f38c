import { rm } from 'node:fs/promises';
import { describeError } from '../../process/private-dir.ts';
import { StartError } from '../../process/start-error.ts';
import { deriveSealerKeys, type SealerKeys, sealerWithKeys } from '../../seal/open-sealer.ts';
import { createSealKeyFile, readSealKeyFile } from '../../seal/seal-key-file.ts';
import type { Sealer } from '../../seal/sealer.ts';
import type { Store } from '../../store/store.ts';
import { checkSealKeys, hasSealedValues, isSealKeyOf } from './installation.ts';

/**
 * Loads the keys of the sealer from the seal key file, for a store that has no keyring yet. Creates a file only if the store
 * contains no sealed values.
 */
export async function loadSealerKeys(path: string, store: Store): Promise<SealerKeys> {
  const existing = await readSealKeyFile(path);
  if (existing === undefined) {
    const sealerKeys = deriveSealerKeys(await makeKey(path, store));
    await recordNewKey(path, store, sealerWithKeys(sealerKeys));
    return sealerKeys;
  }
  return await checkSealKeys(store, existing, path);
}

/**
 * Records a new seal key. If another server recorded its key first, removes the file, so that the key in the file is
 * not used.
 */
async function recordNewKey(path: string, store: Store, sealer: Sealer): Promise<void> {
  if (await isSealKeyOf(store, sealer)) return;
  await rm(path, { force: true });
  throw new StartError(
    `another server has just created the seal key of this store: copy seal.key of that server to ${path} (mode 0600), or set --seal-key-file, and start again`,
  );
}

async function makeKey(path: string, store: Store): Promise<Uint8Array> {
  if (await hasSealedValues(store)) {
    throw new StartError(
      `the seal key of this store is missing: copy it to ${path} (mode 0600), or set --seal-key-file; backups do not contain it`,
    );
  }
  try {
    return await createSealKeyFile(path);
  } catch (error) {
    throw new StartError(`cannot create the seal key ${path}: ${describeError(error)}`, { cause: error });
  }
}
