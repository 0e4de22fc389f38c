import { encodeKey, type Key } from './key.ts';
import type { Change, Revision, Transaction } from './store.ts';
import { StoreError } from './store-error.ts';

export interface Row {
  readonly value: string;
  readonly revision: Revision;
}

/** What is known of a slice as a whole. */
export interface SliceHead {
  /** Its highest revision; 1 if nothing was ever logged in it. */
  readonly revision: Revision;
  /** Changes up to and including this one are forgotten. */
  readonly floor: Revision;
  /** How many changes are kept. */
  readonly changes: number;
}

export const newSliceHead: SliceHead = { revision: 1, floor: 0, changes: 0 };

/** A change with the encoded form of its key, which everyone who handles it needs. */
export interface LoggedChange {
  readonly text: string;
  readonly change: Change;
}

/** A row that is looked at, by its encoded key. */
export interface Look {
  readonly text: string;
  /** Who asks has seen what is there (`Check.seen`): this row, or none. */
  readonly isSeen: boolean;
  readonly seen: Row | undefined;
}

/** A transaction whose keys were found valid and encoded once. */
export interface PreparedTransaction {
  readonly checks: readonly (Look & { readonly revision: Revision | undefined })[];
  readonly writes: readonly (Look & {
    readonly key: Key;
    readonly value: string | undefined;
    readonly quiet: boolean;
  })[];
}

export function prepareTransaction({ checks = [], writes }: Transaction): PreparedTransaction {
  const first = checks[0]?.key;
  const firstText = first === undefined ? '' : encodeKey(first);
  // What is written is, as a rule, what is looked at first.
  const textOf = (key: Key) => (key === first ? firstText : encodeKey(key));
  return {
    checks: checks.map(({ key, revision, seen, value }) => ({
      text: textOf(key),
      isSeen: seen === true && (revision === undefined) === (value === undefined),
      seen: revision === undefined || value === undefined ? undefined : { value, revision },
      revision,
    })),
    writes: writes.map(({ key, value, quiet }) => ({
      text: textOf(key),
      isSeen: false,
      seen: undefined,
      key,
      value,
      quiet: quiet === true,
    })),
  };
}

/** What stands before anything was staged. Every key that the staged work touches must be answered for. */
export interface Committed {
  readonly revision: Revision;
  row(text: string): Row | undefined;
  head(slice: string): SliceHead | undefined;
}

/**
 * Work on its way to being committed as one: later work sees what earlier work did. Nothing here touches what is
 * committed; the owner carries the outcome over, whole, when it is durable, or throws it away.
 */
export class Stage {
  /** Undefined: the row goes away. */
  readonly rows = new Map<string, Row | undefined>();
  /** Undefined: the slice goes away. */
  readonly heads = new Map<string, SliceHead | undefined>();
  readonly logged: LoggedChange[] = [];
  readonly forgotten: { readonly slice: string; readonly revisions: readonly Revision[] }[] = [];
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
    return this.rows.size === 0 && this.heads.size === 0 && this.forgotten.length === 0;
  }

  /** Throws CheckFailed, and then has staged nothing. */
  transact(transaction: PreparedTransaction): (Revision | undefined)[] {
    transaction.checks.forEach(({ text, revision }, index) => {
      if (this.#row(text)?.revision !== revision) {
        throw new StoreError('CheckFailed', 'the key does not stand at the revision that was expected', index);
      }
    });
    return transaction.writes.map(({ key, text, value, quiet }) => {
      const previous = this.#row(text);
      if (value === undefined && previous === undefined) return undefined;
      const revision = quiet ? this.#revision : ++this.#revision;
      this.rows.set(text, value === undefined ? undefined : { value, revision });
      if (quiet) return undefined;
      const { floor, changes } = this.#head(key.slice) ?? newSliceHead;
      this.heads.set(key.slice, { revision, floor, changes: changes + 1 });
      this.logged.push({ text, change: changeOf(revision, key, value, previous) });
      return revision;
    });
  }

  /** Drops these changes, the oldest of the slice, and with them every claim to know what was before `floor`. */
  forget(slice: string, revisions: readonly Revision[], floor: Revision): void {
    const head = this.#head(slice);
    if (head === undefined) return;
    if (revisions.length > 0) this.forgotten.push({ slice, revisions });
    this.heads.set(slice, { ...head, floor: Math.max(head.floor, floor), changes: head.changes - revisions.length });
  }

  /** Takes rows away without a trace: for a slice that goes away as a whole. */
  erase(texts: readonly string[]): void {
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

/** Each with the members that it has, and no copy on the way to them. */
function changeOf(revision: Revision, key: Key, value: string | undefined, previous: Row | undefined): Change {
  if (value === undefined) return previous === undefined ? { revision, key } : { revision, key, previous };
  return previous === undefined ? { revision, key, value } : { revision, key, value, previous };
}
