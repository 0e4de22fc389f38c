import type { Clock } from '../lib/clock.ts';

/**
 * How old changes are. While a store is open its time goes on evenly, whatever the clock is set to: a watcher that was
 * away for a minute must find its history also if somebody has put the clock forward by an hour meanwhile.
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

  /** What is written with a change, in whole milliseconds. */
  stamp(): number {
    return this.#opened + Math.round(this.#clock.elapsed() - this.#elapsedThen);
  }

  /**
   * A stamp of the time to come was written by an earlier process, before the clock was set back: such a change counts
   * from the opening, or it would be kept for as long as the clock had been wrong.
   */
  isOlder(stamp: number, milliseconds: number): boolean {
    const now = this.stamp();
    return now - (stamp > now ? this.#opened : stamp) >= milliseconds;
  }
}
