import { CALL_COST_LIMIT } from './validation-rules.ts';

/** The expression cannot be evaluated: a key that is not there, a division by zero. Logical operators can absorb it. */
export class EvaluationError {
  readonly message: string;
  // Not an Error: `exists` may meet one for each element, and a stack for each would be dearer than the rule itself.
  constructor(message: string) {
    this.message = message;
  }
}

/** The expression has cost too much; nothing absorbs that. */
export class CostExceeded {
  readonly message = 'operation cancelled: actual cost limit exceeded';
}

/**
 * What cannot be seen in the cost, as Kubernetes counts it, or only when it is too late: `size` of a string, a comparison
 * of large values, a pattern that is larger than it looks. A step is ten or twenty nanoseconds, so these are a second.
 */
const WORK_LIMIT = 50_000_000;

/** Counts what an evaluation costs, in Kubernetes' units, and ends it when that is too much. */
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
      // What is over the limit of work is over the limit of cost too, for whoever adds costs up.
      this.cost = Math.max(this.cost, this.#limit + 1);
      throw new CostExceeded();
    }
  }
}
