import type { Clock } from '../lib/clock.ts';

/**
 * Timestamps changes and computes the age of changes. While the store is open, the timestamps do not depend on
 * adjustments of the system clock. Otherwise all history would expire at once if the clock were set forward by an hour,
 * and watches that reconnect could not resume.
 */
export class ChangeAge {
  readonly #clock: Clock;
  readonly #openedAt: number;
  readonly #elapsedAtOpen: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#openedAt = clock.now();
    this.#elapsedAtOpen = clock.elapsed();
  }

  /** Returns the current time for a new change, in milliseconds since the epoch. */
  stamp(): number {
    return this.#openedAt + Math.round(this.#clock.elapsed() - this.#elapsedAtOpen);
  }

  /**
   * True if a change with this timestamp is at least as old as the given number of milliseconds. A timestamp in the
   * future was written before the system clock was set back. Such a change counts as written when the store was opened;
   * otherwise it would be retained too long.
   */
  isOlder(stamp: number, milliseconds: number): boolean {
    const now = this.stamp();
    return now - (stamp > now ? this.#openedAt : stamp) >= milliseconds;
  }
}
