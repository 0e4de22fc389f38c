import { encodeKey, type Key } from '../key.ts';
import type { Change, Revision, Transaction } from '../store.ts';
import { StoreError } from '../store-error.ts';

export interface Row {
  readonly value: string;
  readonly revision: Revision;
}

/** The state of a slice that is independent of single rows. */
export interface SliceHead {
  /** The revision of the latest logged write in the slice; 1 if there was none. */
  readonly revision: Revision;
  /** The revision up to which the history was compacted, inclusive. */
  readonly floor: Revision;
  /** The number of changes in the history of the slice. */
  readonly changes: number;
}

export const newSliceHead: SliceHead = { revision: 1, floor: 0, changes: 0 };

/** A change and its encoded key, so that the key need not be encoded again. */
export interface LoggedChange {
  readonly text: string;
  readonly change: Change;
}

/** A row that a transaction reads, identified by its encoded key `text`. */
export interface RowRead {
  readonly text: string;
}

/** A transaction whose keys are validated and encoded. */
export interface PreparedTransaction {
  readonly checks: readonly (RowRead & { readonly revision: Revision | undefined })[];
  readonly writes: readonly (RowRead & {
    readonly key: Key;
    readonly value: string | undefined;
    readonly unlogged: boolean;
  })[];
  /** True if the transaction may use reserved space (`Transaction.usesReserve`). */
  readonly usesReserve: boolean;
}

/** Validates and encodes the keys of a transaction. Throws StoreError InvalidKey. */
export function prepareTransaction({ checks = [], writes, usesReserve }: Transaction): PreparedTransaction {
  const first = checks[0]?.key;
  const firstText = first === undefined ? '' : encodeKey(first);
  // The first check is usually for the key that is written, so its encoded text can be reused.
  const textOf = (key: Key) => (key === first ? firstText : encodeKey(key));
  const prepared = {
    checks: checks.map(({ key, revision }) => ({ text: textOf(key), revision })),
    writes: writes.map(({ key, value, unlogged }) => ({ text: textOf(key), key, value, unlogged: unlogged === true })),
    usesReserve: usesReserve === true || writes.every(({ value }) => value === undefined),
  };
  if (writes.length > 1) assertLoggedOnce(prepared);
  return prepared;
}

function assertLoggedOnce({ writes }: PreparedTransaction): void {
  const logged = new Set<string>();
  for (const { text, unlogged } of writes) {
    if (unlogged) continue;
    if (logged.has(text)) throw new StoreError('InvalidKey', 'a transaction must not write a logged row twice');
    logged.add(text);
  }
}

/** The committed state on which a stage is based. It must contain every row that the staged items read. */
export interface CommittedState {
  readonly revision: Revision;
  row(text: string): Row | undefined;
  head(slice: string): SliceHead | undefined;
}

/**
 * Collects the writes of items that will be committed together. An item sees the writes of earlier items. The committed
 * state does not change until the stage is durable; then the whole stage is applied to it. If the write fails, the
 * stage is discarded.
 */
export class CommitStage {
  /** The rows to write, by encoded key. `undefined` removes the row. */
  readonly rows = new Map<string, Row | undefined>();
  /** The slice heads to write, by slice. `undefined` removes the slice. */
  readonly heads = new Map<string, SliceHead | undefined>();
  readonly logged: LoggedChange[] = [];
  readonly compacted: { readonly slice: string; readonly revisions: readonly Revision[] }[] = [];
  #revision: Revision;
  readonly #committed: CommittedState;

  constructor(committed: CommittedState) {
    this.#committed = committed;
    this.#revision = committed.revision;
  }

  get revision(): Revision {
    return this.#revision;
  }

  get empty(): boolean {
    return this.rows.size === 0 && this.heads.size === 0 && this.compacted.length === 0;
  }

  /** Adds a transaction. Throws StoreError CheckFailed, and adds nothing, if a check fails. */
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

  /** Removes the given oldest changes of a slice from its history. Later reads before revision `floor` get Expired. */
  compact(slice: string, revisions: readonly Revision[], floor: Revision): void {
    const head = this.#head(slice);
    if (head === undefined) return;
    if (revisions.length > 0) this.compacted.push({ slice, revisions });
    this.heads.set(slice, { ...head, floor: Math.max(head.floor, floor), changes: head.changes - revisions.length });
  }

  /** Removes rows without logging the changes. Used if the whole slice is removed. */
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

/** Creates a change without `undefined` members. All cases are written out, because spreading members is slower. */
function createChange(revision: Revision, key: Key, value: string | undefined, previous: Row | undefined): Change {
  if (value === undefined) return previous === undefined ? { revision, key } : { revision, key, previous };
  return previous === undefined ? { revision, key, value } : { revision, key, value, previous };
}
