import { metersEnabled } from '@flotilla/work-meter';

/**
 * An error during the evaluation, such as a missing key or a division by zero. Operators such as `&&` and `||` ignore
 * an error in one operand if the other operand decides the result.
 */
export class EvaluationError {
  readonly message: string;
  // An EvaluationError is not a JavaScript Error, because `exists` can produce one EvaluationError per element, and
  // creating stack traces would be expensive.
  constructor(message: string) {
    this.message = message;
  }
}

/** Thrown if an expression exceeds its cost limit. Unlike an EvaluationError, it always ends the evaluation. */
export class CostExceeded {
  readonly message = 'operation cancelled: actual cost limit exceeded';
}

/** The cost limit of one evaluation of one expression, in Kubernetes' units. */
const CALL_COST_LIMIT = 1_000_000;

/**
 * The maximum number of work steps, for work that Kubernetes' cost omits or counts too late: the `size` of a string,
 * comparisons of large values, patterns with many states. One step takes about 10 nanoseconds, so the limit is about
 * 200 milliseconds.
 */
const WORK_LIMIT = 20_000_000;

/**
 * The number of work steps that count as one unit of cost. Kubernetes' budget of ten million units for an object then
 * allows a third of a second of work.
 */
const STEPS_PER_UNIT = 3;

/** Counts the cost of an evaluation in Kubernetes' cost units. Throws CostExceeded if the limit is exceeded. */
export class Meter {
  cost = 0;
  #work = 0;
  readonly #limit: number;

  constructor(limit = CALL_COST_LIMIT) {
    this.#limit = limit;
  }

  charge(units: number): void {
    this.cost += units;
    if (this.cost > this.#limit && metersEnabled()) throw new CostExceeded();
  }

  /**
   * The cost that is charged to a budget shared by several evaluations: at least the cost of the work steps. If only
   * Kubernetes' cost counted, thousands of evaluations could each do the maximum work for almost no cost.
   */
  get budgetCost(): number {
    return Math.max(this.cost, Math.floor(this.#work / STEPS_PER_UNIT));
  }

  refund(units: number): void {
    this.cost -= units;
  }

  work(steps: number): void {
    this.#work += steps;
    if (this.#work > WORK_LIMIT && metersEnabled()) {
      // Raise the cost above the limit. Callers that add up the costs of several evaluations then stop all of these
      // evaluations.
      this.cost = Math.max(this.cost, this.#limit + 1);
      throw new CostExceeded();
    }
  }
}
