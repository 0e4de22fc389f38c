import { metersEnabled } from '@flotilla/work-meter';

/**
 * The cost budget of all policies, bindings and parameter objects for one write, in Kubernetes' cost units: about two
 * seconds. In Kubernetes, each policy has its own budget and there is no common budget, so the duration of a write
 * grows with the number of policies.
 */
const REQUEST_COST_BUDGET = 20_000_000;

/** The cost of preparing the evaluation of a policy for one binding and one parameter object. */
export const EVALUATION_COST = 1_000;
/** The cost of comparing an object with the selector of a `paramRef`. */
export const PARAMETER_COST = 100;

/** Thrown if the policies for a write exceed the budget. The write is refused, whatever their `failurePolicy`. */
export class RequestBudgetExceeded extends Error {
  constructor() {
    super(
      `all policies for one request together may cost at most ${REQUEST_COST_BUDGET} units; simplify their expressions, or use fewer policies and parameter objects`,
    );
  }
}

/** The remaining budget of one write. */
export class RequestBudget {
  #remaining = REQUEST_COST_BUDGET;

  /** Throws RequestBudgetExceeded. */
  spend(cost: number): void {
    this.#remaining -= cost;
    if (this.#remaining < 0 && metersEnabled()) throw new RequestBudgetExceeded();
  }
}
