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
  /**
   * The time from which the row is due, on the monotonic clock (`Clock.elapsed`), which system time changes do not
   * affect.
   */
  readonly notBefore: number;
  /**
   * The revision of the deferred row. A row with a newer revision is due immediately. Absent after a failure, because
   * the failed work itself may have rewritten the row.
   */
  readonly revision?: number;
}

/** The maintenance rows that are not due yet, because their work failed or requested a later run. */
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

  /** Marks the beginning of a scan of all maintenance rows. */
  beginScan(): void {
    this.#seen = new Set();
    this.#nextDue = Number.POSITIVE_INFINITY;
  }

  /** Marks the end of a scan. Forgets rows that the scan did not find, because they are deleted. */
  endScan(): void {
    for (const id of this.#deferrals.keys()) if (!this.#seen.has(id)) this.#deferrals.delete(id);
  }

  /** True if the row is not due yet. `nextDueInMs` then takes the row into account. */
  isDeferred(entry: Entry): boolean {
    const id = maintenanceRowId(entry);
    this.#seen.add(id);
    const deferral = this.#deferrals.get(id);
    if (deferral === undefined || deferral.notBefore <= this.#clock.elapsed()) return false;
    if (deferral.revision !== undefined && deferral.revision !== entry.revision) return false;
    this.#nextDue = Math.min(this.#nextDue, deferral.notBefore);
    return true;
  }

  /** The time until the next deferred row is due, in milliseconds. Infinity if no row is deferred. */
  get nextDueInMs(): number {
    return Math.max(0, this.#nextDue - this.#clock.elapsed());
  }

  defer(entry: Entry, milliseconds: number): void {
    this.#defer(entry, { failures: 0, notBefore: this.#clock.elapsed() + milliseconds, revision: entry.revision });
  }

  recordFailure(entry: Entry, error: unknown): void {
    if (isStoreClosed(error)) throw error;
    const id = maintenanceRowId(entry);
    const failures = (this.#deferrals.get(id)?.failures ?? 0) + 1;
    this.#defer(entry, { failures, notBefore: this.#clock.elapsed() + backoffDelay(failures, retry) });
    // Some errors are expected: a conflict (409) with another client, and a virtual cluster that cannot run now (503).
    if (!(error instanceof StatusError) || (error.code !== 409 && error.code !== 503)) {
      this.#log.warn({ work: id, failures, error: String(error) }, 'maintenance work failed; retrying with backoff');
    }
  }

  forget(entry: Entry): void {
    this.#deferrals.delete(maintenanceRowId(entry));
  }

  #defer(entry: Entry, deferral: Deferral): void {
    this.#deferrals.set(maintenanceRowId(entry), deferral);
    this.#nextDue = Math.min(this.#nextDue, deferral.notBefore);
  }
}

export function maintenanceRowId(entry: Entry): string {
  return entry.key.segments.join('/');
}
