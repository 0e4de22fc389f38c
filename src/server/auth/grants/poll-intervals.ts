import { hash } from 'node:crypto';
import type { Clock } from '../../../lib/clock.ts';

const maxCodes = 10_000;

/**
 * Detects clients that poll too often. Each replica counts only the polls that it receives, which is sufficient to slow
 * clients down. A write to the store for each poll would be more expensive than answering the poll.
 */
export class PollIntervals {
  readonly #clock: Clock;
  readonly #milliseconds: number;
  /** The time of the last poll for each code, by a hash of the code. The oldest poll is first. */
  readonly #polls = new Map<string, number>();

  constructor(clock: Clock, milliseconds: number) {
    this.#clock = clock;
    this.#milliseconds = milliseconds;
  }

  /** Records a poll. Returns true if less than the interval has passed since the previous poll with this code. */
  isTooEarly(code: string): boolean {
    const key = hash('sha256', code, 'base64');
    const now = this.#clock.elapsed();
    const last = this.#polls.get(key);
    this.#polls.delete(key);
    this.#polls.set(key, now);
    const [oldest] = this.#polls.size > maxCodes ? this.#polls.keys() : [];
    if (oldest !== undefined) this.#polls.delete(oldest);
    // The interval is shortened by one second, because timers of clients are not exact.
    return last !== undefined && now - last < this.#milliseconds - 1000;
  }
}
