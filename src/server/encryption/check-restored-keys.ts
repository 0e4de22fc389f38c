import { StartError } from '../../process/start-error.ts';
import { dataKeyPurpose, keyringKey, sealerPurpose } from '../../seal/keyring/keyring.ts';
import { decodeKeyring } from '../../seal/keyring/keyring-record.ts';
import { SealError } from '../../seal/open-sealer.ts';
import { keyFileRootKeys } from '../../seal/root/key-file-root-keys.ts';
import { readSealKeyFile } from '../../seal/seal-key-file.ts';
import type { Store } from '../../store/store.ts';
import { checkSealKeys } from '../data/installation.ts';

/** Reads a seal key file that a command names. Throws StartError if it does not exist. */
export async function readNamedSealKeys(path: string): Promise<readonly Uint8Array[]> {
  const keys = await readSealKeyFile(path);
  if (keys === undefined) throw new StartError(`seal key ${path} not found`);
  return keys;
}

/** Throws StartError if a store that was restored cannot be opened with the keys of this file. */
export async function checkRestoredKeys(store: Store, keys: readonly Uint8Array[], path: string): Promise<void> {
  const entry = await store.get(keyringKey);
  if (entry === undefined) {
    await checkSealKeys(store, keys, path);
    return;
  }
  try {
    const { sealer, dataKeys } = decodeKeyring(entry.value);
    const roots = keyFileRootKeys(path);
    await roots.unwrap(sealerPurpose, sealer);
    for (const { id, ...wrapped } of dataKeys) await roots.unwrap(dataKeyPurpose(id), wrapped);
  } catch (error) {
    if (error instanceof SealError) throw new StartError(error.message, { cause: error });
    throw error;
  }
}
