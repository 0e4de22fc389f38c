import { randomUUID } from 'node:crypto';
import { revisionsSkipped } from '../backup.ts';
import { DumpSummary } from '../dump-summary.ts';
import type { Key } from '../key.ts';
import { type DumpEntry, type DumpRow, maxTransactionWrites, type Store, type Write } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { parseEndpoints } from './client/endpoints.ts';
import { EtcdClient } from './client/etcd-client.ts';
import { toStoreError } from './client/etcd-error.ts';
import { type EtcdStoreOptions, openEtcdStore } from './etcd-store.ts';
import { finishImport, removeImport } from './installation.ts';
import { KeySpace } from './key-space.ts';

export interface EtcdImportOptions extends Pick<EtcdStoreOptions, 'endpoints' | 'prefix' | 'credentials'> {
  /** The rows of the imported store. */
  readonly rows: AsyncIterable<DumpRow>;
  /** True if a row is unlogged. Used for rows of a store that does not distinguish unlogged rows. */
  isUnlogged(key: Key): boolean;
  /** Checks the imported store before it can be used. If it rejects, the import is undone. Optional. */
  check?(store: Store): Promise<void>;
}

/**
 * The time in milliseconds after which a call of etcd fails (`call`), and after which the next member is asked
 * (`member`).
 */
const timeouts = { call: 30_000, member: 5_000 };

/**
 * Creates a store on etcd from the rows of a dump, with the same identity. Its revisions are greater than the revisions
 * of the dump, so earlier watches end with Expired. The prefix must be empty. No server can use the store until all
 * rows were written and compared with the rows of the dump. After an error, the prefix is empty again. Rejects with
 * StoreError, or with the error of `rows` or `check`.
 */
export async function importIntoEtcd(options: EtcdImportOptions): Promise<DumpSummary> {
  const rows = options.rows[Symbol.asyncIterator]();
  try {
    const first = await rows.next();
    if (first.done === true || first.value.row !== 'head') throw new StoreError('Damaged', 'the dump has no head');
    return await importRows(first.value, { ...options, rows: { [Symbol.asyncIterator]: () => rows } });
  } finally {
    await rows.return?.();
  }
}

async function importRows(head: Extract<DumpRow, { row: 'head' }>, options: EtcdImportOptions): Promise<DumpSummary> {
  const { endpoints, prefix, credentials = {} } = options;
  const keys = new KeySpace(prefix);
  const importId = randomUUID();
  const importing = { identity: head.identity, importId };
  const above = head.revision + revisionsSkipped;
  const store = await openEtcdStore({ endpoints, prefix, credentials, timeouts, above, importing });
  const client = new EtcdClient({ endpoints: parseEndpoints(endpoints), credentials, timeouts });
  try {
    const source = new DumpSummary();
    await writeRows(store, source.follow(options.rows), options);
    const difference = source.differenceOf(await new DumpSummary().addAll(store.dump()));
    if (difference !== undefined) {
      throw new StoreError('Damaged', `the copy in etcd differs from the store: ${difference}; repeat the command`);
    }
    await options.check?.(store);
    await finishImport(client, keys, importId);
    return source;
  } catch (error) {
    await removeImport(client, keys, importId).catch(() => {});
    throw toStoreError(error);
  } finally {
    client.close();
    await store.close();
  }
}

/** The maximum size of the values of a transaction in bytes. etcd accepts 1.5 MiB by default. */
const maxTransactionBytes = 1024 * 1024;
/** The number of transactions that run concurrently. */
const concurrency = 16;

async function writeRows(
  store: Store,
  rows: AsyncIterable<DumpRow>,
  { isUnlogged }: Pick<EtcdImportOptions, 'isUnlogged'>,
): Promise<void> {
  const slices = new Set<string>();
  const written = new Set<string>();
  const writer = new BatchWriter(store);
  try {
    for await (const row of rows) {
      if (row.row === 'slice') slices.add(row.slice);
      if (row.row !== 'entry') continue;
      const write = writeOf(row, isUnlogged);
      await writer.add(write);
      if (write.unlogged !== true) written.add(row.key.slice);
    }
  } finally {
    await writer.flush();
  }
  for (const slice of slices) if (!written.has(slice)) await raiseRevision(store, slice);
  await expireHistory(store, [...new Set([...slices, ...written])]);
}

/**
 * Writes rows in transactions that etcd accepts. Several transactions run concurrently, because no row is written
 * twice.
 */
class BatchWriter {
  readonly #store: Store;
  #writes: Write[] = [];
  #bytes = 0;
  #running: Promise<void>[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  async add(write: Write): Promise<void> {
    const size = Buffer.byteLength(write.value ?? '');
    if (this.#writes.length >= maxTransactionWrites || this.#bytes + size > maxTransactionBytes) this.#send();
    if (this.#running.length >= concurrency) await this.#settle();
    this.#writes.push(write);
    this.#bytes += size;
  }

  /** Resolves after all transactions have ended. Rejects if one of them has failed. */
  async flush(): Promise<void> {
    this.#send();
    await this.#settle();
  }

  #send(): void {
    if (this.#writes.length > 0) {
      const running = writeBatch(this.#store, this.#writes);
      // Prevents an unhandled rejection: `#settle` reports the failure, perhaps later.
      running.catch(() => {});
      this.#running.push(running);
    }
    this.#writes = [];
    this.#bytes = 0;
  }

  async #settle(): Promise<void> {
    const results = await Promise.allSettled(this.#running.splice(0));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}

function writeOf({ key, value, unlogged }: DumpEntry, isUnlogged: (key: Key) => boolean): Write {
  return unlogged === true || isUnlogged(key) ? { key, value, unlogged: true } : { key, value };
}

async function writeBatch(store: Store, writes: readonly Write[]): Promise<void> {
  try {
    await store.transact({ writes });
  } catch (error) {
    const [only, ...others] = writes;
    if (!(error instanceof StoreError) || error.code !== 'TooLarge' || only === undefined || others.length > 0)
      throw error;
    const { slice, segments } = only.key;
    const size = Buffer.byteLength(only.value ?? '');
    const message = `the row ${[slice, ...segments].join('/')} with ${size} bytes is too large: ${error.message}`;
    throw new StoreError('TooLarge', message, undefined, { cause: error });
  }
}

/**
 * Raises the revision of a slice by writing and removing a row: a slice whose rows were all removed must not go back to
 * revision 1.
 */
async function raiseRevision(store: Store, slice: string): Promise<void> {
  const key = { slice, segments: ['imported'] };
  await store.transact({ writes: [{ key, value: '' }] });
  await store.transact({ writes: [{ key, value: undefined }] });
}

/**
 * Compacts the whole history of the slices. Otherwise a watch from before the import would receive all objects as new
 * ones.
 */
async function expireHistory(store: Store, slices: readonly string[]): Promise<void> {
  for (let start = 0; start < slices.length; start += concurrency) {
    const part = slices.slice(start, start + concurrency);
    await Promise.all(part.map((slice) => store.compact(slice, Number.MAX_SAFE_INTEGER)));
  }
}
