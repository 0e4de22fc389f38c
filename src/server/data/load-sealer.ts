import { rm } from 'node:fs/promises';
import { describeError } from '../../process/private-dir.ts';
import { StartError } from '../../process/start-error.ts';
import { deriveSealerKeys, type SealerKeys, sealerWithKeys } from '../../seal/open-sealer.ts';
import { createSealKeyFile, readSealKeyFile } from '../../seal/seal-key-file.ts';
import type { Sealer } from '../../seal/sealer.ts';
import type { Store } from '../../store/store.ts';
import { checkSealKey, hasSealedValues, isSealKeyOf } from './installation.ts';

/** A sealer and the keys with which other threads create the same sealer. */
export interface LoadedSealer {
  readonly sealer: Sealer;
  readonly sealerKeys: SealerKeys;
}

/** Loads the seal key of this store. Creates a key only if the store contains no sealed values. */
export async function loadSealer(path: string, store: Store): Promise<LoadedSealer> {
  const existing = await readSealKeyFile(path);
  const sealerKeys = deriveSealerKeys(existing ?? (await makeKey(path, store)));
  const sealer = sealerWithKeys(sealerKeys);
  if (existing === undefined) await recordNewKey(path, store, sealer);
  else await checkSealKey(store, sealer, path);
  return { sealer, sealerKeys };
}

/** Records a key that was just created. If another server was faster, removes the file, so that it is not used. */
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
