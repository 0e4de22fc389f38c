/**
 * Divides long work over several ticks of the event loop, so that other requests are served in between. Callers specify
 * the amount of work of each step in units of their choice. Time is not measured, so the same work always takes the
 * same number of ticks.
 */
export class WorkBudget {
  readonly #perTick: number;
  readonly #nextTick: () => Promise<void>;
  #spent = 0;

  /**
   * `perTick` is the number of units of work that may be done in one tick. `waitForTick` resolves when the work may
   * continue. Optional; by default it resolves in the next tick of the event loop. Requests that share the CPU in time
   * slices pass a function that waits for their next time slice.
   */
  constructor(perTick: number, waitForTick: () => Promise<void> = yieldToEventLoop) {
    this.#perTick = perTick;
    this.#nextTick = waitForTick;
  }

  /**
   * Adds units to the work of this tick. If `spend` returns true, the budget of the tick is used up and the caller must
   * await `next`.
   */
  spend(units: number): boolean {
    this.#spent += units;
    return this.#spent >= this.#perTick;
  }

  next(): Promise<void> {
    this.#spent = 0;
    return this.#nextTick();
  }
}

/** Resolves after the other pending work of the event loop has run. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
