import { hash } from 'node:crypto';
import type { Clock } from '../../../lib/clock.ts';

const maxCodes = 10_000;

/**
 * Detects clients that poll too often. Each replica counts only the polls that it receives. This is sufficient to slow
 * clients down, and a write to the store for each poll would cost more than the polls.
 */
export class PollIntervals {
  readonly #clock: Clock;
  readonly #milliseconds: number;
  /** The time of the last poll by a hash of the code, oldest first. */
  readonly #polls = new Map<string, number>();

  constructor(clock: Clock, milliseconds: number) {
    this.#clock = clock;
    this.#milliseconds = milliseconds;
  }

  /** Records a poll. Returns true if the previous poll with this code was less than the interval ago. */
  isTooEarly(code: string): boolean {
    const key = hash('sha256', code, 'base64');
    const now = this.#clock.elapsed();
    const last = this.#polls.get(key);
    this.#polls.delete(key);
    this.#polls.set(key, now);
    const [oldest] = this.#polls.size > maxCodes ? this.#polls.keys() : [];
    if (oldest !== undefined) this.#polls.delete(oldest);
    // A second of tolerance: timers of clients are not exact.
    return last !== undefined && now - last < this.#milliseconds - 1000;
  }
}
