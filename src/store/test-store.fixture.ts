import { randomUUID } from 'node:crypto';
import { workerEtcd } from '../../test/harness/etcd/worker-etcd.ts';
import { type MemoryStoreOptions, openMemoryStore } from './memory.ts';
import type { DumpRow, Store } from './store.ts';

const opened: Store[] = [];

/** Opens a new store for a test: in memory, or on etcd with FLOTILLA_TEST_STORE=etcd. */
export function openTestStore(options: MemoryStoreOptions = {}): Store {
  const endpoints = workerEtcd();
  if (endpoints === undefined) return openMemoryStore(options);
  const prefix = `test/${randomUUID()}`;
  const { identity = prefix, ...rest } = options;
  const opening = import('./etcd/etcd-store.ts').then(({ openEtcdStore }) =>
    openEtcdStore({ endpoints, prefix, ...rest, timeouts: { call: 20_000, member: 10_000 } }),
  );
  // A test that never uses the store must not fail because the store cannot be opened.
  opening.catch(() => {});
  const store = storeThatOpens(opening, identity);
  opened.push(store);
  return store;
}

export async function closeTestStores(): Promise<void> {
  await Promise.all(opened.splice(0).map((store) => store.close()));
}

/** Returns a store that can be used before it is open, so fixtures can be synchronous. */
function storeThatOpens(opening: Promise<Store>, identity: string): Store {
  return {
    identity,
    isShared: true,
    limits: { valueBytes: 1_310_720 },
    get: async (key) => (await opening).get(key),
    list: async (range, options) => (await opening).list(range, options),
    transact: async (transaction) => (await opening).transact(transaction),
    removePrefix: async (range) => (await opening).removePrefix(range),
    revision: async (slice) => (await opening).revision(slice),
    observe: async (range, since, observer) => (await opening).observe(range, since, observer),
    history: async (range, since, options) => (await opening).history(range, since, options),
    compact: async (slice, upTo) => (await opening).compact(slice, upTo),
    assertWritable: async () => (await opening).assertWritable(),
    dump: () => dumpOf(opening),
    close: async () => (await opening).close(),
  };
}

async function* dumpOf(opening: Promise<Store>): AsyncGenerator<DumpRow> {
  yield* (await opening).dump();
}
