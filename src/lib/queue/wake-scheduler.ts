/**
 * Runs tasks in order, with a limited number per tick of the event loop, so that other work can run in between. The
 * first tasks run right after the current operation, so the data that these tasks write is sent in the same tick. `add`
 * never runs a task itself.
 */
export class WakeScheduler {
  readonly #perTick: number;
  #waiting: (() => void)[] = [];
  /** The index of the next task to run. */
  #next = 0;
  /** True if the maximum number of tasks has run in this tick. */
  #isLimitReached = false;

  constructor(perTick: number) {
    this.#perTick = perTick;
  }

  /**
   * Adds a task, which must not throw. If each caller adds a task only after its previous task has run, the queue
   * contains at most one task per caller.
   */
  add(task: () => void): void {
    this.#waiting.push(task);
    if (this.#waiting.length === 1 && !this.#isLimitReached) process.nextTick(this.#runSome);
  }

  readonly #runSome = (): void => {
    const end = Math.min(this.#waiting.length, this.#next + this.#perTick);
    for (; this.#next < end; this.#next++) this.#waiting[this.#next]?.();
    if (this.#next === this.#waiting.length) {
      this.#waiting = [];
      this.#next = 0;
    }
    this.#isLimitReached = true;
    setImmediate(this.#onNextTick);
  };

  readonly #onNextTick = (): void => {
    this.#isLimitReached = false;
    if (this.#waiting.length > 0) this.#runSome();
  };
}
