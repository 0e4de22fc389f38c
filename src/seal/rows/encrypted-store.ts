import { encodeKey, type Key } from '../../store/key.ts';
import {
  type Change,
  type Entry,
  propertiesOf,
  type RevisionCheck,
  type Store,
  type Write,
} from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import { SealError } from '../open-sealer.ts';
import { HeldObserver } from './held-observer.ts';
import { dataKeyIdOf, type RowCipher, UnknownDataKeyError } from './row-cipher.ts';

export interface EncryptedStoreOptions {
  /** The store that holds the encrypted values. */
  readonly store: Store;
  readonly cipher: RowCipher;
  /** True if the row is always stored in clear, because servers must read it to find the keys or to register. */
  isExempt(key: Key): boolean;
  /** Resolves after the data key is known. Rejects with StoreError. */
  loadKey(id: string): Promise<void>;
}

/** A row that may have to be written again. */
export interface RewrittenRow {
  readonly key: Key;
  readonly unlogged: boolean;
}

/** A store whose values are encrypted at rest, also in history and in backups. Callers read and write clear values. */
export interface EncryptedStore extends Store {
  /**
   * Rewrites those of the given rows whose stored form differs from the form that the cipher writes now. Skips rows
   * that others write or remove at the same time. Returns the number of rows that were written. Accepts at most ten
   * rows. Rejects with StoreError.
   */
  rewrite(rows: readonly RewrittenRow[]): Promise<number>;
}

/** Wraps a store so that all its values are encrypted at rest. A dump contains the encrypted values. */
export function encryptedStore(options: EncryptedStoreOptions): EncryptedStore {
  const { store, cipher } = options;
  const values = new StoredValues(options);
  const writes = new WriteTracker();
  const held = new HeldChanges(options);
  const transact: Store['transact'] = (transaction) => {
    const sealed = transaction.writes.map((write) => values.sealed(write));
    return writes.track(sealed, store.transact({ ...transaction, writes: sealed }));
  };
  return {
    ...propertiesOf(store),
    async get(key) {
      const entry = await store.get(key);
      if (held.size > 0) await held.delivered();
      return entry && (await values.opening(() => values.entry(entry)));
    },
    async list(range, listOptions) {
      const result = await store.list(range, listOptions);
      if (held.size > 0) await held.delivered();
      const entries = await values.opening(() => result.entries.map((entry) => values.entry(entry)));
      return { ...result, entries };
    },
    async transact(transaction) {
      const revisions = await transact(transaction);
      if (held.size > 0) await held.delivered();
      return revisions;
    },
    removePrefix: (range) => store.removePrefix(range),
    revision(slice) {
      const revision = store.revision(slice);
      if (held.size === 0 && typeof revision === 'number') return revision;
      return Promise.resolve(revision).then(async (reached) => {
        await held.delivered();
        return reached;
      });
    },
    observe(range, since, observer) {
      return store.observe(
        range,
        since,
        new HeldObserver({
          observer,
          open: (change) => values.changeIfKnown(change),
          unknownKey: (change) => values.unknown(change),
          load: (change) => values.load(change),
          onHeld: (id, delivered) => held.add(id, delivered),
        }),
      );
    },
    async history(range, since, historyOptions) {
      const { changes, upTo } = await store.history(range, since, historyOptions);
      return { changes: await values.opening(() => changes.map((change) => values.change(change))), upTo };
    },
    compact: (slice, upTo) => store.compact(slice, upTo),
    assertWritable: () => store.assertWritable(),
    async *dump() {
      for await (const row of store.dump()) {
        const isClear = row.row === 'entry' && !options.isExempt(row.key) && dataKeyIdOf(row.value) === undefined;
        yield isClear ? { ...row, value: cipher.seal(row.key, row.value) } : row;
      }
    },
    close: () => store.close(),
    rewrite: (rows) => rewriteRows({ store, values, writes, isStale: (text) => cipher.isStale(text) }, rows),
  };
}

/** The changes that observers have not received yet, because a data key that the changes need is not known. */
class HeldChanges {
  readonly #loadKey: EncryptedStoreOptions['loadKey'];
  readonly #held = new Map<Promise<void>, string>();

  constructor({ loadKey }: Pick<EncryptedStoreOptions, 'loadKey'>) {
    this.#loadKey = loadKey;
  }

  get size(): number {
    return this.#held.size;
  }

  add(id: string, delivered: Promise<void>): void {
    this.#held.set(delivered, id);
    const done = () => this.#held.delete(delivered);
    delivered.then(done, done);
  }

  /** Resolves after all changes were delivered. Rejects with StoreError if a key cannot be loaded. */
  async delivered(): Promise<void> {
    for (const [delivered, id] of this.#held) {
      await this.#loadKey(id);
      await delivered;
    }
  }
}

/** Converts between stored and clear values. */
class StoredValues {
  readonly #options: EncryptedStoreOptions;

  constructor(options: EncryptedStoreOptions) {
    this.#options = options;
  }

  sealed(write: Write): Write {
    const { key, value, unlogged } = write;
    if (value === undefined || this.isExempt(key)) return write;
    try {
      const stored = this.#options.cipher.seal(key, value);
      return unlogged === undefined ? { key, value: stored } : { key, value: stored, unlogged };
    } catch (error) {
      throw asStoreError(key, error);
    }
  }

  isExempt(key: Key): boolean {
    return this.#options.isExempt(key);
  }

  /**
   * Calls `open` and returns its result. If `open` needs an unknown key, loads the key and calls `open` again, as often
   * as necessary.
   */
  async opening<T>(open: () => T): Promise<T> {
    for (;;) {
      try {
        return open();
      } catch (error) {
        if (!(error instanceof UnknownDataKeyError)) throw error;
        await this.#options.loadKey(error.id);
      }
    }
  }

  entry(entry: Entry): Entry {
    const { key, value, revision } = entry;
    return this.isExempt(key) ? entry : { key, value: this.#open(key, value), revision };
  }

  change(change: Change): Change {
    const { key, value, revision, previous } = change;
    if (this.isExempt(key)) return change;
    const clear = value === undefined ? { revision, key } : { revision, key, value: this.#open(key, value) };
    if (previous === undefined) return clear;
    const before = this.#open.bind(this, key, previous.value);
    // Few observers use the previous value, so it is decrypted on demand.
    const lazy = { revision: previous.revision, value: '' };
    Object.defineProperty(lazy, 'value', { get: before, enumerable: true });
    return { ...clear, previous: lazy };
  }

  changeIfKnown(change: Change): Change | undefined {
    return this.unknown(change) === undefined ? this.change(change) : undefined;
  }

  /** Resolves after the keys of the change are known. Rejects only with StoreError Closed or Damaged. */
  async load(change: Change): Promise<void> {
    for (let id = this.unknown(change); id !== undefined; id = this.unknown(change)) {
      await this.#options.loadKey(id).catch((error: unknown) => {
        if (!(error instanceof StoreError) || error.code !== 'Unavailable') throw error;
      });
    }
  }

  /** Returns the ID of an unknown data key that the change needs; `undefined` if all its data keys are known. */
  unknown({ key, value, previous }: Change): string | undefined {
    if (this.isExempt(key)) return undefined;
    for (const stored of [value, previous?.value]) {
      if (stored !== undefined && !this.#options.cipher.knows(stored)) return dataKeyIdOf(stored);
    }
    return undefined;
  }

  #open(key: Key, stored: string): string {
    try {
      return this.#options.cipher.open(key, stored);
    } catch (error) {
      throw error instanceof UnknownDataKeyError ? error : asStoreError(key, error);
    }
  }
}

function asStoreError({ slice, segments }: Key, error: unknown): unknown {
  if (!(error instanceof SealError)) return error;
  const row = [slice, ...segments].join('/');
  return new StoreError('Damaged', `the row ${row}: ${error.message}`, undefined, { cause: error });
}

/** Tracks the transactions of this process that are in progress, and the rows that were written since a point in time. */
class WriteTracker {
  readonly #inProgress = new Set<Promise<unknown>>();
  readonly #records = new Set<Set<string>>();

  track<T>(writes: readonly Write[], transaction: Promise<T>): Promise<T> {
    for (const record of this.#records) for (const { key } of writes) record.add(encodeKey(key));
    this.#inProgress.add(transaction);
    const done = () => this.#inProgress.delete(transaction);
    transaction.then(done, done);
    return transaction;
  }

  /** Starts to record the rows that are written. The caller must call `end` on the result. */
  record(): { readonly written: ReadonlySet<string>; end(): void } {
    const written = new Set<string>();
    this.#records.add(written);
    return { written, end: () => this.#records.delete(written) };
  }

  /** Resolves after the transactions that are in progress now have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#inProgress);
  }
}

interface RewriteParts {
  readonly store: Store;
  readonly values: StoredValues;
  readonly writes: WriteTracker;
  isStale(stored: string): boolean;
}

/**
 * Skips rows that this process has written since they were read, because in the embedded store, a check of an unlogged
 * row cannot distinguish two values of the row. Other processes can write only to etcd, where every check is exact.
 */
async function rewriteRows(parts: RewriteParts, rows: readonly RewrittenRow[]): Promise<number> {
  const { store, values, writes } = parts;
  const record = writes.record();
  try {
    await writes.settled();
    const found = await Promise.all(rows.map(async (row) => ({ row, entry: await store.get(row.key) })));
    const stale = await values.opening(() =>
      found.flatMap(({ row, entry }) => {
        if (entry === undefined || values.isExempt(row.key) || !parts.isStale(entry.value)) return [];
        return [{ ...row, revision: entry.revision, clear: values.entry(entry).value }];
      }),
    );
    const rest = stale.filter(({ key }) => !record.written.has(encodeKey(key)));
    if (rest.length === 0) return 0;
    const checks: RevisionCheck[] = rest.map(({ key, revision }) => ({ key, revision }));
    const sealed = rest.map(({ key, clear, unlogged }) =>
      values.sealed(unlogged ? { key, value: clear, unlogged } : { key, value: clear }),
    );
    await writes.track(sealed, store.transact({ checks, writes: sealed }));
    return rest.length;
  } catch (error) {
    const isGone = error instanceof StoreError && (error.code === 'CheckFailed' || error.code === 'SliceRemoved');
    if (isGone) return 0;
    throw error;
  } finally {
    record.end();
  }
}
