import type { CompiledPolicyBase } from './compile-policy.ts';
import { type ExpressionResult, PolicyRun, type PolicyRunOptions } from './policy-run.ts';

/** The cost budget for all match conditions of a policy, in Kubernetes' cost units: about a quarter of a second. */
const CONDITIONS_BUDGET = 2_500_000;

export interface ConditionsInput extends Omit<PolicyRunOptions, 'budget'> {
  readonly policy: CompiledPolicyBase;
  /** Awaited between expressions, so that other requests get processor time. One policy can take seconds. */
  readonly nextTimeSlice?: (() => Promise<void>) | undefined;
}

/**
 * Evaluates the match conditions of a policy or webhook. Returns 'unmet' if any condition is false, even if others have
 * errors, and `undefined` if all are true. Throws CostBudgetExceeded and RequestBudgetExceeded.
 */
export async function evaluateConditions(
  input: ConditionsInput,
): Promise<'unmet' | { readonly error: string } | undefined> {
  const { conditions } = input.policy;
  if (conditions.length === 0) return undefined;
  const run = new PolicyRun({ ...input, budget: CONDITIONS_BUDGET });
  const results: ExpressionResult[] = [];
  for (const condition of conditions) {
    await input.nextTimeSlice?.();
    results.push(run.evaluate(condition));
  }
  if (results.some((result) => 'value' in result && result.value === false)) return 'unmet';
  const errors = results.flatMap((result) => ('error' in result ? [result.error] : []));
  if (errors.length === 0) return undefined;
  return { error: errors.length === 1 ? (errors[0] as string) : `[${errors.join(', ')}]` };
}
