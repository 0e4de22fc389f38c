import { backoffDelay } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { wait } from '../../lib/wait.ts';
import type { Change, Entry, Store } from '../../store/store.ts';
import { isStoreClosed, StoreError } from '../../store/store-error.ts';
import { type InstallationRowName, installationKey, installationRange } from '../data/installation.ts';

const restartBackoff = { initialMilliseconds: 50, maxMilliseconds: 1_000 };

/**
 * The rows with the secrets of an installation. All servers on a shared store observe these rows. A change by another
 * server is received within the delay of the store's observers.
 */
export class InstallationRows {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #closing = new AbortController();
  readonly #listeners = new Set<() => void>();
  #rows: ReadonlyMap<string, Entry> = new Map();
  #stopObserving = () => {};
  /** Pending while an observation that has ended is opened again. */
  #restart: Promise<void> | undefined;

  private constructor(store: Store, { clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /** Reads the rows and follows them until `close`. Rejects with StoreError. */
  static async open(store: Store, services: { readonly clock: Clock; readonly log: Log }): Promise<InstallationRows> {
    const rows = new InstallationRows(store, services);
    await rows.#observe();
    return rows;
  }

  get(name: InstallationRowName): Entry | undefined {
    return this.#rows.get(name);
  }

  /**
   * Writes a row if it has not changed since `get` returned it. Otherwise returns false, and `get` returns the new row.
   * Rejects with StoreError.
   */
  async replace(name: InstallationRowName, previous: Entry | undefined, value: string): Promise<boolean> {
    const key = installationKey(name);
    try {
      await this.#store.transact({ checks: [{ key, revision: previous?.revision }], writes: [{ key, value }] });
      await this.#restart;
      return true;
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'CheckFailed') throw error;
      await this.refresh();
      return false;
    }
  }

  /** Resolves after `get` includes every change that was acknowledged before the call. Rejects with StoreError. */
  async refresh(): Promise<void> {
    await this.#restart;
    await this.#store.revision(installationRange.slice);
    await this.#restart;
  }

  /** Calls the listener after each change of a row. */
  listen(listener: () => void): void {
    this.#listeners.add(listener);
  }

  close(): void {
    this.#closing.abort();
    this.#stopObserving();
  }

  async #observe(): Promise<void> {
    const { entries, revision } = await this.#store.list(installationRange);
    this.#rows = new Map(entries.map((entry) => [nameOf(entry), entry]));
    this.#stopObserving = await this.#store.observe(installationRange, revision, {
      changes: (changes) => this.#apply(changes),
      ended: (error) => this.#ended(error),
    });
  }

  #apply(changes: readonly Change[]): void {
    const rows = new Map(this.#rows);
    for (const { key, value, revision } of changes) {
      if (value === undefined) rows.delete(nameOf({ key }));
      else rows.set(nameOf({ key }), { key, value, revision });
    }
    this.#rows = rows;
    for (const listener of this.#listeners) listener();
  }

  #ended(error: StoreError): void {
    if (isStoreClosed(error) || this.#closing.signal.aborted) return;
    const restart = this.#observeAgain().finally(() => {
      if (this.#restart === restart) this.#restart = undefined;
    });
    this.#restart = restart;
  }

  async #observeAgain(): Promise<void> {
    const { signal } = this.#closing;
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        await this.#observe();
        for (const listener of this.#listeners) listener();
        return;
      } catch (error) {
        if (isStoreClosed(error)) return;
        this.#log.warn({ error }, 'cannot read the secrets of the installation from the store; trying again');
        await wait(this.#clock, backoffDelay(failures, restartBackoff), signal);
      }
    }
  }
}

function nameOf({ key }: Pick<Entry, 'key'>): string {
  return key.segments.join('/');
}
