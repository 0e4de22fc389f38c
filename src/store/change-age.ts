import type { Clock } from '../lib/clock.ts';

/**
 * Timestamps changes and computes their age. While a store is open, its time is monotonic whatever the system clock is
 * set to: a watch that was away for a minute must find its history even if the clock was set forward by an hour
 * meanwhile.
 */
export class ChangeAge {
  readonly #clock: Clock;
  readonly #opened: number;
  readonly #elapsedThen: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#opened = clock.now();
    this.#elapsedThen = clock.elapsed();
  }

  /** The timestamp to store with a change, in whole milliseconds. */
  stamp(): number {
    return this.#opened + Math.round(this.#clock.elapsed() - this.#elapsedThen);
  }

  /**
   * A timestamp in the future was written by an earlier process, before the clock was set back. Such a change ages from
   * the time the store was opened; otherwise it would be retained for as long as the clock had been wrong.
   */
  isOlder(stamp: number, milliseconds: number): boolean {
    const now = this.stamp();
    return now - (stamp > now ? this.#opened : stamp) >= milliseconds;
  }
}
