import {
  type AccessCheck,
  type AccessDecision,
  CelMap,
  type CelValue,
  CostExceeded,
  EvaluationError,
  Meter,
} from '@flotilla/cel';
import type { CompiledPolicyBase, PolicyExpression } from './compile-policy.ts';
import type { RequestBudget } from './request-budget.ts';

/** Thrown if the cost budget is exhausted. The remaining expressions are not evaluated. */
export class CostBudgetExceeded extends Error {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}

/** The value of a CEL expression, or the error of its evaluation. */
export type ExpressionResult = { readonly value: CelValue } | { readonly error: string };

export interface PolicyRunOptions {
  readonly policy: CompiledPolicyBase;
  /** The values of all CEL variables, except `variables`, which is evaluated on demand. */
  readonly values: ReadonlyMap<string, CelValue>;
  readonly checkAccess: (check: AccessCheck) => AccessDecision;
  readonly budget: number;
  /** The budget that all policies for the write share. */
  readonly requestBudget: RequestBudget;
}

/** Evaluates the expressions of a policy for one request. Each policy variable is evaluated once, at its first use. */
export class PolicyRun {
  readonly #options: PolicyRunOptions;
  readonly #variables: Variables;
  remainingBudget: number;

  constructor(options: PolicyRunOptions) {
    this.#options = options;
    this.remainingBudget = options.budget;
    this.#variables = new Variables(options.policy.variables, (expression) => this.#evaluate(expression));
  }

  /** Evaluates an expression. Throws CostBudgetExceeded or RequestBudgetExceeded if a cost budget is exhausted. */
  evaluate(expression: PolicyExpression): ExpressionResult {
    if (expression.fault !== undefined) return { error: `compilation error: ${expression.fault}` };
    try {
      return { value: this.#evaluate(expression) };
    } catch (error) {
      if (!(error instanceof EvaluationError) && !(error instanceof CostExceeded)) throw error;
      return { error: `expression '${expression.text}' resulted in error: ${error.message}` };
    }
  }

  #evaluate(expression: PolicyExpression): CelValue {
    const { values, checkAccess } = this.#options;
    const meter = new Meter();
    try {
      const bindings = (name: string): CelValue | undefined =>
        name === 'variables' ? this.#variables : (values.get(name) ?? null);
      return expression.program?.run(bindings, { meter, checkAccess }) ?? null;
    } finally {
      this.#spend(meter.budgetCost);
    }
  }

  #spend(cost: number): void {
    this.#options.requestBudget.spend(cost);
    this.remainingBudget -= cost;
    if (this.remainingBudget < 0) throw new CostBudgetExceeded();
  }
}

class Variables extends CelMap {
  readonly #expressions: ReadonlyMap<string, PolicyExpression>;
  readonly #evaluate: (expression: PolicyExpression) => CelValue;
  readonly #cache = new Map<string, CelValue | EvaluationError>();

  constructor(
    expressions: ReadonlyMap<string, PolicyExpression>,
    evaluate: (expression: PolicyExpression) => CelValue,
  ) {
    super();
    this.#expressions = expressions;
    this.#evaluate = evaluate;
  }

  get size(): number {
    return this.#expressions.size;
  }

  keys(): Iterable<CelValue> {
    return this.#expressions.keys();
  }

  find(key: CelValue): CelValue | undefined {
    const name = String(key);
    const expression = this.#expressions.get(name);
    if (expression === undefined) return undefined;
    let cached = this.#cache.get(name);
    if (cached === undefined) {
      cached = this.#tryEvaluate(name, expression);
      this.#cache.set(name, cached);
    }
    if (cached instanceof EvaluationError) throw cached;
    return cached;
  }

  #tryEvaluate(name: string, expression: PolicyExpression): CelValue | EvaluationError {
    const failed = (why: string): EvaluationError =>
      new EvaluationError(`composited variable "${name}" fails to evaluate: ${why}`);
    if (expression.fault !== undefined) {
      return new EvaluationError(`composited variable "${name}" fails to compile: ${expression.fault}`);
    }
    try {
      return this.#evaluate(expression);
    } catch (error) {
      if (error instanceof EvaluationError || error instanceof CostExceeded) return failed(error.message);
      throw error;
    }
  }
}
