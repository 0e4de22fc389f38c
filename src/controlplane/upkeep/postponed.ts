import { StatusError } from '../../api/status.ts';
import { type BackoffOptions, backoffDelay } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Entry } from '../../store/store.ts';
import { isStoreClosed } from '../../store/store-error.ts';

export const longestPause = 60_000;

const retry: BackoffOptions = { firstMilliseconds: 20, longestMilliseconds: longestPause };

interface Pause {
  readonly failures: number;
  /** In elapsed time: how long one waits has nothing to do with the time of day. */
  readonly notBefore: number;
  /** A row that has been written since does not wait. Absent: it does, as whoever fails may have written it. */
  readonly revision?: number;
}

/** The rows that are not to be looked at yet: what failed, and what asked to be looked at later. */
export class Postponed {
  readonly #clock: Clock;
  readonly #log: Log;
  #pauses = new Map<string, Pause>();
  #seen = new Set<string>();
  #soonest = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** A look through all rows begins. */
  begin(): void {
    this.#seen = new Set();
    this.#soonest = Number.POSITIVE_INFINITY;
  }

  /** It has come to its end: what it did not come by is gone. */
  end(): void {
    for (const id of this.#pauses.keys()) if (!this.#seen.has(id)) this.#pauses.delete(id);
  }

  /** Whether this row still has to wait; then `soonest` is no later than its end. */
  waits(entry: Entry): boolean {
    const id = idOf(entry);
    this.#seen.add(id);
    const pause = this.#pauses.get(id);
    if (pause === undefined || pause.notBefore <= this.#clock.elapsed()) return false;
    if (pause.revision !== undefined && pause.revision !== entry.revision) return false;
    this.#soonest = Math.min(this.#soonest, pause.notBefore);
    return true;
  }

  /** Milliseconds until a row that was passed over should be looked at; Infinity: there is none. */
  get soonest(): number {
    return Math.max(0, this.#soonest - this.#clock.elapsed());
  }

  wait(entry: Entry, milliseconds: number): void {
    this.#pause(entry, { failures: 0, notBefore: this.#clock.elapsed() + milliseconds, revision: entry.revision });
  }

  fail(entry: Entry, error: unknown): void {
    if (isStoreClosed(error)) throw error;
    const id = idOf(entry);
    const failures = (this.#pauses.get(id)?.failures ?? 0) + 1;
    this.#pause(entry, { failures, notBefore: this.#clock.elapsed() + backoffDelay(failures, retry) });
    // A conflict only means that the object changed between the look and the write.
    if (!(error instanceof StatusError) || error.code !== 409) {
      this.#log.warn({ work: id, failures, error: String(error) }, 'upkeep failed; it tries again');
    }
  }

  forget(entry: Entry): void {
    this.#pauses.delete(idOf(entry));
  }

  #pause(entry: Entry, pause: Pause): void {
    this.#pauses.set(idOf(entry), pause);
    this.#soonest = Math.min(this.#soonest, pause.notBefore);
  }
}

export function idOf(entry: Entry): string {
  return entry.key.segments.join('/');
}
