import { encodeSlice } from '../key.ts';
import { StoreError } from '../store-error.ts';

/** A half-open interval of etcd keys. */
export interface EtcdRange {
  readonly key: string;
  readonly rangeEnd: string;
}

/** The meaning of an etcd key below `watched`. */
export type WatchedKey =
  | { readonly kind: 'row'; readonly text: string }
  | { readonly kind: 'head'; readonly slice: string }
  | { readonly kind: 'removedSlice'; readonly slice: string }
  | { readonly kind: 'compaction' }
  | { readonly kind: 'other' };

/**
 * The etcd keys of a store. All of them start with the prefix and a colon. A prefix contains no colon, so the keys of
 * two stores are never mixed, even if one prefix is the beginning of the other one.
 */
export class KeySpace {
  readonly prefix: string;
  /** All keys of the store. */
  readonly all: EtcdRange;
  readonly installation: string;
  /** The key that `assertWritable` writes. */
  readonly probe: string;
  /** The etcd revision up to which a replica has compacted etcd. */
  readonly compaction: string;
  /** The range that every store watches: all logged writes and the events that all replicas must receive. */
  readonly watched: EtcdRange;
  readonly #rows: string;
  readonly #unlogged: string;
  readonly #floors: string;
  readonly #removed: string;
  readonly #cancelled: string;

  constructor(prefix: string) {
    assertValidPrefix(prefix);
    this.prefix = prefix;
    this.all = { key: `${prefix}:`, rangeEnd: `${prefix};` };
    this.installation = `${prefix}:installation`;
    this.probe = `${prefix}:probe`;
    this.watched = { key: `${prefix}:w/`, rangeEnd: `${prefix}:w0` };
    this.compaction = `${prefix}:w/compaction`;
    this.#rows = `${prefix}:w/row/`;
    this.#removed = `${prefix}:w/removed/`;
    this.#cancelled = `${prefix}:w/cancelled/`;
    this.#unlogged = `${prefix}:unlogged/`;
    this.#floors = `${prefix}:floor/`;
  }

  /** All logged rows and heads, in the byte order of encoded keys. */
  get rows(): EtcdRange {
    return { key: this.#rows, rangeEnd: endOf(this.#rows) };
  }

  get unloggedRows(): EtcdRange {
    return { key: this.#unlogged, rangeEnd: endOf(this.#unlogged) };
  }

  row(text: string): string {
    return this.#rows + text;
  }

  unlogged(text: string): string {
    return this.#unlogged + text;
  }

  /**
   * The head of a slice: a row that every transaction with logged writes in the slice replaces. The encoded key of a
   * row has at least one segment, so the name of the slice alone cannot be the key of a row. The head sorts before all
   * rows of the slice.
   */
  head(slice: string): string {
    return this.#rows + encodeSlice(slice);
  }

  /** The head and all logged rows of a slice. */
  slice(slice: string): EtcdRange {
    const key = this.head(slice);
    return { key, rangeEnd: `${key.slice(0, -1)}\u0001` };
  }

  unloggedSlice(slice: string): EtcdRange {
    const key = this.#unlogged + encodeSlice(slice);
    return { key, rangeEnd: `${key.slice(0, -1)}\u0001` };
  }

  /** The revision up to which `compact` has removed the history of the slice. */
  floor(slice: string): string {
    return this.#floors + encodeSlice(slice);
  }

  /** A key that exists if the slice was removed. No transaction can write to the slice then. */
  removedSlice(slice: string): string {
    return this.#removed + encodeSlice(slice);
  }

  /** A key that exists if the transaction with this ID must no longer be applied. */
  cancelled(transaction: string): string {
    return this.#cancelled + transaction;
  }

  textOfRow(key: string): string {
    return key.slice(this.#rows.length);
  }

  textOfUnlogged(key: string): string {
    return key.slice(this.#unlogged.length);
  }

  parseWatched(key: string): WatchedKey {
    if (key.startsWith(this.#rows)) {
      const text = key.slice(this.#rows.length);
      const isHead = text.indexOf('\u0000') === text.length - 1;
      return isHead ? { kind: 'head', slice: text.slice(0, -1) } : { kind: 'row', text };
    }
    if (key.startsWith(this.#removed)) return { kind: 'removedSlice', slice: key.slice(this.#removed.length, -1) };
    return { kind: key === this.compaction ? 'compaction' : 'other' };
  }
}

/** Returns the end of the range of all keys that start with `start`, a text that ends with a slash. */
function endOf(start: string): string {
  return `${start.slice(0, -1)}0`;
}

/** Throws StoreError CannotOpen if a prefix is invalid. */
export function assertValidPrefix(prefix: string): void {
  if (/^[A-Za-z0-9._/-]{1,200}$/.test(prefix)) return;
  const rule = 'it must have 1 to 200 letters, digits, and characters of "._/-"';
  throw new StoreError('CannotOpen', `the etcd prefix ${JSON.stringify(prefix)} is invalid: ${rule}`);
}
