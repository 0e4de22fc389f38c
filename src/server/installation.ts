import { isJsonObject } from '../lib/json-value.ts';
import { writePrivateFile } from '../lib/private-file.ts';
import { readIfThere } from '../process/private-dir.ts';
import { StartError } from '../process/start-error.ts';
import type { Sealer } from '../seal/sealer.ts';
import type { Key } from '../store/key.ts';
import type { Store } from '../store/store.ts';
import type { DataDir } from './data-dir.ts';

/**
 * Refuses a store that is not the one this data directory was used with: an installation that came up on another,
 * empty store would look as if everything had been deleted.
 */
export async function checkStoreIdentity(dir: DataDir, store: Store): Promise<void> {
  const text = await readIfThere(dir.installation);
  if (text === undefined) {
    await writePrivateFile(dir.installation, `${JSON.stringify({ store: store.identity })}\n`);
    return;
  }
  const known = storeIn(text);
  if (known === undefined) throw new StartError(`${dir.installation} is damaged: it does not name a store`);
  if (known !== store.identity) {
    throw new StartError(
      `the store belongs to another installation: ${dir.path} was used with ${known}, this one is ${store.identity}`,
    );
  }
}

function storeIn(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && typeof value.store === 'string' ? value.store : undefined;
  } catch {
    return undefined;
  }
}

/** Kept in the store itself, so that it comes along with a backup. */
const sealCheckKey: Key = { slice: 'installation', segments: ['seal-key-check'] };
const sealCheckPurpose = 'seal key check';

/** Whether values in this store were sealed at all: then only that very key will do. */
export async function needsItsSealKey(store: Store): Promise<boolean> {
  return (await store.get(sealCheckKey)) !== undefined;
}

/** Refuses a seal key that is not the store's own: nothing sealed would open, and no access key would work. */
export async function checkSealKey(store: Store, sealer: Sealer, path: string): Promise<void> {
  const expected = sealer.hash(sealCheckPurpose, store.identity);
  const entry = await store.get(sealCheckKey);
  if (entry === undefined) {
    await store.transact({
      checks: [{ key: sealCheckKey, revision: undefined }],
      writes: [{ key: sealCheckKey, value: expected }],
    });
  } else if (entry.value !== expected) {
    throw new StartError(`${path} is not the seal key of this store: put the right one there, or give --seal-key-file`);
  }
}
