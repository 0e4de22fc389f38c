export interface SyncIoBreakerOptions {
  /** An operation that blocks the thread for more than this many milliseconds counts as slow. */
  readonly maxBlockMs: number;
  /** The maximum time in milliseconds for which the breaker stays open, that is, avoids synchronous I/O. */
  readonly maxOpenMs: number;
  /** Returns the milliseconds of a monotonic clock. Optional; defaults to `performance.now`. */
  elapsed?(): number;
}

/**
 * The share of the time that slow operations may take before the breaker opens. Up to this share, slow operations take
 * less time in total than passing all operations to another thread. Within a short time, slow operations may take up to
 * `burstWaits * maxBlockMs`. A single slow operation is tolerated, because it usually waited for the CPU and not for
 * the disk.
 */
const slowShare = 0.02;
const burstWaits = 4;
const minOpenMs = 1000;

/**
 * A circuit breaker for synchronous I/O. Synchronous I/O on this thread is usually faster than passing it to another
 * thread. If the I/O is slow repeatedly or for very long, the breaker opens, and callers use another thread. The
 * breaker first stays open for `minOpenMs`, and then twice as long each time, up to `maxOpenMs`. A slow disk therefore
 * blocks this thread only rarely.
 */
export class SyncIoBreaker {
  readonly #options: SyncIoBreakerOptions;
  #openUntil = Number.NEGATIVE_INFINITY;
  #openMs: number;
  /** The total milliseconds of recent slow operations, and the time at which the last of these operations ended. */
  #slowMs = 0;
  #slowAt = 0;

  constructor(options: SyncIoBreakerOptions) {
    this.#options = options;
    this.#openMs = Math.min(minOpenMs, options.maxOpenMs);
  }

  allowsSync(): boolean {
    return this.#now() >= this.#openUntil;
  }

  /** Runs an operation on this thread and measures its duration. */
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
