/**
 * Runs tasks in order, a limited number per tick of the event loop, so that other work can run in between. The first
 * tasks run as soon as the current operation ends, so that the data they write is sent in the same tick. `add` never
 * runs a task itself.
 */
export class WakeScheduler {
  readonly #perTick: number;
  #waiting: (() => void)[] = [];
  /** Tasks before this index have run. */
  #next = 0;
  /** True if the task limit of this tick is used up. */
  #isLimitReached = false;

  constructor(perTick: number) {
    this.#perTick = perTick;
  }

  /**
   * Tasks must not throw. If callers add a task only after their previous one ran, the queue is at most one per caller.
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
