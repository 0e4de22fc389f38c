import { type JsonValue, numberAt } from '@flotilla/json';
import {
  type LoginAttempt,
  type LoginBackoffPolicy,
  perAccount,
  perPair,
  resetAfterMs,
  sourceNetworkOf,
  waitAfterFailures,
} from '../../auth/login-backoff.ts';
import type { AdmittedSharedLogin, SharedLoginBackoff } from '../../auth/password-login.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { withStatusErrors } from '../../registry/store-status.ts';
import type { Sealer } from '../../seal/sealer.ts';
import type { Key } from '../../store/key.ts';
import { maxTransactionChecks, type Revision, type Store, type Write } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';

export interface StoredLoginBackoffOptions {
  readonly store: Pick<Store, 'get' | 'list' | 'transact'>;
  readonly sealer: Pick<Sealer, 'hash'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Counts the failed attempts at one account, or at one account from one source. Times are in milliseconds since the
 * epoch.
 */
interface FailureRow {
  readonly key: Key;
  readonly revision: Revision | undefined;
  readonly count: number;
  readonly last: number;
  readonly blockedUntil: number;
}

interface CountedRow {
  readonly key: Key;
  readonly policy: LoginBackoffPolicy;
}

/** The slice with the failed logins. Its rows are unlogged. */
export const loginsSlice = 'logins';
/** Maximum number of attempts to write a failure while other requests write failures of the same account. */
const maxAttempts = 20;
const busyMs = 1_000;
const removalIntervalMs = 10 * 60_000;
const rowsPerList = 500;

/**
 * Counts failed logins in the store, so that an attacker gains nothing by sending guesses to several replicas. The rows
 * contain only keyed hashes of names and addresses. The rows are unlogged, because they have no observers.
 */
export class StoredLoginBackoff implements SharedLoginBackoff {
  readonly #options: StoredLoginBackoffOptions;
  #cancelRemoval: () => void;

  constructor(options: StoredLoginBackoffOptions) {
    this.#options = options;
    this.#cancelRemoval = options.clock.after(removalIntervalMs, () => void this.#removeRegularly());
  }

  close(): void {
    this.#cancelRemoval();
  }

  async admit({ account, source }: LoginAttempt, isKnownPair: boolean): Promise<number | AdmittedSharedLogin> {
    const pair = { key: this.#key('pairs', `${sourceNetworkOf(source)} ${account}`), policy: perPair };
    const counted: CountedRow[] = [pair];
    if (!isKnownPair) counted.push({ key: this.#key('accounts', account), policy: perAccount });
    const before = await withStatusErrors(this.#count(counted));
    if (typeof before === 'number') return before;
    return {
      abandon: () => withStatusErrors(this.#revert(before)),
      succeed: async () => {
        const others = before.filter(({ key }) => key !== pair.key);
        await withStatusErrors(this.#options.store.transact({ writes: [removalOf(pair.key)] }));
        await withStatusErrors(this.#revert(others));
      },
    };
  }

  /**
   * Counts a failure in all rows. Returns the rows from before the count. If a row blocks the attempt, counts nothing
   * and returns the remaining wait in milliseconds.
   */
  async #count(counted: readonly CountedRow[]): Promise<number | readonly FailureRow[]> {
    const { clock } = this.#options;
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const rows = await Promise.all(counted.map(({ key }) => this.#read(key)));
      const now = clock.now();
      const wait = Math.max(...rows.map(({ blockedUntil }) => blockedUntil - now));
      if (wait > 0) return wait;
      const writes = rows.map((row, index) => {
        const count = row.count + 1;
        const policy = counted[index]?.policy ?? perPair;
        return writeOf({ ...row, count, last: now, blockedUntil: now + waitAfterFailures(policy, count) });
      });
      if (await this.#write(rows, writes)) return rows;
    }
    return busyMs;
  }

  /** Removes the failure that was counted in each row. `before` contains the rows from before that count. */
  async #revert(before: readonly FailureRow[]): Promise<void> {
    for (const { key, count: countBefore, blockedUntil: blockedBefore } of before) {
      for (let attempt = 1; attempt <= maxAttempts; attempt++) {
        const row = await this.#read(key);
        const count = row.count - 1;
        const blockedUntil = count === countBefore ? blockedBefore : row.blockedUntil;
        const write = count <= 0 ? removalOf(key) : writeOf({ ...row, count, blockedUntil });
        if (await this.#write([row], [write])) break;
      }
    }
  }

  /** Writes rows. Returns false if one of the rows was changed since it was read. */
  async #write(rows: readonly FailureRow[], writes: readonly Write[]): Promise<boolean> {
    try {
      const checks = rows.map(({ key, revision }) => ({ key, revision }));
      await this.#options.store.transact({ checks, writes });
      return true;
    } catch (error) {
      if (error instanceof StoreError && error.code === 'CheckFailed') return false;
      throw error;
    }
  }

  async #read(key: Key): Promise<FailureRow> {
    const entry = await this.#options.store.get(key);
    const row = rowOf(key, entry?.value, entry?.revision);
    const isOutdated = this.#options.clock.now() - row.last > resetAfterMs;
    return isOutdated ? { ...row, count: 0, blockedUntil: 0 } : row;
  }

  async #removeRegularly(): Promise<void> {
    try {
      await this.#removeOutdated();
    } catch (error) {
      this.#options.log.warn({ error: String(error) }, 'cannot remove the records of old failed logins');
    }
    this.#cancelRemoval = this.#options.clock.after(removalIntervalMs, () => void this.#removeRegularly());
  }

  /** Removes rows without a recent attempt. All replicas do this. A row that changes in the meantime is kept. */
  async #removeOutdated(): Promise<void> {
    const { store, clock } = this.#options;
    const range = { slice: loginsSlice, prefix: ['failures'] };
    let after: Key | undefined;
    do {
      const page: { limit: number; skipCount: boolean; after?: Key } = { limit: rowsPerList, skipCount: true };
      const { entries } = await store.list(range, after === undefined ? page : { ...page, after });
      const outdated = entries
        .map(({ key, value, revision }) => rowOf(key, value, revision))
        .filter(({ last }) => clock.now() - last > resetAfterMs);
      for (let start = 0; start < outdated.length; start += maxTransactionChecks) {
        const rows = outdated.slice(start, start + maxTransactionChecks);
        await this.#write(
          rows,
          rows.map(({ key }) => removalOf(key)),
        );
      }
      after = entries.length < rowsPerList ? undefined : entries.at(-1)?.key;
    } while (after !== undefined);
  }

  #key(table: 'pairs' | 'accounts', text: string): Key {
    return {
      slice: loginsSlice,
      segments: ['failures', table, this.#options.sealer.hash(`login backoff ${table}`, text)],
    };
  }
}

function rowOf(key: Key, value: string | undefined, revision: Revision | undefined): FailureRow {
  const stored: JsonValue = value === undefined ? {} : JSON.parse(value);
  const at = (name: string) => numberAt(stored, name) ?? 0;
  return { key, revision, count: at('count'), last: at('last'), blockedUntil: at('blockedUntil') };
}

function writeOf({ key, count, last, blockedUntil }: FailureRow): Write {
  return { key, value: JSON.stringify({ count, last, blockedUntil }), unlogged: true };
}

function removalOf(key: Key): Write {
  return { key, value: undefined, unlogged: true };
}
