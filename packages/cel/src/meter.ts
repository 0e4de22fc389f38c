/** An evaluation error: a missing key, a division by zero. Logical operators can absorb it. */
export class EvaluationError {
  readonly message: string;
  // Not an Error: `exists` may produce one for each element, and a stack trace for each would cost more than the rule.
  constructor(message: string) {
    this.message = message;
  }
}

/** The expression exceeds its cost limit; nothing absorbs that. */
export class CostExceeded {
  readonly message = 'operation cancelled: actual cost limit exceeded';
}

/** The cost limit of one evaluation of one expression, in Kubernetes' units. */
const CALL_COST_LIMIT = 1_000_000;

/**
 * The limit for work that Kubernetes' cost does not include, or includes too late: `size` of a string, a comparison of
 * large values, a pattern that is larger than it looks. A step takes ten or twenty nanoseconds, so the limit is about a
 * second.
 */
const WORK_LIMIT = 50_000_000;

/** Counts the cost of an evaluation in Kubernetes' units, and aborts it at the limit. */
export class Meter {
  cost = 0;
  #work = 0;
  readonly #limit: number;

  constructor(limit = CALL_COST_LIMIT) {
    this.#limit = limit;
  }

  charge(units: number): void {
    this.cost += units;
    if (this.cost > this.#limit) throw new CostExceeded();
  }

  refund(units: number): void {
    this.cost -= units;
  }

  work(steps: number): void {
    this.#work += steps;
    if (this.#work > WORK_LIMIT) {
      // Exceeding the work limit also exceeds the cost limit, for callers that add up costs.
      this.cost = Math.max(this.cost, this.#limit + 1);
      throw new CostExceeded();
    }
  }
}
