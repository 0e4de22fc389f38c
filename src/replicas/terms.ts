import { maxTransactionChecks, type RevisionCheck, type Store, type Transaction } from '../store/store.ts';
import { isCheckFailed } from './check-failed.ts';
import type { Registration } from './registration.ts';
import { isHeld, type ReplicaRows, type TermRow, termKey } from './replica-rows.ts';
import { allTerms, preferredReplica } from './shards.ts';

export interface TermsOptions {
  /** The ID of this replica. */
  readonly id: string;
  readonly store: Pick<Store, 'transact'>;
}

/** Acquires and releases the terms of this replica. */
export class Terms {
  readonly #options: TermsOptions;

  constructor(options: TermsOptions) {
    this.#options = options;
  }

  /**
   * Takes all free terms for which this replica is preferred. Returns true if the replica has gained any term. A term
   * is free if its holder is not registered. The former holder cannot hold the term again by returning, because a
   * replica gets a new registration each time.
   */
  async acquire(registration: Registration, rows: ReplicaRows, live: ReadonlySet<string>): Promise<boolean> {
    const { id } = this.#options;
    const free = allTerms.filter((term) => {
      const stored = rows.terms.get(term);
      return (stored === undefined || !isHeld(rows, stored.row)) && preferredReplica(term, live) === id;
    });
    const row: TermRow = { holder: id, registration: registration.id };
    const gained = await this.#write(registration, rows, free, JSON.stringify(row));
    for (const term of gained) registration.held.add(term);
    return gained.length > 0;
  }

  /**
   * Adds terms that this registration holds in the store but that the process has not recorded, because the store did
   * not confirm the acquisition in time. Returns true if there are such terms.
   */
  adopt(registration: Registration, rows: ReplicaRows): boolean {
    let hasGained = false;
    for (const [term, { row }] of rows.terms) {
      if (row.registration !== registration.id || registration.held.has(term)) continue;
      registration.held.add(term);
      hasGained = true;
    }
    return hasGained;
  }

  /**
   * Gives up terms that the rows assign to another registration. This process still counts such a term as held if the
   * store's response to the release was lost and another replica has taken the term since.
   */
  dropForeign(registration: Registration, rows: ReplicaRows): void {
    for (const term of registration.held) {
      const row = rows.terms.get(term)?.row;
      if (row !== undefined && row.registration !== registration.id && isHeld(rows, row))
        registration.held.delete(term);
    }
  }

  /** Hands terms over to other replicas. The caller must ensure that no work for these terms is in progress. */
  async release(registration: Registration, rows: ReplicaRows, terms: readonly string[]): Promise<void> {
    for (const term of terms) registration.held.delete(term);
    await this.#write(registration, rows, terms, undefined);
  }

  /** Replaces the rows of terms, unless they have changed. Returns the terms whose rows were replaced. */
  async #write(
    registration: Registration,
    rows: ReplicaRows,
    terms: readonly string[],
    value: string | undefined,
  ): Promise<readonly string[]> {
    const written: string[] = [];
    // One check is reserved, because each transaction also checks that the replica is registered.
    const size = maxTransactionChecks - 1;
    for (let start = 0; start < terms.length; start += size) {
      const part = terms.slice(start, start + size);
      const checks: RevisionCheck[] = part.map((term) => ({
        key: termKey(term),
        revision: rows.terms.get(term)?.revision,
      }));
      const transaction: Transaction = {
        checks: [registration.check, ...checks],
        writes: checks.map(({ key }) => ({ key, value })),
      };
      try {
        await this.#options.store.transact(transaction);
        written.push(...part);
      } catch (error) {
        // Another replica has changed a row first. The rows are read again soon.
        if (!isCheckFailed(error)) throw error;
      }
    }
    return written;
  }
}
