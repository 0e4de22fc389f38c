import { encodeKey, type Key } from '../key.ts';
import type { Change, Revision, Transaction } from '../store.ts';
import { StoreError } from '../store-error.ts';

export interface Row {
  readonly value: string;
  readonly revision: Revision;
}

/** The state of a slice as a whole. */
export interface SliceHead {
  /** The highest revision; 1 if nothing was ever logged in the slice. */
  readonly revision: Revision;
  /** Changes up to and including this revision were compacted. */
  readonly floor: Revision;
  /** The number of changes in the history. */
  readonly changes: number;
}

export const newSliceHead: SliceHead = { revision: 1, floor: 0, changes: 0 };

/** A change with the encoded form of its key, which all consumers need. */
export interface LoggedChange {
  readonly text: string;
  readonly change: Change;
}

/** A read of one row, by its encoded key. */
export interface RowRead {
  readonly text: string;
}

/** A transaction with validated keys, each encoded once. */
export interface PreparedTransaction {
  readonly checks: readonly (RowRead & { readonly revision: Revision | undefined })[];
  readonly writes: readonly (RowRead & {
    readonly key: Key;
    readonly value: string | undefined;
    readonly unlogged: boolean;
  })[];
}

export function prepareTransaction({ checks = [], writes }: Transaction): PreparedTransaction {
  const first = checks[0]?.key;
  const firstText = first === undefined ? '' : encodeKey(first);
  // The first check is usually on the key that is written.
  const textOf = (key: Key) => (key === first ? firstText : encodeKey(key));
  return {
    checks: checks.map(({ key, revision }) => ({ text: textOf(key), revision })),
    writes: writes.map(({ key, value, unlogged }) => ({ text: textOf(key), key, value, unlogged: unlogged === true })),
  };
}

/** The committed state below a stage. Must have the row of every key that the staged items read. */
export interface Committed {
  readonly revision: Revision;
  row(text: string): Row | undefined;
  head(slice: string): SliceHead | undefined;
}

/**
 * A set of items to be committed together. Later items see the effects of earlier ones. The stage does not modify the
 * committed state; its owner applies the stage as a whole once it is durable, or discards it.
 */
export class Stage {
  /** Staged rows by encoded key; `undefined` removes the row. */
  readonly rows = new Map<string, Row | undefined>();
  /** Staged slice heads; `undefined` removes the slice. */
  readonly heads = new Map<string, SliceHead | undefined>();
  readonly logged: LoggedChange[] = [];
  readonly compacted: { readonly slice: string; readonly revisions: readonly Revision[] }[] = [];
  #revision: Revision;
  readonly #committed: Committed;

  constructor(committed: Committed) {
    this.#committed = committed;
    this.#revision = committed.revision;
  }

  get revision(): Revision {
    return this.#revision;
  }

  get empty(): boolean {
    return this.rows.size === 0 && this.heads.size === 0 && this.compacted.length === 0;
  }

  /** Throws CheckFailed, without having staged anything. */
  transact(transaction: PreparedTransaction): (Revision | undefined)[] {
    transaction.checks.forEach(({ text, revision }, index) => {
      if (this.#row(text)?.revision !== revision) {
        throw new StoreError('CheckFailed', 'the key is not at the expected revision', index);
      }
    });
    return transaction.writes.map(({ key, text, value, unlogged }) => {
      const previous = this.#row(text);
      if (value === undefined && previous === undefined) return undefined;
      const revision = unlogged ? this.#revision : ++this.#revision;
      this.rows.set(text, value === undefined ? undefined : { value, revision });
      if (unlogged) return undefined;
      const { floor, changes } = this.#head(key.slice) ?? newSliceHead;
      this.heads.set(key.slice, { revision, floor, changes: changes + 1 });
      this.logged.push({ text, change: createChange(revision, key, value, previous) });
      return revision;
    });
  }

  /** Compacts these changes, the oldest of the slice; history before `floor` is no longer available. */
  compact(slice: string, revisions: readonly Revision[], floor: Revision): void {
    const head = this.#head(slice);
    if (head === undefined) return;
    if (revisions.length > 0) this.compacted.push({ slice, revisions });
    this.heads.set(slice, { ...head, floor: Math.max(head.floor, floor), changes: head.changes - revisions.length });
  }

  /** Removes rows without logging: for a slice that is removed as a whole. */
  eraseRows(texts: readonly string[]): void {
    for (const text of texts) this.rows.set(text, undefined);
  }

  dropSlice(slice: string): void {
    this.heads.set(slice, undefined);
  }

  #row(text: string): Row | undefined {
    return this.rows.has(text) ? this.rows.get(text) : this.#committed.row(text);
  }

  #head(slice: string): SliceHead | undefined {
    return this.heads.has(slice) ? this.heads.get(slice) : this.#committed.head(slice);
  }
}

/** Builds the object with only its present members, without an intermediate copy. */
function createChange(revision: Revision, key: Key, value: string | undefined, previous: Row | undefined): Change {
  if (value === undefined) return previous === undefined ? { revision, key } : { revision, key, previous };
  return previous === undefined ? { revision, key, value } : { revision, key, value, previous };
}
