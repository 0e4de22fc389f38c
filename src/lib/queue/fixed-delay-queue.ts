import type { Clock } from '../clock.ts';
import { LinkedQueue } from './linked-queue.ts';

interface Waiting {
  /** The time at which the callback is due, on the monotonic clock (`elapsed`). */
  readonly dueAt: number;
  readonly callback: () => void;
}

/**
 * A timer queue for one fixed delay. Callbacks become due in the order in which they are added, so a single timer is
 * enough. Most callbacks are canceled before they are due, and a queue entry takes much less time and memory than a
 * timer.
 */
export class FixedDelayQueue {
  readonly #clock: Pick<Clock, 'elapsed' | 'after'>;
  readonly #milliseconds: number;
  readonly #queue = new LinkedQueue<Waiting>();
  #isArmed = false;

  constructor(clock: Pick<Clock, 'elapsed' | 'after'>, milliseconds: number) {
    this.#clock = clock;
    this.#milliseconds = milliseconds;
  }

  /** Calls `callback` after the fixed delay. Returns a function that cancels the call. */
  after(callback: () => void): () => void {
    const entry = this.#queue.push({ dueAt: this.#clock.elapsed() + this.#milliseconds, callback });
    if (!this.#isArmed) this.#arm(this.#milliseconds);
    return () => this.#queue.remove(entry);
  }

  /** Starts the timer. If all callbacks are canceled, the timer is not stopped; it fires once without effect. */
  #arm(milliseconds: number): void {
    this.#isArmed = true;
    this.#clock.after(milliseconds, () => this.#fire());
  }

  #fire(): void {
    this.#isArmed = false;
    const now = this.#clock.elapsed();
    for (let first = this.#queue.first; first !== undefined; first = this.#queue.first) {
      if (first.dueAt > now) {
        if (!this.#isArmed) this.#arm(first.dueAt - now);
        return;
      }
      this.#queue.shift();
      first.callback();
    }
  }
}
