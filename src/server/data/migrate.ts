import { rename, rm } from 'node:fs/promises';
import { systemClock } from '../../lib/clock.ts';
import { ensureDirectory, fileExists } from '../../process/private-dir.ts';
import { StartError } from '../../process/start-error.ts';
import { restoreRows } from '../../store/backup.ts';
import { DumpSummary } from '../../store/dump-summary.ts';
import { openEmbeddedStore } from '../../store/embedded/embedded.ts';
import type { Store } from '../../store/store.ts';
import { type EtcdStoreSettings, readStoreSettings, type StoreFlags } from '../settings/store-settings.ts';
import { assertNoServers } from './assert-no-servers.ts';
import { checkOwnerReferences } from './check-owner-references.ts';
import { assertSupportedSchema } from './check-schema.ts';
import { type DataDir, dataDirAt } from './data-dir.ts';
import { assertStoreIdentity, readInstallation, writeInstallation } from './installation.ts';
import { isUnloggedRow } from './is-unlogged-row.ts';
import { lockDataDir } from './lock-data-dir.ts';
import { openExistingEtcdStore } from './open-existing-etcd-store.ts';
import { readEtcdCredentials } from './read-etcd-credentials.ts';

export interface MigrateOptions {
  /** `embedded`, or the addresses of etcd. */
  readonly from: string;
  readonly to: string;
  readonly dataDir: string;
  readonly etcd: Omit<StoreFlags, 'store'>;
}

/**
 * Runs `flotilla migrate`: copies the embedded store of a data directory to etcd, or the store on etcd to the data
 * directory. No server may run. Returns the message to print. If the migration fails, the source is unchanged and the
 * target is empty.
 */
export async function runMigrate({ from, to, dataDir, etcd }: MigrateOptions): Promise<string> {
  const isToEtcd = from === 'embedded';
  const [store, flag] = isToEtcd ? [to, 'to'] : [from, 'from'];
  const settings = isToEtcd === (to === 'embedded') ? undefined : readStoreSettings({ ...etcd, store }, flag);
  if (settings === undefined || typeof settings === 'string') {
    throw new StartError('one of --from and --to must be embedded, and the other one the addresses of etcd');
  }
  const dir = dataDirAt(dataDir);
  return isToEtcd ? await migrateToEtcd(dir, settings) : await migrateToEmbedded(dir, settings);
}

async function migrateToEtcd(dir: DataDir, etcd: EtcdStoreSettings): Promise<string> {
  const { endpoints, prefix } = etcd;
  const installation = await readInstallation(dir);
  if (installation?.etcdPrefix !== undefined || !(await fileExists(dir.store))) {
    throw new StartError(`there is no embedded store in ${dir.path}`);
  }
  const moved = `${dir.store}.migrated`;
  if (await fileExists(moved)) throw new StartError(`${moved} of an earlier migration exists; remove it first`);
  const credentials = await readEtcdCredentials(etcd);
  const { importIntoEtcd } = await import('../../store/etcd/import-store.ts');
  const source = await openEmbeddedStore({ directory: dir.store });
  let summary: DumpSummary;
  try {
    assertStoreIdentity(dir, installation, source);
    await assertSupportedSchema(source);
    const rows = checkOwnerReferences(source.dump());
    summary = await importIntoEtcd({ endpoints, prefix, credentials, rows, isUnlogged: isUnloggedRow });
  } finally {
    await source.close();
  }
  await rename(dir.store, moved);
  await writeInstallation(dir, { store: source.identity, etcdPrefix: prefix });
  return [
    `copied ${describe(summary)} from ${dir.path} to ${endpoints} (prefix ${prefix}) and compared them`,
    `Start the server: flotilla start --data-dir ${dir.path} --store ${endpoints}${prefixFlag(etcd)}`,
    `The previous store is in ${moved}. Remove it when the servers work.`,
    '',
  ].join('\n');
}

async function migrateToEmbedded(dir: DataDir, etcd: EtcdStoreSettings): Promise<string> {
  if (await fileExists(dir.store)) throw new StartError(`${dir.store} exists already; use another --data-dir`);
  const installation = await readInstallation(dir);
  const source = await openExistingEtcdStore(etcd);
  try {
    assertStoreIdentity(dir, installation, source);
    await assertSupportedSchema(source);
    await assertNoServers(source, systemClock);
    await ensureDirectory(dir.path);
    const unlock = await lockDataDir(dir);
    try {
      const summary = await copyToEmbedded(source, dir.store);
      await writeInstallation(dir, { store: source.identity });
      return [
        `copied ${describe(summary)} from ${etcd.endpoints} (prefix ${etcd.prefix}) to ${dir.path} and compared them`,
        `Start the server with --data-dir ${dir.path}. It needs the seal key: ${dir.sealKey}, or --seal-key-file.`,
        `The keys in etcd are unchanged. Remove them when the server works: etcdctl del --prefix ${etcd.prefix}:`,
        '',
      ].join('\n');
    } finally {
      await unlock();
    }
  } finally {
    await source.close();
  }
}

async function copyToEmbedded(source: Store, directory: string): Promise<DumpSummary> {
  const summary = new DumpSummary();
  await restoreRows(summary.follow(source.dump()), directory);
  try {
    const difference = summary.differenceOf(await summaryOfEmbedded(directory));
    if (difference !== undefined)
      throw new StartError(`the copy differs from the store in etcd: ${difference}; try again`);
    await assertUnchanged(source, summary);
    return summary;
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

async function summaryOfEmbedded(directory: string): Promise<DumpSummary> {
  const copy = await openEmbeddedStore({ directory });
  try {
    return await new DumpSummary().addAll(copy.dump());
  } finally {
    await copy.close();
  }
}

/** Throws StartError if a server has written to the store since the dump. The migration would lose these writes. */
async function assertUnchanged(source: Store, { slices }: DumpSummary): Promise<void> {
  const revisions = await Promise.all(
    [...slices].map(async ([slice, { revision = 1 }]) => [slice, revision, await source.revision(slice)] as const),
  );
  const changed = revisions.find(([, before, now]) => now !== before);
  if (changed !== undefined) {
    throw new StartError(
      `a server has written to the store during the migration (slice "${changed[0]}"); stop all servers, and try again`,
    );
  }
}

function describe({ entries, slices }: DumpSummary): string {
  return `${entries} rows in ${slices.size} slices`;
}

function prefixFlag({ prefix }: EtcdStoreSettings): string {
  return prefix === 'flotilla' ? '' : ` --etcd-prefix ${prefix}`;
}
