export interface SyncIoBreakerOptions {
  /** Milliseconds: an operation that blocks the thread for longer counts as slow. */
  readonly maxBlockMs: number;
  /** The maximum number of milliseconds to avoid synchronous I/O after it was slow repeatedly. */
  readonly maxOpenMs: number;
  /** Milliseconds of a monotonic clock. Optional; defaults to `performance.now`. */
  elapsed?(): number;
}

/**
 * An occasional slow operation has waited for the CPU, not for the disk. This share of the time may be lost to slow
 * operations, which is less than another thread would cost, with bursts of this many maximum waits.
 */
const slowShare = 0.02;
const burstWaits = 4;
const minOpenMs = 1000;

/**
 * A circuit breaker for synchronous I/O that is usually fast: doing it on this thread takes less time than handing it
 * to another one. If it blocks for very long, or repeatedly, the breaker opens for a while and callers use another
 * thread. Each time it opens for twice as long, so that a slow disk blocks the thread only rarely.
 */
export class SyncIoBreaker {
  readonly #options: SyncIoBreakerOptions;
  #openUntil = Number.NEGATIVE_INFINITY;
  #openMs: number;
  /** The budget used by slow operations in milliseconds, and when the last of them ended. */
  #slowMs = 0;
  #slowAt = 0;

  constructor(options: SyncIoBreakerOptions) {
    this.#options = options;
    this.#openMs = Math.min(minOpenMs, options.maxOpenMs);
  }

  allowsSync(): boolean {
    return this.#now() >= this.#openUntil;
  }

  /** Runs the operation on this thread and measures how long it took. */
  run<T>(work: () => T): T {
    const began = this.#now();
    try {
      return work();
    } finally {
      const ended = this.#now();
      if (ended - began > this.#options.maxBlockMs) this.#onSlow(began, ended);
    }
  }

  #onSlow(began: number, ended: number): void {
    const remaining = Math.max(0, this.#slowMs - slowShare * (began - this.#slowAt));
    this.#slowMs = remaining + ended - began;
    this.#slowAt = ended;
    if (this.#slowMs <= burstWaits * this.#options.maxBlockMs) return;
    this.#slowMs = 0;
    this.#open(began, ended);
  }

  #open(began: number, ended: number): void {
    const { maxOpenMs } = this.#options;
    const wasLongClosed = began - this.#openUntil >= maxOpenMs;
    this.#openMs = Math.min(wasLongClosed ? minOpenMs : 2 * this.#openMs, maxOpenMs);
    this.#openUntil = ended + this.#openMs;
  }

  #now(): number {
    return this.#options.elapsed?.() ?? performance.now();
  }
}
