export interface QuickTrustOptions {
  /** Milliseconds: longer than this nobody else is to wait. */
  readonly longestWait: number;
  /** After it was slow, it is not trusted for so many milliseconds. */
  readonly distrust: number;
  /** Milliseconds by a clock that nobody sets. */
  elapsed?(): number;
}

/**
 * For what blocks and is quick as a rule: done at once it takes less time than handing it to another thread. Whatever
 * has made everybody wait is left to the other thread for a while, so that a slow disk holds them up only now and then.
 */
export class QuickTrust {
  readonly #options: QuickTrustOptions;
  #slowUntil = Number.NEGATIVE_INFINITY;

  constructor(options: QuickTrustOptions) {
    this.#options = options;
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
      if (ended - began > this.#options.longestWait) this.#slowUntil = ended + this.#options.distrust;
    }
  }

  #now(): number {
    return this.#options.elapsed?.() ?? performance.now();
  }
}
