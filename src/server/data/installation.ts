import { isJsonObject, type JsonObject } from '@flotilla/json';
import { writePrivateFile } from '../../lib/private-file.ts';
import { readIfExists } from '../../process/private-dir.ts';
import { StartError } from '../../process/start-error.ts';
import { deriveSealerKeys, type SealerKeys, sealerWithKeys } from '../../seal/open-sealer.ts';
import type { Sealer } from '../../seal/sealer.ts';
import type { Key, KeyRange } from '../../store/key.ts';
import type { Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import type { StoreSettings } from '../settings/store-settings.ts';
import type { DataDir } from './data-dir.ts';

/** The content of `installation.json`: the store to which a data directory belongs. */
export interface Installation {
  /** The identity of the store. */
  readonly store: string;
  /** The prefix of the store in etcd; absent if the store is in the data directory. */
  readonly etcdPrefix?: string;
}

/** Returns the store to which the data directory belongs; `undefined` before the first start. */
export async function readInstallation(dir: DataDir): Promise<Installation | undefined> {
  const text = await readIfExists(dir.installation);
  if (text === undefined) return undefined;
  const value = parseObject(text);
  if (typeof value.store !== 'string') throw new StartError(`${dir.installation} is damaged: it has no store identity`);
  const { store, etcdPrefix } = value;
  return typeof etcdPrefix === 'string' ? { store, etcdPrefix } : { store };
}

/**
 * Rejects a store that does not belong to this data directory. Without this check, all objects would appear to be
 * deleted if the store was replaced by an empty one.
 */
export function assertStoreIdentity(dir: DataDir, installation: Installation | undefined, store: Store): void {
  if (installation === undefined || installation.store === store.identity) return;
  throw new StartError(
    `the store belongs to another installation: ${dir.path} expects store ${installation.store}, but found ${store.identity}; check --store and --etcd-prefix, or use another --data-dir`,
  );
}

/**
 * Records at the first start which store the data directory belongs to. Must be called after the check of the seal key,
 * so that a start with the address of another installation changes nothing.
 */
export async function recordInstallation(dir: DataDir, store: Store, settings: StoreSettings): Promise<void> {
  if (settings === 'memory' || (await readInstallation(dir)) !== undefined) return;
  const etcdPrefix = settings === 'embedded' ? {} : { etcdPrefix: settings.prefix };
  await writeInstallation(dir, { store: store.identity, ...etcdPrefix });
}

/** Records which store the data directory belongs to from now on. */
export async function writeInstallation(dir: DataDir, installation: Installation): Promise<void> {
  await writePrivateFile(dir.installation, `${JSON.stringify(installation)}\n`);
}

function parseObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The rows with the secrets of an installation on a shared store. Their values are sealed. */
export const secretRowNames = ['signing-keys', 'ca'] as const;

/** All rows of the installation whose values are sealed. */
export const sealedRowNames = [...secretRowNames, 'audit-key'] as const;

export type InstallationRowName =
  | (typeof sealedRowNames)[number]
  | 'seal-key-check'
  | 'schema'
  | 'api-word'
  | 'key-lifetimes'
  | 'host-isolation'
  | 'keyring'
  | 'rewrite'
  | 'restored'
  | 'backups'
  | 'mails';

/** All rows that belong to the installation as a whole and not to a control plane. */
export const installationRange: KeyRange = { slice: 'installation', prefix: [] };

export function installationKey(name: InstallationRowName): Key {
  return { slice: installationRange.slice, segments: [name] };
}

/** The key of a row that identifies the seal key. The row is in the store so that backups contain it. */
const sealCheckKey = installationKey('seal-key-check');
const sealCheckPurpose = 'seal key check';

/** True if the store contains sealed values, which can be decrypted only with the original seal key. */
export async function hasSealedValues(store: Store): Promise<boolean> {
  return (await store.get(sealCheckKey)) !== undefined;
}

/**
 * Rejects seal keys that belong to another store, because the server could neither decrypt secrets nor accept access
 * keys. Returns the keys of the sealer, for a store that has no keyring yet. For a store without sealed values, these
 * are derived from the first key in `keys`.
 */
export async function checkSealKeys(store: Store, keys: readonly Uint8Array[], path: string): Promise<SealerKeys> {
  for (const key of keys) {
    const sealerKeys = deriveSealerKeys(key);
    if (await isSealKeyOf(store, sealerWithKeys(sealerKeys))) return sealerKeys;
  }
  throw new StartError(
    `${path} is not the seal key of this store: replace it with the right key, or set --seal-key-file`,
  );
}

/**
 * True if the values in the store were sealed with this key. If the store has no sealed values, records the key as the
 * key of the store and returns true.
 */
export async function isSealKeyOf(store: Store, sealer: Sealer): Promise<boolean> {
  const expected = sealer.hash(sealCheckPurpose, store.identity);
  for (;;) {
    const entry = await store.get(sealCheckKey);
    if (entry !== undefined) return entry.value === expected;
    try {
      await store.transact({
        checks: [{ key: sealCheckKey, revision: undefined }],
        writes: [{ key: sealCheckKey, value: expected }],
      });
    } catch (error) {
      // Continues after CheckFailed: another server recorded its key at the same moment.
      if (!(error instanceof StoreError) || error.code !== 'CheckFailed') throw error;
    }
  }
}
