import { isJsonObject } from '@flotilla/json';
import { writePrivateFile } from '../../lib/private-file.ts';
import { readIfExists } from '../../process/private-dir.ts';
import { StartError } from '../../process/start-error.ts';
import type { Sealer } from '../../seal/sealer.ts';
import type { Key } from '../../store/key.ts';
import type { Store } from '../../store/store.ts';
import type { DataDir } from './data-dir.ts';

/**
 * Rejects a store that does not belong to this data directory. Otherwise, if the store were replaced by an empty one,
 * all objects would appear to be deleted.
 */
export async function checkStoreIdentity(dir: DataDir, store: Store): Promise<void> {
  const text = await readIfExists(dir.installation);
  if (text === undefined) {
    await writePrivateFile(dir.installation, `${JSON.stringify({ store: store.identity })}\n`);
    return;
  }
  const known = storeIdentityIn(text);
  if (known === undefined) throw new StartError(`${dir.installation} is damaged: it has no store identity`);
  if (known !== store.identity) {
    throw new StartError(
      `the store belongs to another installation: ${dir.path} expects ${known}, found ${store.identity}`,
    );
  }
}

function storeIdentityIn(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && typeof value.store === 'string' ? value.store : undefined;
  } catch {
    return undefined;
  }
}

/** The key of a row that identifies the seal key. The row is in the store so that backups contain it. */
const sealCheckKey: Key = { slice: 'installation', segments: ['seal-key-check'] };
const sealCheckPurpose = 'seal key check';

/** True if the store contains sealed values, which can be decrypted only with the original seal key. */
export async function hasSealedValues(store: Store): Promise<boolean> {
  return (await store.get(sealCheckKey)) !== undefined;
}

/**
 * Rejects the seal key of another store. With such a key the server could not decrypt secrets nor accept access keys.
 */
export async function checkSealKey(store: Store, sealer: Sealer, path: string): Promise<void> {
  const expected = sealer.hash(sealCheckPurpose, store.identity);
  const entry = await store.get(sealCheckKey);
  if (entry === undefined) {
    await store.transact({
      checks: [{ key: sealCheckKey, revision: undefined }],
      writes: [{ key: sealCheckKey, value: expected }],
    });
  } else if (entry.value !== expected) {
    throw new StartError(
      `${path} is not the seal key of this store: replace it with the right key, or set --seal-key-file`,
    );
  }
}
