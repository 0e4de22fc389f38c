import type { Key, KeyRange } from './key.ts';
import type { StoreError } from './store-error.ts';

/**
 * One global counter over all slices: strictly growing, never reused, never going back, also across crashes.
 * Starts at 1 in a new store (nothing was written at 1); every logged write takes the next number.
 */
export type Revision = number;

/**
 * A value as it stands, and the revision of the write that put it there. The store never looks inside a value; it is
 * well-formed Unicode text. A quiet row carries the revision the store had reached when it was written, which several
 * versions of it may share: a check on it tells presence from absence, and little more.
 */
export interface Entry {
  readonly key: Key;
  readonly value: string;
  readonly revision: Revision;
}

/** One logged write, as watchers and history see it. */
export interface Change {
  readonly revision: Revision;
  readonly key: Key;
  /** Absent: the key was removed. */
  readonly value?: string;
  /** What stood there before; absent: nothing did. */
  readonly previous?: { readonly value: string; readonly revision: Revision };
}

/** `revision` undefined: the key must be absent. */
export interface Check {
  readonly key: Key;
  readonly revision: Revision | undefined;
  /**
   * Who asks observes the key, which is never written quietly, and by all that it was handed until this very moment the
   * key stands like that, with this value: the store looks only at what that observer cannot have been handed yet. It
   * takes the value for what was there before.
   */
  readonly seen?: boolean;
  readonly value?: string | undefined;
}

/**
 * `value` undefined removes the key (no effect, and no revision taken, if it is absent). `quiet` writes are for rows
 * derived from others (indexes): they are atomic with the rest but leave no history, reach no watcher, and take no
 * revision of their own. A key is always written quietly or never.
 */
export interface Write {
  readonly key: Key;
  readonly value: string | undefined;
  readonly quiet?: boolean;
}

export interface Transaction {
  readonly checks?: readonly Check[];
  readonly writes: readonly Write[];
}

export interface ListOptions {
  /** At most this many entries; absent: all. */
  readonly limit?: number;
  /** Only what sorts after this key (which need not exist). */
  readonly after?: Key;
  /** What follows is not counted: `remaining` only tells whether there is any. Spares a walk over all of it. */
  readonly uncounted?: boolean;
  /** The state exactly as it was at that revision (quiet rows: as they are now). Absent: now. */
  readonly atRevision?: Revision;
}

export interface ListResult {
  readonly entries: readonly Entry[];
  /** The revision at which this is the whole truth: `atRevision`, or the slice's highest. */
  readonly revision: Revision;
  /** How many entries of the range follow the last one given; `uncounted`: at least one, or none. */
  readonly remaining: number;
}

/**
 * Called in order of revision, each change once, synchronously where a change is committed: an observer must be
 * quick and must not throw. One that has slow work to do puts it into a bounded queue of its own.
 */
export interface Observer {
  changes(changes: readonly Change[]): void;
  /** Nothing more will come: the store was closed, the slice was removed, or `changes` threw. */
  ended(error: StoreError): void;
}

/**
 * Revisioned keys and values. Implementations: memory (for tests), embedded (the default, durable). All of them
 * pass `store.suite.ts`, which is the law; this is its text.
 *
 * Every method rejects with StoreError and nothing else; after close() with code Closed.
 */
export interface Store {
  /** Unique to this installation's store; made when it was first opened. */
  readonly identity: string;

  get(key: Key): Promise<Entry | undefined>;

  /** In order of the encoded keys, as bytes. Expired or FutureRevision if `atRevision` cannot be told. */
  list(range: KeyRange, options?: ListOptions): Promise<ListResult>;

  /**
   * All checks hold and all writes are done, or nothing is. Resolves when it is durable and every observer has been
   * handed its changes. The revisions are given in the order of the writes; a quiet or ineffective one has undefined.
   */
  transact(transaction: Transaction): Promise<readonly (Revision | undefined)[]>;

  /**
   * Removes every key of the range, logged as removals, each with a revision of its own; many keys take several
   * steps, so after a crash some may be left. An empty prefix removes the slice for good: its rows, its history and
   * its observers, which are told the end and not the single removals. The name of a removed slice is not used again.
   */
  removePrefix(range: KeyRange): Promise<void>;

  /**
   * The highest revision of the slice (1 if nothing was ever written in it). When it resolves to R, every observer of
   * the slice in this process has been handed everything up to R, so a cache that observes is as fresh as R.
   */
  revision(slice: string): Revision | Promise<Revision>;

  /**
   * Every change in the range after `since`: first from history, then as they come, none left out, none twice, none
   * out of order. Rejects with Expired if history does not reach back that far. `since` in the future is accepted:
   * what comes up to it is left out. Resolves to a function that ends it.
   */
  observe(range: KeyRange, since: Revision, observer: Observer): Promise<() => void>;

  /** Changes of the range in (since, to], from history; Expired like observe. */
  history(range: KeyRange, since: Revision, to?: Revision): Promise<readonly Change[]>;

  /**
   * Forgets history of the slice up to and including `upTo` (never beyond its highest revision). What `retention`
   * asks to be kept is compacted by the store itself from time to time; this is for tests and for backups.
   */
  compact(slice: string, upTo: Revision): Promise<void>;

  /**
   * Resolves if a write would be taken at this moment; rejects with Unavailable where the disk is full or takes none.
   * Finds out by trying, so it is not for every request.
   */
  assertWritable(): Promise<void>;

  /** Everything as of one moment: for a backup. Holds no lock; writes go on meanwhile. */
  dump(): AsyncIterable<DumpRow>;

  close(): Promise<void>;
}

/** A row of a dump. `head` comes first, then one `slice` per slice, then entries (quiet ones too); no history. */
export type DumpRow =
  | { readonly row: 'head'; readonly identity: string; readonly revision: Revision }
  | { readonly row: 'slice'; readonly slice: string; readonly revision: Revision }
  | { readonly row: 'entry'; readonly key: Key; readonly value: string; readonly revision: Revision };

/** A change is kept as long as it is younger than `age` or among the newest `changes` of its slice. */
export interface Retention {
  readonly ageMilliseconds: number;
  readonly changes: number;
}

/** Five minutes is what client-go expects to resume a watch; ten thousand covers a burst (completions §10). */
export const defaultRetention: Retention = { ageMilliseconds: 5 * 60_000, changes: 10_000 };
