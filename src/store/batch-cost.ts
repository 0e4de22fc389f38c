import { turnsHad } from '../lib/turns.ts';

/** Sending events to this many watches takes the thread as long as several writes. */
const manyWatches = 8;
/** Milliseconds: about the time that notified writers take to write again. */
const longFlushMs = 4;
/** The number of recent flushes. Only the fastest counts: the others also waited for the CPU. */
const recentFlushes = 16;

/** Estimates the cost of a batch, independent of its contents: the flush to disk and the notification of watches. */
export class BatchCost {
  #notified = turnsHad();
  readonly #flushes = new Array<number>(recentFlushes).fill(0);
  #next = 0;

  /** Records the duration of a flush. */
  flushed(milliseconds: number): void {
    this.#flushes[this.#next] = milliseconds;
    this.#next = (this.#next + 1) % recentFlushes;
  }

  /** Call once per batch, after watches were notified: counts the notifications since the previous call. */
  isHigh(): boolean {
    const before = this.#notified;
    this.#notified = turnsHad();
    return this.#notified - before >= manyWatches || Math.min(...this.#flushes) >= longFlushMs;
  }
}
