import type { Key, KeyRange } from './key.ts';
import type { StoreError } from './store-error.ts';

/**
 * The number of a logged write. One counter serves all slices. It only increases, and no number is used twice, even
 * after a crash. A new store is at revision 1, and its first logged write gets revision 2.
 */
export type Revision = number;

/**
 * A row: a key, its current value, and the revision of the write that set it. Values are well-formed Unicode text that
 * the store does not interpret. An unlogged write has no revision of its own, so its row gets the current revision of
 * the store. Several versions of such a row may have the same revision, so a check of this row can only tell whether it
 * exists.
 */
export interface Entry {
  readonly key: Key;
  readonly value: string;
  readonly revision: Revision;
}

/** A logged write, as it is delivered to observers and stored in the history. */
export interface Change {
  readonly revision: Revision;
  readonly key: Key;
  /** The new value. Absent if the write removed the key. */
  readonly value?: string;
  /** The value before this change and its revision. Absent if the key did not exist. */
  readonly previous?: { readonly value: string; readonly revision: Revision };
}

/** A condition of a transaction: the key must be at this revision. `undefined` means that the key must not exist. */
export interface RevisionCheck {
  readonly key: Key;
  readonly revision: Revision | undefined;
}

/**
 * A write of one key. If `value` is `undefined`, the key is removed; removing an absent key has no effect and gets no
 * revision. `unlogged` is for rows that are derived from other rows, such as indexes. An unlogged write is part of the
 * transaction, but it gets no revision, is not in the history, and is not delivered to observers. A key must have
 * either only logged or only unlogged writes.
 */
export interface Write {
  readonly key: Key;
  readonly value: string | undefined;
  readonly unlogged?: boolean;
}

export interface Transaction {
  readonly checks?: readonly RevisionCheck[];
  readonly writes: readonly Write[];
}

export interface ListOptions {
  /** The maximum number of entries. Optional; defaults to no limit. */
  readonly limit?: number;
  /** Returns only entries whose keys sort after this key, which need not exist. */
  readonly after?: Key;
  /**
   * If true, `remaining` is not exact: any number above 0 means that there are more entries. Saves a scan of the range.
   */
  readonly skipCount?: boolean;
  /**
   * Returns the state at exactly this revision. Unlogged rows are always returned in their current state. Optional;
   * defaults to the current state.
   */
  readonly atRevision?: Revision;
}

export interface ListResult {
  readonly entries: readonly Entry[];
  /** The revision of the returned state: `atRevision` if it was given, otherwise the highest revision of the slice. */
  readonly revision: Revision;
  /** The number of entries of the range after the last returned entry. Not exact if `skipCount` is true. */
  readonly remaining: number;
}

/**
 * Receives each change of a range once, in the order of revisions. The store calls it synchronously during the commit,
 * so it must be fast and must not throw. An observer with slow work needs a bounded queue of its own.
 */
export interface Observer {
  /** Called with new changes. If the observer wakes watches, it may add their number to `wakes`. */
  changes(changes: readonly Change[], wakes?: WatchWakeCounter): void;
  /** Called after the last change: the store was closed, the slice was removed, or `changes` threw an exception. */
  ended(error: StoreError): void;
}

/**
 * Counts the watches that observers wake for a change. The embedded store uses it to acknowledge the writers of a large
 * batch only after the events were sent. Other stores do not pass it.
 */
export interface WatchWakeCounter {
  add(readers: number): void;
}

/**
 * A store of keys and values with revisions. There are two implementations: memory, for tests, and embedded, which is
 * durable. Both must pass `store.suite.ts`, which specifies the behavior of this interface.
 *
 * Methods reject only with StoreError, and after `close` with the code Closed.
 */
export interface Store {
  /** The unique ID of this store. It is generated when a new store is opened, and a backup keeps it. */
  readonly identity: string;

  get(key: Key): Promise<Entry | undefined>;

  /**
   * Returns entries in the byte order of their encoded keys. Rejects with Expired or FutureRevision if the state at
   * `atRevision` is not available.
   */
  list(range: KeyRange, options?: ListOptions): Promise<ListResult>;

  /**
   * Applies all writes if all checks succeed, otherwise none. Resolves after the transaction is durable and every
   * observer has received its changes. Returns the revision of each write, in order. The revision is `undefined` for an
   * unlogged write and for a write without effect.
   */
  transact(transaction: Transaction): Promise<readonly (Revision | undefined)[]>;

  /**
   * Removes all keys of the range. Each removal is a logged write with its own revision. A large range takes several
   * transactions, so some keys may remain after a crash. An empty prefix removes the whole slice permanently: its rows,
   * its history and its observers, which receive `ended` instead of the removals. The name of a removed slice must not
   * be used again.
   */
  removePrefix(range: KeyRange): Promise<void>;

  /**
   * Returns the highest revision of the slice; 1 if nothing was ever written to it. Every observer of the slice in this
   * process has received all changes up to this revision, so a cache that an observer updates is complete up to it.
   */
  revision(slice: string): Revision | Promise<Revision>;

  /**
   * Delivers every change in the range after revision `since` to the observer: first changes from history, then new
   * ones, without gaps, duplicates or reordering. Rejects with Expired if the history was compacted. If `since` is in
   * the future, changes up to that revision are skipped. Resolves to a function that ends the observation.
   */
  observe(range: KeyRange, since: Revision, observer: Observer): Promise<() => void>;

  /** Returns the changes of the range after `since`, up to and including `to`. Rejects with Expired if compacted. */
  history(range: KeyRange, since: Revision, to?: Revision): Promise<readonly Change[]>;

  /**
   * Removes the history of the slice up to and including `upTo`, or up to its highest revision if that is lower. The
   * store compacts its history periodically according to `HistoryRetention`; this method is for tests and backups.
   */
  compact(slice: string, upTo: Revision): Promise<void>;

  /**
   * Resolves if the store accepts writes. Rejects with Unavailable if the disk is full or read-only. It writes to the
   * disk, so do not call it for every request.
   */
  assertWritable(): Promise<void>;

  /** Returns a consistent snapshot of all rows, for a backup. Writes can continue meanwhile. */
  dump(): AsyncIterable<DumpRow>;

  close(): Promise<void>;
}

/**
 * A row of a dump. The dump contains one `head`, then one `slice` per slice, then all entries, including unlogged ones.
 * It does not contain history.
 */
export type DumpRow =
  | { readonly row: 'head'; readonly identity: string; readonly revision: Revision }
  | { readonly row: 'slice'; readonly slice: string; readonly revision: Revision }
  | { readonly row: 'entry'; readonly key: Key; readonly value: string; readonly revision: Revision };

/**
 * A change is kept in the history if it is younger than `ageMilliseconds`, or if it is among the newest changes of its
 * slice. `changes` is the number of these.
 */
export interface HistoryRetention {
  readonly ageMilliseconds: number;
  readonly changes: number;
}

/**
 * Clients of client-go resume watches after up to five minutes. The number of changes covers a burst (completions §10).
 */
export const defaultHistoryRetention: HistoryRetention = { ageMilliseconds: 5 * 60_000, changes: 10_000 };
