/** Thrown when metered work exceeds its limit. The message names the operation and the limit. */
export class WorkLimitError extends Error {
  readonly limit: number;

  constructor(operation: string, limit: number) {
    super(`${operation} takes more than ${limit} units of work`);
    this.name = 'WorkLimitError';
    this.limit = limit;
  }
}

let areMetersEnabled = true;

/**
 * For tests only: disables the limits of all meters of this thread, to show what protects other tenants from work that
 * no meter counts. Returns a function that enables the limits again.
 */
export function disableMeters(): () => void {
  areMetersEnabled = false;
  return () => {
    areMetersEnabled = true;
  };
}

/** True unless a test has disabled the limits. Used by meters that are not a WorkMeter. */
export function metersEnabled(): boolean {
  return areMetersEnabled;
}

/**
 * Counts the work of evaluating input of a tenant, and ends the evaluation at a limit. One unit is one byte, character
 * or value that the evaluation visits or creates, which takes some nanoseconds. Charge work before it is done, in
 * proportion to its size, so that no single operation exceeds the limit by much.
 */
export class WorkMeter {
  readonly #operation: string;
  readonly #limit: number;
  #used = 0;

  /** `operation` is the subject of the error message, such as `rendering the template`. */
  constructor(operation: string, limit: number) {
    this.#operation = operation;
    this.#limit = limit;
  }

  /** The units that were charged so far. */
  get used(): number {
    return this.#used;
  }

  /** The units that can still be charged. */
  get remaining(): number {
    return this.#limit - this.#used;
  }

  /** Throws WorkLimitError if the limit is exceeded. */
  charge(units: number): void {
    this.#used += units;
    if (this.#used > this.#limit && areMetersEnabled) throw new WorkLimitError(this.#operation, this.#limit);
  }

  /**
   * Charges the units and returns true if the limit allows it. Otherwise charges nothing and returns false. Used for
   * work whose result can be replaced, such as a cell of a table. If many cells exceeded the limit, throwing an
   * exception for each would be expensive.
   */
  tryCharge(units: number): boolean {
    if (this.#used + units > this.#limit && areMetersEnabled) return false;
    this.#used += units;
    return true;
  }
}
