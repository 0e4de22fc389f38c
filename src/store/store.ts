import type { Key, KeyRange } from './key.ts';
import type { StoreError } from './store-error.ts';

/**
 * One counter for all slices. It only grows, and no number is used twice, not even after a crash. A new store starts at
 * 1, although no write has that number; every logged write takes the next one.
 */
export type Revision = number;

/**
 * A current value and the revision of the write that set it. The store treats a value as opaque, well-formed Unicode
 * text. An unlogged row carries the store revision at the time of its write. Several versions of the row may share that
 * revision, so a check on it can only tell presence from absence.
 */
export interface Entry {
  readonly key: Key;
  readonly value: string;
  readonly revision: Revision;
}

/** One logged write, as observers and history report it. */
export interface Change {
  readonly revision: Revision;
  readonly key: Key;
  /** Absent if the key was removed. */
  readonly value?: string;
  /** The value before this change; absent if there was none. */
  readonly previous?: { readonly value: string; readonly revision: Revision };
}

/** A condition on one key. `revision: undefined` requires that the key does not exist. */
export interface Check {
  readonly key: Key;
  readonly revision: Revision | undefined;
}

/**
 * One write. `value: undefined` removes the key; if the key is absent, this has no effect and takes no revision.
 * `unlogged` is for rows derived from other rows (indexes): the write is atomic with the transaction, but has no
 * history, reaches no observer and takes no revision. All writes of a key are unlogged, or none is.
 */
export interface Write {
  readonly key: Key;
  readonly value: string | undefined;
  readonly unlogged?: boolean;
}

export interface Transaction {
  readonly checks?: readonly Check[];
  readonly writes: readonly Write[];
}

export interface ListOptions {
  /** The maximum number of entries. Optional; defaults to no limit. */
  readonly limit?: number;
  /** Returns only keys that sort after this one, which need not exist. */
  readonly after?: Key;
  /** Makes `remaining` 0 or at least 1 instead of an exact count, so that the store need not scan the whole rest. */
  readonly skipCount?: boolean;
  /** Returns the state at exactly that revision (unlogged rows: the current state). Optional; defaults to now. */
  readonly atRevision?: Revision;
}

export interface ListResult {
  readonly entries: readonly Entry[];
  /** The revision that the entries represent: `atRevision`, or the highest revision of the slice. */
  readonly revision: Revision;
  /** The number of entries of the range after the last one returned. With `skipCount`: 0, or at least 1. */
  readonly remaining: number;
}

/**
 * Receives each change once, in order of revision. The store calls it synchronously during the commit, so an observer
 * must be fast and must not throw. An observer with slow work uses a bounded queue of its own.
 */
export interface Observer {
  /** `wakes` is a hint for the store, which both sides may ignore. */
  changes(changes: readonly Change[], wakes?: WakeCount): void;
  /** No more changes follow: the store was closed, the slice was removed, or `changes` threw. */
  ended(error: StoreError): void;
}

/**
 * Counts the watch readers that observers wake for published changes. A store may use it to acknowledge many writers only
 * after their events were sent, or pass none.
 */
export interface WakeCount {
  add(readers: number): void;
}

/**
 * Revisioned keys and values. Implementations: memory (for tests) and embedded (durable, the default). All of them must
 * pass `store.suite.ts`, which specifies this interface in executable form.
 *
 * Every method rejects only with StoreError; after close() with code Closed.
 */
export interface Store {
  /** A unique ID of this installation's store, generated when the store is first opened. */
  readonly identity: string;

  get(key: Key): Promise<Entry | undefined>;

  /**
   * Returns entries in byte order of the encoded keys. Rejects with Expired or FutureRevision for such an `atRevision`.
   */
  list(range: KeyRange, options?: ListOptions): Promise<ListResult>;

  /**
   * Applies all writes if all checks hold; otherwise nothing. Resolves when the transaction is durable and every
   * observer has received its changes. Returns one revision per write, in order; `undefined` for an unlogged write or
   * one without effect.
   */
  transact(transaction: Transaction): Promise<readonly (Revision | undefined)[]>;

  /**
   * Removes every key of the range. Each removal is logged with its own revision. A large range takes several
   * transactions, so a crash may leave some keys behind. An empty prefix removes the whole slice permanently: its rows,
   * history and observers. Those observers receive `ended`, not the single removals. The name of a removed slice is
   * never reused.
   */
  removePrefix(range: KeyRange): Promise<void>;

  /**
   * The highest revision of the slice; 1 if nothing was ever written in it. When this resolves to R, every observer of
   * the slice in this process has received all changes up to R, so a cache fed by an observer is at least as fresh as
   * R.
   */
  revision(slice: string): Revision | Promise<Revision>;

  /**
   * Reports every change in the range after `since`: first from history, then live, without gaps, duplicates or
   * reordering. Rejects with Expired if history does not reach back that far. A `since` in the future is allowed;
   * changes up to it are skipped. Resolves to a function that ends the observation.
   */
  observe(range: KeyRange, since: Revision, observer: Observer): Promise<() => void>;

  /** Returns the changes of the range in (since, to], from history. Rejects with Expired as `observe` does. */
  history(range: KeyRange, since: Revision, to?: Revision): Promise<readonly Change[]>;

  /**
   * Removes the history of the slice up to and including `upTo`, but not beyond the slice's highest revision. The store
   * itself compacts periodically according to `Retention`; this method is for tests and for backups.
   */
  compact(slice: string, upTo: Revision): Promise<void>;

  /**
   * Resolves if the store accepts writes now; rejects with Unavailable if the disk is full or read-only. It writes to
   * the disk to find out, so do not call it for every request.
   */
  assertWritable(): Promise<void>;

  /** Returns a consistent snapshot of everything, for a backup. Holds no lock: writes continue meanwhile. */
  dump(): AsyncIterable<DumpRow>;

  close(): Promise<void>;
}

/** A row of a dump: first `head`, then one `slice` per slice, then all entries, unlogged ones too. No history. */
export type DumpRow =
  | { readonly row: 'head'; readonly identity: string; readonly revision: Revision }
  | { readonly row: 'slice'; readonly slice: string; readonly revision: Revision }
  | { readonly row: 'entry'; readonly key: Key; readonly value: string; readonly revision: Revision };

/** The store retains a change while it is younger than the age or among the newest `changes` of its slice. */
export interface Retention {
  readonly ageMilliseconds: number;
  readonly changes: number;
}

/** client-go expects to resume a watch after five minutes; ten thousand changes cover a burst (completions §10). */
export const defaultRetention: Retention = { ageMilliseconds: 5 * 60_000, changes: 10_000 };
