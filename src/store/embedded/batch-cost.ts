import type { WakeCount } from '../store.ts';

/** Sending events to this many watches takes the thread as long as several writes. */
const manyWatches = 8;
/** A flush that takes this many milliseconds is expensive. Notified writers take about as long to write again. */
const longFlushMs = 4;
/** The number of recent flushes. Only the fastest counts: the others also waited for the CPU. */
const recentFlushes = 16;

/** Estimates the cost of a batch, independent of its contents: the flush to disk and the notification of watches. */
export class BatchCost implements WakeCount {
  #readersWoken = 0;
  readonly #flushes = new Array<number>(recentFlushes).fill(0);
  #next = 0;

  /** Records the duration of a flush. */
  flushed(milliseconds: number): void {
    this.#flushes[this.#next] = milliseconds;
    this.#next = (this.#next + 1) % recentFlushes;
  }

  /** Records that observers wake this many watch readers. */
  add(readers: number): void {
    this.#readersWoken += readers;
  }

  /** True if the latest batch wakes watch readers. */
  get wakesReaders(): boolean {
    return this.#readersWoken > 0;
  }

  /** Call once per batch, before it is written: judges the previous one and starts to count again. */
  isHigh(): boolean {
    const isNotificationLong = this.#readersWoken >= manyWatches;
    this.#readersWoken = 0;
    return isNotificationLong || Math.min(...this.#flushes) >= longFlushMs;
  }
}
