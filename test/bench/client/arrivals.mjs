import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../figures.mjs';
import { processorFigures } from './measured.mjs';

/** The idle time after which the wait for missing events ends. */
const idleTimeoutMilliseconds = 15_000;

/** Collects the latencies of events, and waits until all have arrived or no more arrive. */
export class Arrivals {
  #lags;
  #count = 0;
  #lastAt = 0;

  constructor(expected) {
    this.#lags = new Float64Array(expected);
  }

  /** Records an event. Events beyond the expected number are counted but not timed. */
  note(lag, now) {
    if (this.#count < this.#lags.length) this.#lags[this.#count] = lag;
    this.#count++;
    this.#lastAt = now;
  }

  async all(failIfBroken) {
    this.#lastAt = Math.max(this.#lastAt, performance.now());
    while (this.#count < this.#lags.length && performance.now() - this.#lastAt < idleTimeoutMilliseconds) {
      failIfBroken();
      await sleep(5);
    }
  }

  get count() {
    return this.#count;
  }

  figures(taken) {
    const { seconds, disturbed } = taken;
    const sorted = this.#lags.slice(0, Math.min(this.#count, this.#lags.length)).sort();
    return {
      count: this.#count,
      seconds,
      rate: this.#count / seconds,
      p50: percentile(sorted, 0.5),
      p99: percentile(sorted, 0.99),
      ...processorFigures(taken, this.#count),
      disturbed,
      delivered: (100 * this.#count) / this.#lags.length,
    };
  }
}
