import { serviceUnavailable } from '../../api/status.ts';
import { type BackoffOptions, backoffDelay } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { KeyRange } from '../../store/key.ts';
import type { Observer, Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import { toStatusError, withStatusErrors } from '../store-status.ts';
import type { RowState } from './missed-changes.ts';

export interface ObservedRangeOptions {
  readonly store: Store;
  readonly range: KeyRange;
  readonly clock: Clock;
  readonly log: Log;
}

/** Receives the rows of a range and their changes. The functions of a receiver must be fast and must not throw. */
export interface RangeReceiver extends Observer {
  /** Called if changes were missed. `reload` follows when the rows can be read again. May be called several times. */
  interrupted(): void;
  /**
   * Replaces the received rows by the current rows. Resolves after this is done; until then, no change is delivered to
   * the receiver.
   */
  reload(current: RowState): Promise<void>;
}

/** A running observation of rows. */
export interface RowObservation {
  /**
   * Present if changes were missed. The promise resolves after the rows were read again. It rejects with an API error
   * if the rows cannot be read now, or if the observation has ended.
   */
  readonly recovery: Promise<void> | undefined;
  close(): void;
}

/** The delays between attempts to read the rows again while the store is unavailable. */
const retryBackoff: BackoffOptions = { initialMilliseconds: 100, maxMilliseconds: 5_000 };

/**
 * Observes the rows of a range. If the store could not deliver some of the changes, this class reads all rows again,
 * and repeats that until a read succeeds or the observation is closed.
 */
export class ObservedRange implements RowObservation {
  readonly #options: ObservedRangeOptions;
  readonly #receiver: RangeReceiver;
  #recovery: Promise<void> | undefined;
  /** True if changes were missed after the rows were last listed. */
  #isInterrupted = false;
  #isClosed = false;
  #stopObserving = () => {};
  #endPause = () => {};

  private constructor(options: ObservedRangeOptions, receiver: RangeReceiver) {
    this.#options = options;
    this.#receiver = receiver;
  }

  /**
   * Starts to observe the changes after revision `since`. The receiver must already have the rows of the range at this
   * revision. Rejects with an API error if the store cannot be read.
   */
  static async start(options: ObservedRangeOptions, since: number, receiver: RangeReceiver): Promise<ObservedRange> {
    const observed = new ObservedRange(options, receiver);
    try {
      await observed.#observe(since);
      await observed.recovery;
      return observed;
    } catch (error) {
      observed.close();
      throw toStatusError(error);
    }
  }

  get recovery(): Promise<void> | undefined {
    return this.#recovery;
  }

  close(): void {
    this.#isClosed = true;
    this.#stopObserving();
    this.#endPause();
  }

  async #observe(since: number): Promise<void> {
    const { store, range } = this.#options;
    try {
      const stop = await store.observe(range, since, {
        changes: (changes, wakes) => this.#receiver.changes(changes, wakes),
        ended: (error) => this.#ended(error),
      });
      if (this.#isClosed) stop();
      else this.#stopObserving = stop;
    } catch (error) {
      // The history was compacted after the rows were listed, so changes may have been missed.
      if (isExpired(error)) this.#interrupt();
      else throw error;
    }
  }

  #ended(error: StoreError): void {
    if (this.#isClosed) return;
    if (isExpired(error)) this.#interrupt();
    else this.#end(error);
  }

  #interrupt(): void {
    this.#isInterrupted = true;
    this.#receiver.interrupted();
    if (this.#recovery === undefined) void this.#recover();
  }

  /** Ends the observation, because the store was closed or the slice was removed. */
  #end(error: StoreError): void {
    this.#isClosed = true;
    this.#endPause();
    this.#setRecovery(Promise.reject(error));
    this.#receiver.ended(error);
  }

  /** Reads the rows again. Repeats this until it succeeds or the observation ends. */
  async #recover(): Promise<void> {
    const { log, range } = this.#options;
    for (let failures = 1; !this.#isClosed; failures++) {
      const reloading = this.#reload();
      this.#setRecovery(reloading);
      try {
        await reloading;
        return;
      } catch (error) {
        if (this.#isClosed) return;
        if (isFinal(error)) {
          this.#end(error);
          return;
        }
        log.warn({ ...range, failures, error: String(error) }, 'cannot reload a cache; retrying');
        await this.#pause(backoffDelay(failures, retryBackoff));
      }
    }
  }

  async #reload(): Promise<void> {
    const { store, range, log } = this.#options;
    let revision: number;
    do {
      this.#isInterrupted = false;
      const rows = await store.list(range);
      this.#assertOpen();
      await this.#receiver.reload(rows);
      this.#assertOpen();
      revision = rows.revision;
      await this.#observe(revision);
      this.#assertOpen();
    } while (this.#isInterrupted);
    this.#recovery = undefined;
    log.info({ ...range, revision }, 'the store could not deliver all changes; a cache was reloaded');
  }

  #setRecovery(recovery: Promise<void>): void {
    this.#recovery = withStatusErrors(recovery);
    // Avoids an unhandled rejection if no reader waits for the recovery.
    this.#recovery.catch(() => {});
  }

  #assertOpen(): void {
    if (this.#isClosed) throw serviceUnavailable('the control plane is being reloaded; try again', 1);
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(milliseconds, resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }
}

function isExpired(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'Expired';
}

/** True if the rows can never be read again. */
function isFinal(error: unknown): error is StoreError {
  return error instanceof StoreError && (error.code === 'Closed' || error.code === 'SliceRemoved');
}
