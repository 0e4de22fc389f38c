/**
 * Divides long work over several ticks of the event loop, so that other requests are served in between. Callers declare
 * the cost of a step in units of their choice; it is not measured, so that the same work always takes the same number
 * of ticks.
 */
export class WorkBudget {
  readonly #perTick: number;
  readonly #nextTick: () => Promise<void>;
  #spent = 0;

  /**
   * `waitForTick` waits for the next tick if several callers share ticks. Optional; defaults to the next tick of the event
   * loop.
   */
  constructor(perTick: number, waitForTick: () => Promise<void> = yieldToEventLoop) {
    this.#perTick = perTick;
    this.#nextTick = waitForTick;
  }

  /** Returns true if the budget of this tick is used up; the caller then awaits `next`. */
  spend(units: number): boolean {
    this.#spent += units;
    return this.#spent >= this.#perTick;
  }

  next(): Promise<void> {
    this.#spent = 0;
    return this.#nextTick();
  }
}

/** Resolves after other pending work of the event loop has run. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
