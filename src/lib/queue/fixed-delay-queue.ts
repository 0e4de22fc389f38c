import type { Clock } from '../clock.ts';
import { LinkedQueue } from './linked-queue.ts';

interface Waiting {
  /** In the time of the clock's `elapsed`. */
  readonly dueAt: number;
  readonly callback: () => void;
}

/**
 * A timer queue for one fixed delay: callbacks are due in the order of their registration, so a single timer serves all
 * of them. Most callbacks are canceled before they are due, and adding and removing a queue entry is much cheaper than
 * a timer.
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

  /** The returned function cancels the callback. */
  after(callback: () => void): () => void {
    const entry = this.#queue.push({ dueAt: this.#clock.elapsed() + this.#milliseconds, callback });
    if (!this.#isArmed) this.#arm(this.#milliseconds);
    return () => this.#queue.remove(entry);
  }

  /** The timer is not canceled with its callbacks. At worst it fires once without effect. */
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
