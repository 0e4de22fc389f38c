import type { Key, KeyRange } from './key.ts';
import type { StoreError } from './store-error.ts';

/**
 * The number of a logged write. A later write in a slice has a greater number, and no number is used twice, even after
 * a crash. Numbers may be skipped. A slice without writes is at revision 1, and every logged write has a greater
 * revision. The numbers of different slices must not be compared, because a store may count them separately.
 */
export type Revision = number;

/**
 * A row: a key, its current value, and the revision of the write that set it. Values are well-formed Unicode text that
 * the store does not interpret. An unlogged write gets no revision of its own, so its row gets a number near the
 * current revision of the store. Several versions of such a row may have the same revision, so a check of this row can
 * only detect whether it exists.
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
 * either only logged or only unlogged writes. A transaction must not contain two logged writes of one key.
 */
export interface Write {
  readonly key: Key;
  readonly value: string | undefined;
  readonly unlogged?: boolean;
}

/**
 * The numbers of writes and checks that every store accepts in a transaction, and the number of additional checks that
 * it accepts for unlogged rows. The transaction must also write the rows of these additional checks. A larger
 * transaction may be rejected with TooLarge.
 */
export const [maxTransactionWrites, maxTransactionChecks, maxUnloggedChecks] = [40, 10, 30] as const;

export interface Transaction {
  readonly checks?: readonly RevisionCheck[];
  readonly writes: readonly Write[];
  /**
   * True if the transaction is part of a removal, or the server cannot start without the transaction. The transaction
   * may then use space that the embedded store reserves on a full disk. A transaction that only removes keys may always
   * use this space.
   */
  readonly usesReserve?: boolean;
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

export interface HistoryOptions {
  /** The last revision to return. Optional; defaults to the highest revision of the slice. */
  readonly to?: Revision;
  /**
   * The maximum size of the result in characters, approximately: the lengths of keys, values and previous values. At least
   * one change is returned if there is one. Optional; defaults to no limit.
   */
  readonly characters?: number;
}

/** A part of the history of a range: all changes after the requested revision, up to and including `upTo`. */
export interface HistoryChunk {
  readonly changes: readonly Change[];
  readonly upTo: Revision;
}

/**
 * Receives each change of a range once, in the order of revisions. The store calls the observer synchronously during
 * the commit, so the observer must be fast and must not throw. An observer with slow work needs a bounded queue of its
 * own.
 */
export interface Observer {
  /** Called with new changes. If the observer wakes watches, it may add the number of these watches to `wakes`. */
  changes(changes: readonly Change[], wakes?: WatchWakeCounter): void;
  /**
   * Called after the last change: the store was closed (Closed), the slice was removed (SliceRemoved), or `changes`
   * threw an exception (Closed). The code is Expired if changes were compacted before they could be delivered. The observer must list the range again then.
   */
  ended(error: StoreError): void;
}

/**
 * Counts the watches that observers wake for a change. The embedded store uses this count to acknowledge the writers of
 * a large batch only after the events were sent. Other stores pass no counter.
 */
export interface WatchWakeCounter {
  add(readers: number): void;
}

/** The sizes that a store accepts. */
export interface StoreLimits {
  /**
   * The maximum size of a value, in bytes of UTF-8. The store may reject a longer value with TooLarge. Infinity if the
   * store has no limit.
   */
  readonly valueBytes: number;
}

/** The limits of stores that accept values of any size. */
export const noStoreLimits: StoreLimits = { valueBytes: Number.POSITIVE_INFINITY };

/**
 * A store of keys and values with revisions. There are three implementations: memory, for tests; embedded, which is
 * durable; and etcd, which several processes can share. All must pass `store.suite.ts`, which specifies the behavior of
 * this interface.
 *
 * Methods reject only with StoreError, and after `close` with the code Closed.
 */
export interface Store {
  /** The unique ID of this store. It is generated when a new store is opened, and a backup keeps it. */
  readonly identity: string;

  /**
   * True if other processes may write to the store. A cache of its rows may then be older than the store, until
   * `revision` was awaited.
   */
  readonly isShared: boolean;

  readonly limits: StoreLimits;

  get(key: Key): Promise<Entry | undefined>;

  /**
   * Returns entries in the byte order of their encoded keys. Rejects with Expired or FutureRevision if the state at
   * `atRevision` is not available.
   */
  list(range: KeyRange, options?: ListOptions): Promise<ListResult>;

  /**
   * Applies all writes if all checks succeed, otherwise none. Resolves after the transaction is durable and every
   * observer in this process has received its changes. Transactions of this process are applied in the order of the
   * calls if one of them writes a key that the other one checks or writes. Returns the revision of each write, in order. The revision is `undefined` for an
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
   * Returns the highest revision of the slice; 1 if nothing was ever written to the slice. Every observer of the slice
   * in this process has received all changes up to this revision, so a cache that an observer updates contains all of
   * these changes.
   */
  revision(slice: string): Revision | Promise<Revision>;

  /**
   * Delivers every change in the range after revision `since` to the observer: first changes from history, then new
   * ones, without gaps, duplicates or reordering. Rejects with Expired if the history was compacted. If `since` is in
   * the future, changes up to that revision are skipped. Resolves to a function that ends the observation.
   */
  observe(range: KeyRange, since: Revision, observer: Observer): Promise<() => void>;

  /**
   * Returns the changes of the range after `since`, in the order of revisions. The result is complete if its `upTo` is at
   * least `to`; otherwise the next call continues after its `upTo`. Rejects with Expired if the history was compacted.
   */
  history(range: KeyRange, since: Revision, options?: HistoryOptions): Promise<HistoryChunk>;

  /**
   * Removes the history of the slice up to and including `upTo`, or up to its highest revision if that is lower. The
   * store compacts its history periodically according to `HistoryRetention`; this method is for tests and backups.
   */
  compact(slice: string, upTo: Revision): Promise<void>;

  /**
   * Resolves if the store accepts writes. Rejects with OutOfSpace if the disk or the quota of etcd is full, and with
   * Unavailable if the disk is read-only or etcd cannot be reached. This method writes to the disk, so it must not be
   * called for every request.
   */
  assertWritable(): Promise<void>;

  /** Returns a consistent snapshot of all rows, for a backup. Writes can continue during the dump. */
  dump(): AsyncIterable<DumpRow>;

  close(): Promise<void>;
}

/** The properties of a store that are plain data. They do not change while the store is open. */
export type StoreProperties = Pick<Store, 'identity' | 'isShared' | 'limits'>;

export function propertiesOf({ identity, isShared, limits }: Store): StoreProperties {
  return { identity, isShared, limits };
}

/**
 * A row of a dump. The dump contains one `head`, then one `slice` per slice, then all entries in the order of their keys,
 * including unlogged ones. It does not contain history.
 */
export type DumpRow =
  | {
      readonly row: 'head';
      readonly identity: string;
      readonly revision: Revision;
      /** The time at which a backup was made. */
      readonly time?: string;
      /** Encrypted keys that a backup contains. The store does not interpret the text. */
      readonly sealedKeys?: string;
      /** The version of the program that made a backup. */
      readonly program?: string;
      /** True if each row of a backup has a checksum of its own. */
      readonly lineChecksums?: boolean;
    }
  | { readonly row: 'slice'; readonly slice: string; readonly revision: Revision }
  | DumpEntry;

export interface DumpEntry extends Entry {
  readonly row: 'entry';
  /** Present if the row is unlogged. Set by the store on etcd only; the other stores do not distinguish such rows. */
  readonly unlogged?: true;
}

/**
 * A change is kept in the history if it is younger than `ageMilliseconds`, or if it is among the newest `changes`
 * changes of its slice. The history of etcd has no slices, so the store on etcd keeps changes only by age.
 */
export interface HistoryRetention {
  readonly ageMilliseconds: number;
  readonly changes: number;
}

/**
 * Clients of client-go resume watches after up to five minutes. The number of changes covers a burst (completions §10).
 */
export const defaultHistoryRetention: HistoryRetention = { ageMilliseconds: 5 * 60_000, changes: 10_000 };
