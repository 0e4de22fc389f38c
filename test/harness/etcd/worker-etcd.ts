import { createHash } from 'node:crypto';

/** True if servers and stores of tests use etcd instead of the default store: FLOTILLA_TEST_STORE=etcd. */
export const isEtcdRun = process.env.FLOTILLA_TEST_STORE === 'etcd';

/** The environment variable with the addresses of one etcd per worker, separated by spaces. */
export const workerEtcdVariable = 'FLOTILLA_TEST_ETCD';

/** Returns the address of the etcd of this worker; `undefined` if tests use the default store. */
export function workerEtcd(): string | undefined {
  const addresses = isEtcdRun ? (process.env[workerEtcdVariable] ?? '').split(' ') : [];
  const worker = Number(process.env.VITEST_POOL_ID ?? '1') - 1;
  return addresses[worker % addresses.length];
}

/**
 * Returns the flags with which a server with this data directory uses the etcd of this worker. Empty if tests use the
 * default store.
 */
export function workerEtcdFlags(dataDir: string): { readonly store?: string; readonly 'etcd-prefix'?: string } {
  const store = workerEtcd();
  return store === undefined ? {} : { store, 'etcd-prefix': prefixFor(dataDir) };
}

/** Returns the etcd key prefix for a data directory. Each data directory has a different prefix. */
function prefixFor(dataDir: string): string {
  return `test/${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;
}
