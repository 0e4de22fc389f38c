import type { WatchWakeCounter } from '../store.ts';

/** A batch that wakes at least this many watches is expensive: sending its events takes as long as several writes. */
const manyWatches = 8;
/**
 * A batch is expensive if its flush takes at least this many milliseconds. Writers need about the same time to submit
 * their next write after they were notified.
 */
const longFlushMs = 4;
/**
 * The number of flushes whose durations are recorded. Only the fastest flush counts, because slower ones waited for the
 * CPU.
 */
const recentFlushes = 16;

/** Estimates the fixed cost of a batch: its flush to disk and the notification of watches. */
export class BatchCost implements WatchWakeCounter {
  #readersWoken = 0;
  readonly #flushes = new Array<number>(recentFlushes).fill(0);
  #next = 0;

  /** Records the duration of a flush. */
  flushed(milliseconds: number): void {
    this.#flushes[this.#next] = milliseconds;
    this.#next = (this.#next + 1) % recentFlushes;
  }

  /** Records that observers have woken this many watches. */
  add(readers: number): void {
    this.#readersWoken += readers;
  }

  /** True if the latest batch has woken watches. */
  get wakesReaders(): boolean {
    return this.#readersWoken > 0;
  }

  /**
   * Reports whether batches are expensive, and resets the number of woken watches. Must be called once before each
   * batch.
   */
  isHigh(): boolean {
    const isNotificationLong = this.#readersWoken >= manyWatches;
    this.#readersWoken = 0;
    return isNotificationLong || Math.min(...this.#flushes) >= longFlushMs;
  }
}
