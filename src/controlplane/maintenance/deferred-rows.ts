import { StatusError } from '../../api/status.ts';
import { type BackoffOptions, backoffDelay } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Entry } from '../../store/store.ts';
import { isStoreClosed } from '../../store/store-error.ts';

export const maxRetryDelayMs = 60_000;

const retry: BackoffOptions = { initialMilliseconds: 20, maxMilliseconds: maxRetryDelayMs };

interface Deferral {
  readonly failures: number;
  /** In elapsed time, so that changes of the system time do not affect it. */
  readonly notBefore: number;
  /**
   * A row with another revision is due at once. Absent after a failure, as the failed work may have written the row
   * itself.
   */
  readonly revision?: number;
}

/** The rows that are not due yet: work that failed, and work that requested a later run. */
export class DeferredRows {
  readonly #clock: Clock;
  readonly #log: Log;
  #deferrals = new Map<string, Deferral>();
  #seen = new Set<string>();
  #nextDue = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** A scan of all rows begins. */
  beginScan(): void {
    this.#seen = new Set();
    this.#nextDue = Number.POSITIVE_INFINITY;
  }

  /** The scan is complete: rows that it did not see are gone. */
  endScan(): void {
    for (const id of this.#deferrals.keys()) if (!this.#seen.has(id)) this.#deferrals.delete(id);
  }

  /** True if this row is not due yet; `nextDueInMs` then covers it. */
  isDeferred(entry: Entry): boolean {
    const id = rowIdOf(entry);
    this.#seen.add(id);
    const deferral = this.#deferrals.get(id);
    if (deferral === undefined || deferral.notBefore <= this.#clock.elapsed()) return false;
    if (deferral.revision !== undefined && deferral.revision !== entry.revision) return false;
    this.#nextDue = Math.min(this.#nextDue, deferral.notBefore);
    return true;
  }

  /** Milliseconds until the next deferred row is due; Infinity if there is none. */
  get nextDueInMs(): number {
    return Math.max(0, this.#nextDue - this.#clock.elapsed());
  }

  defer(entry: Entry, milliseconds: number): void {
    this.#defer(entry, { failures: 0, notBefore: this.#clock.elapsed() + milliseconds, revision: entry.revision });
  }

  recordFailure(entry: Entry, error: unknown): void {
    if (isStoreClosed(error)) throw error;
    const id = rowIdOf(entry);
    const failures = (this.#deferrals.get(id)?.failures ?? 0) + 1;
    this.#defer(entry, { failures, notBefore: this.#clock.elapsed() + backoffDelay(failures, retry) });
    // A conflict only means that the object changed between the read and the write.
    if (!(error instanceof StatusError) || error.code !== 409) {
      this.#log.warn({ work: id, failures, error: String(error) }, 'maintenance work failed; retrying with backoff');
    }
  }

  forget(entry: Entry): void {
    this.#deferrals.delete(rowIdOf(entry));
  }

  #defer(entry: Entry, deferral: Deferral): void {
    this.#deferrals.set(rowIdOf(entry), deferral);
    this.#nextDue = Math.min(this.#nextDue, deferral.notBefore);
  }
}

export function rowIdOf(entry: Entry): string {
  return entry.key.segments.join('/');
}
