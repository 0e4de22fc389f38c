import { randomUUID } from 'node:crypto';
import type { Revision } from '../store.ts';
import { StoreError } from '../store-error.ts';
import type { EtcdClient } from './client/etcd-client.ts';
import { rangeMethod, statusMethod, txnMethod } from './client/methods.ts';
import type { KeySpace } from './key-space.ts';
import { baseAbove } from './revision-map.ts';

/** The version of the layout of keys and values. A program refuses a store with a newer layout. */
const currentSchema = 1;

/** The row that identifies a store. It is written once, when the store is created. */
interface Installation {
  readonly identity: string;
  readonly schema: number;
  /** The base of all revisions (`RevisionMap`). */
  readonly base: number;
  /** The ID of the import that creates the store. Absent if the store is complete. */
  readonly importId?: string;
}

export interface InstallationOptions {
  /**
   * The identity that the store must have. If set, no store is created. Optional; by default, any identity is accepted,
   * and a store is created if the prefix is empty.
   */
  readonly identity?: string;
  /** If true, no store is created. Optional; defaults to false. */
  readonly mustExist?: boolean;
  /** All revisions of a new store are greater than this revision. Set to import another store. Defaults to 1. */
  readonly above?: Revision;
  /**
   * If set, creates a store for an import, with the identity of the imported store. The prefix must be empty. Other
   * processes cannot open the store before `finishImport`. Optional.
   */
  readonly importing?: { readonly identity: string; readonly importId: string };
}

/**
 * Reads the row that identifies the store below a prefix, or creates the store. If several processes do this at the
 * same time, all get the same store. Also returns the current etcd revision. Rejects with StoreError CannotOpen, or with
 * EtcdError.
 */
export async function openInstallation(
  client: EtcdClient,
  keys: KeySpace,
  { identity, mustExist = identity !== undefined, above = 1, importing }: InstallationOptions,
): Promise<{ readonly installation: Installation; readonly etcdRevision: number }> {
  const { version, revision } = await client.call(statusMethod, {});
  assertSupportedVersion(version);
  const key = keys.installation;
  if (importing !== undefined) await assertEmpty(client, keys, importing.importId);
  const base = baseAbove(above, revision);
  const created: Installation = { identity: randomUUID(), schema: currentSchema, base, ...importing };
  const response = await client.call(txnMethod, {
    compare: [{ key, version: 0 }],
    success: mustExist ? [] : [{ put: { key, value: JSON.stringify(created) } }],
    failure: [{ range: { key } }],
  });
  if (response.succeeded && mustExist) {
    const expected = identity === undefined ? '' : `; expected store ${identity}`;
    throw new StoreError(
      'CannotOpen',
      `there is no store at ${describe(key)}${expected}; check the addresses of etcd and --etcd-prefix`,
    );
  }
  // If the response of a successful attempt was lost, the repeated call finds the row that this attempt wrote.
  const stored = response.ranges[0]?.kvs[0]?.value;
  const installation = stored === undefined ? created : parseInstallation(stored, key);
  if (installation.importId !== importing?.importId) throw importConflict(installation, keys);
  if (identity !== undefined && installation.identity !== identity) {
    const found = `found store ${installation.identity}, expected store ${identity}`;
    throw new StoreError('CannotOpen', `${describe(key)} belongs to another installation: ${found}`);
  }
  return { installation, etcdRevision: response.revision };
}

/**
 * Completes the store that an import has created. Servers can open it then. Rejects with EtcdError, or with StoreError
 * if the import was removed.
 */
export async function finishImport(client: EtcdClient, keys: KeySpace, importId: string): Promise<void> {
  const key = keys.installation;
  const { kvs } = await client.call(rangeMethod, { key });
  const stored = kvs[0];
  const { importId: found, ...installation } = stored === undefined ? {} : parseObject(stored.value);
  if (stored === undefined || found !== importId)
    throw new StoreError('CannotOpen', `${describe(key)} was changed or removed during the import; repeat the command`);
  const put = { key, value: JSON.stringify(installation) };
  // If the response is lost, the repeated call finds the complete store, which is not changed.
  const compare = [{ key, modRevision: stored.modRevision }];
  await client.call(txnMethod, { compare, success: [{ put }], failure: [] });
}

/** Removes everything that an unfinished import has written. Does nothing if the import was finished. */
export async function removeImport(client: EtcdClient, keys: KeySpace, importId: string): Promise<void> {
  const key = keys.installation;
  const { kvs } = await client.call(rangeMethod, { key });
  const stored = kvs[0];
  if (stored === undefined || parseObject(stored.value).importId !== importId) return;
  const compare = [{ key, modRevision: stored.modRevision }];
  await client.call(txnMethod, { compare, success: [{ remove: keys.all }], failure: [] });
}

/** Throws StoreError CannotOpen if the prefix contains keys that the import `importId` has not written. */
async function assertEmpty(client: EtcdClient, keys: KeySpace, importId: string): Promise<void> {
  const { kvs } = await client.call(rangeMethod, { ...keys.all, limit: 1 });
  const [first] = kvs;
  if (first === undefined) return;
  const { kvs: stored } = await client.call(rangeMethod, { key: keys.installation });
  const installation = stored[0] && parseInstallation(stored[0].value, keys.installation);
  if (installation?.importId === importId) return;
  throw importConflict(installation, keys);
}

function importConflict(installation: Installation | undefined, keys: KeySpace): StoreError {
  const prefix = JSON.stringify(keys.prefix);
  const remove = `remove its keys (etcdctl del --prefix ${keys.all.key})`;
  if (installation?.importId !== undefined) {
    const message = `the etcd prefix ${prefix} contains an unfinished import; ${remove}, and repeat the migration or restore`;
    return new StoreError('CannotOpen', message);
  }
  const what = installation === undefined ? 'keys of another program' : `the store ${installation.identity}`;
  return new StoreError(
    'CannotOpen',
    `the etcd prefix ${prefix} already contains ${what}; use another prefix, or ${remove}`,
  );
}

function parseInstallation(stored: string, key: string): Installation {
  const { identity, schema, base, importId } = parseObject(stored);
  if (typeof identity !== 'string' || typeof schema !== 'number' || typeof base !== 'number') {
    throw new StoreError('CannotOpen', `${describe(key)} is damaged or was written by another program`);
  }
  if (schema > currentSchema) {
    const versions = `it has schema ${schema}, and this program supports ${currentSchema}`;
    throw new StoreError('CannotOpen', `${describe(key)} was written by a newer version of Flotilla: ${versions}`);
  }
  return { identity, schema, base, ...(typeof importId === 'string' ? { importId } : {}) };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function assertSupportedVersion(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 3 || (major === 3 && minor >= 5)) return;
  throw new StoreError('CannotOpen', `etcd ${version} is not supported; use etcd 3.5 or newer`);
}

function describe(key: string): string {
  return `the etcd key ${JSON.stringify(key)}`;
}
