import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { CloseStack } from '../../process/close-stack.ts';
import { fileExists } from '../../process/private-dir.ts';
import { StartError } from '../../process/start-error.ts';
import { openEmbeddedStore } from '../../store/embedded/embedded.ts';
import { openMemoryStore } from '../../store/memory.ts';
import type { Store } from '../../store/store.ts';
import type { ServerOptions } from '../settings/options.ts';
import type { EtcdStoreSettings } from '../settings/store-settings.ts';
import { assertSupportedSchema } from './check-schema.ts';
import type { DataDir } from './data-dir.ts';
import { assertStoreIdentity, readInstallation } from './installation.ts';
import { lockDataDir } from './lock-data-dir.ts';
import { readEtcdCredentials } from './read-etcd-credentials.ts';

interface StoreEnvironment {
  readonly clock: Clock;
  readonly log: Log;
  /** Receives the functions that close the store and release the data directory. */
  readonly closing: CloseStack;
}

type StoreOptions = Pick<ServerOptions, 'store' | 'history' | 'etcd'>;

/** Opens the store of this installation. Rejects the store of another installation. */
export async function openStore(dir: DataDir, settings: StoreOptions, environment: StoreEnvironment): Promise<Store> {
  const { store } = settings;
  if (store === 'memory') return openMemory(dir, settings, environment);
  if (store === 'embedded') return await openEmbedded(dir, settings, environment);
  return await openEtcd(dir, { ...settings, store }, environment);
}

async function openMemory(
  dir: DataDir,
  { history }: StoreOptions,
  { clock, closing }: StoreEnvironment,
): Promise<Store> {
  // A memory store is empty at every start, so it cannot belong to a data directory that already has a store.
  if (await fileExists(dir.installation)) {
    throw new StartError(`${dir.path} already contains a store; use another --data-dir with --store memory`);
  }
  const store = openMemoryStore({ clock, retention: history });
  closing.add('store', () => store.close());
  return store;
}

async function openEmbedded(
  dir: DataDir,
  { history }: StoreOptions,
  { clock, log, closing }: StoreEnvironment,
): Promise<Store> {
  const installation = await readInstallation(dir);
  if (installation?.etcdPrefix !== undefined) {
    throw new StartError(
      `${dir.path} belongs to a store on etcd with the prefix ${installation.etcdPrefix}; set --store to the addresses of etcd, or use another --data-dir`,
    );
  }
  if (installation !== undefined && !(await fileExists(dir.store))) {
    throw new StartError(
      `the store ${dir.store} is missing: restore the data directory from a backup; to start again without any data, remove ${dir.installation} too`,
    );
  }
  const store = await openEmbeddedStore({ directory: dir.store, clock, retention: history, log });
  closing.add('store', () => store.close());
  assertStoreIdentity(dir, installation, store);
  await assertSupportedSchema(store);
  return store;
}

/** Opens a store on etcd. Takes the lock of the data directory last, so that a failure leaves no files. */
async function openEtcd(
  dir: DataDir,
  { store: access, history, etcd }: StoreOptions & { readonly store: EtcdStoreSettings },
  { clock, log, closing }: StoreEnvironment,
): Promise<Store> {
  const installation = await readInstallation(dir);
  if (installation?.etcdPrefix === undefined && (await fileExists(dir.store))) {
    throw new StartError(
      `${dir.path} contains an embedded store; copy it to etcd with "flotilla migrate --from embedded --to <addresses>", or use another --data-dir`,
    );
  }
  const credentials = await readEtcdCredentials(access);
  // Servers without etcd do not load the gRPC library.
  const { openEtcdStore } = await import('../../store/etcd/etcd-store.ts');
  const store = await openEtcdStore({
    endpoints: access.endpoints,
    prefix: access.prefix,
    credentials,
    clock,
    log,
    retention: history,
    ...etcd,
    ...(installation === undefined ? {} : { identity: installation.store }),
  });
  try {
    await assertSupportedSchema(store);
    closing.add('lock of the data directory', await lockDataDir(dir));
  } finally {
    closing.add('store', () => store.close());
  }
  return store;
}
