import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Key } from '../../store/key.ts';
import { type Entry, maxTransactionWrites, type Store } from '../../store/store.ts';
import { activityKeyIn, activityNameAt, activityRange, activityRowKeys, readActivityRow } from './activity-rows.ts';

export interface ActivityRetentionOptions {
  readonly store: Pick<Store, 'list' | 'transact'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Records are removed after this time. */
export const activityLifetimeMs = 30 * 24 * 3_600_000;
/**
 * The maximum number of records per namespace. The newest records are kept, so a busy project evicts only its own
 * records.
 */
export const maxActivityRecords = 2_000;
/** The number of records that are added to a namespace before the records of this namespace are counted again. */
const addedPerCount = 200;
const intervalMs = 3_600_000;
/** Number of rows that are read at a time. */
const pageSize = 500;

/**
 * Removes activity records that are too old, or that exceed the limit of a namespace. Every replica removes old records
 * of all namespaces, but checks the limit only for namespaces to which it adds records. Removing a record twice has no
 * effect.
 */
export class ActivityRetention {
  readonly #options: ActivityRetentionOptions;
  /** The number of records that were added to each namespace since the records of the namespace were counted. */
  readonly #added = new Map<string, number>();
  #isClosed = false;
  #running: Promise<void> = Promise.resolve();
  #cancel = () => {};

  constructor(options: ActivityRetentionOptions) {
    this.#options = options;
  }

  /** Starts the removal of old records, now and every hour. */
  start(): void {
    const { clock } = this.#options;
    const oldest = activityNameAt(clock.now() - activityLifetimeMs);
    this.#run(() => this.#removeAfter('', activityKeyIn('', '', oldest)));
    this.#cancel = clock.after(intervalMs, () => this.start());
  }

  /** Reports that a record was added to a namespace. */
  added(namespace: string): void {
    const count = (this.#added.get(namespace) ?? 0) + 1;
    if (count < addedPerCount) {
      this.#added.set(namespace, count);
      return;
    }
    this.#added.delete(namespace);
    this.#run(() => this.#removeExcess(namespace));
  }

  /** Resolves when the removals that were started are complete. */
  settled(): Promise<void> {
    return this.#running;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    return this.#running;
  }

  #run(task: () => Promise<void>): void {
    this.#running = this.#running.then(async () => {
      if (this.#isClosed) return;
      await task().catch((error: unknown) => {
        const { log } = this.#options;
        log.warn({ error: String(error) }, 'cannot remove old activity records; the server will try again later');
      });
    });
  }

  async #removeExcess(namespace: string): Promise<void> {
    let after: Key | undefined;
    for (let kept = 0; kept < maxActivityRecords; kept += pageSize) {
      const position = after === undefined ? {} : { after };
      const range = activityRange(namespace);
      const { entries, remaining } = await this.#options.store.list(range, {
        limit: pageSize,
        skipCount: true,
        ...position,
      });
      after = entries.at(-1)?.key;
      if (remaining === 0 || after === undefined || this.#isClosed) return;
    }
    if (after !== undefined) await this.#removeAfter(namespace, after);
  }

  /** Removes all records of a list after this key. */
  async #removeAfter(listed: string, after: Key): Promise<void> {
    const { store } = this.#options;
    for (;;) {
      const { entries, remaining } = await store.list(activityRange(listed), {
        limit: pageSize,
        after,
        skipCount: true,
      });
      await this.#remove(entries);
      if (remaining === 0 || this.#isClosed) return;
    }
  }

  async #remove(entries: readonly Entry[]): Promise<void> {
    const keys = entries.flatMap(({ key, value }) => activityRowKeys(readActivityRow(key, value)));
    for (let from = 0; from < keys.length && !this.#isClosed; from += maxTransactionWrites) {
      const some = keys.slice(from, from + maxTransactionWrites);
      const writes = some.map((key) => ({ key, value: undefined, unlogged: true }));
      await this.#options.store.transact({ writes });
    }
  }
}
