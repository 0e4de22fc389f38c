export interface QuickTrustOptions {
  /** Milliseconds: longer than this nobody else is to wait. */
  readonly longestWait: number;
  /** Where it is slow again and again, it is not trusted for so many milliseconds each time. */
  readonly distrust: number;
  /** Milliseconds by a clock that nobody sets. */
  elapsed?(): number;
}

/**
 * What is slow now and then has waited for the processor, not for the disk: of each second so much may be lost that way,
 * less than the other thread would take, and the longest wait so many times at once.
 */
const lostShare = 0.02;
const waitsAtOnce = 4;
const shortestDistrust = 1000;

/**
 * For what blocks and is quick as a rule: done at once it takes less time than handing it to another thread. What makes
 * everybody wait for very long, or again and again, is left to the other thread for a while, each time for twice as long
 * as the last time, so that a slow disk holds them up only now and then.
 */
export class QuickTrust {
  readonly #options: QuickTrustOptions;
  #slowUntil = Number.NEGATIVE_INFINITY;
  #distrust: number;
  /** Milliseconds of waits that were too long, and when the last of them ended. */
  #lost = 0;
  #lostAt = 0;

  constructor(options: QuickTrustOptions) {
    this.#options = options;
    this.#distrust = Math.min(shortestDistrust, options.distrust);
  }

  isGiven(): boolean {
    return this.#now() >= this.#slowUntil;
  }

  /** Does it at once, and looks how long it took. */
  run<T>(work: () => T): T {
    const began = this.#now();
    try {
      return work();
    } finally {
      const ended = this.#now();
      if (ended - began > this.#options.longestWait) this.#waited(began, ended);
    }
  }

  #waited(began: number, ended: number): void {
    const stillLost = Math.max(0, this.#lost - lostShare * (began - this.#lostAt));
    this.#lost = stillLost + ended - began;
    this.#lostAt = ended;
    if (this.#lost <= waitsAtOnce * this.#options.longestWait) return;
    this.#lost = 0;
    this.#wasSlow(began, ended);
  }

  #wasSlow(began: number, ended: number): void {
    const { distrust } = this.#options;
    const isLongAgo = began - this.#slowUntil >= distrust;
    this.#distrust = Math.min(isLongAgo ? shortestDistrust : 2 * this.#distrust, distrust);
    this.#slowUntil = ended + this.#distrust;
  }

  #now(): number {
    return this.#options.elapsed?.() ?? performance.now();
  }
}
