import type { Revision } from '../store.ts';

/**
 * The number of store revisions per etcd revision. All writes of a transaction have the same etcd revision, and etcd
 * accepts 128 operations per transaction by default, one of which writes the head of the slice. A revision stays below
 * 2^53 for 7 * 10^13 transactions.
 */
const revisionsPerTransaction = 128;

/** The maximum number of logged writes of a transaction. */
export const maxLoggedWrites = revisionsPerTransaction - 1;

/**
 * Converts between etcd revisions and store revisions. The revision of a logged write consists of the etcd revision of
 * its transaction and the number of the write in the transaction. Numbers of logged writes start at 1. The number 0 is
 * for unlogged rows.
 */
export class RevisionMap {
  /** A number that is added to each revision, so revisions do not go back after an import of another store. */
  readonly #base: number;

  constructor(base: number) {
    this.#base = base;
  }

  revision(etcdRevision: number, index: number): Revision {
    return this.#base + etcdRevision * revisionsPerTransaction + index;
  }

  /** Returns the highest revision that a write of the transaction can have. */
  last(etcdRevision: number): Revision {
    return this.revision(etcdRevision, maxLoggedWrites);
  }

  /** Returns the etcd revision; 0 or less for revisions that the store has never assigned. */
  etcdRevision(revision: Revision): number {
    return Math.floor((revision - this.#base) / revisionsPerTransaction);
  }

  index(revision: Revision): number {
    return revision - this.revision(this.etcdRevision(revision), 0);
  }
}

/**
 * Returns the base of a new store. All revisions of the store are greater than `above`, although etcd is only at
 * `etcdRevision`.
 */
export function baseAbove(above: Revision, etcdRevision: number): number {
  return Math.max(0, above - etcdRevision * revisionsPerTransaction);
}
