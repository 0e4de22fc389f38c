import type { CelValue } from '@flotilla/cel';
import type { PolicySpec } from '../../api/admissionregistration/validating-admission-policy.ts';
import { usableMessage } from '../validation-rules/rule-messages.ts';
import { OBJECT_COST_BUDGET } from '../validation-rules/validation-rules.ts';
import type { CompiledPolicy, PolicyExpression } from './compile-policy.ts';
import { evaluateConditions } from './evaluate-conditions.ts';
import { CostBudgetExceeded, PolicyRun, type PolicyRunOptions } from './policy-run.ts';

const LONGEST_ANNOTATION = 10 * 1024;

/** A validation of a policy that failed for a request. */
export interface FailedValidation {
  /** The index of the validation in the policy's spec. */
  readonly index: number;
  readonly message: string;
  readonly reason?: string;
}

export interface PolicyResult {
  readonly failures: readonly FailedValidation[];
  /** Annotations for the audit log. */
  readonly annotations: readonly { readonly key: string; readonly value: string }[];
  /**
   * Errors in the audit annotations. If there are any, the request is refused, whatever actions the binding specifies.
   */
  readonly faults: readonly string[];
}

export interface PolicyInput extends Omit<PolicyRunOptions, 'policy' | 'budget'> {
  readonly policy: CompiledPolicy;
  readonly failurePolicy: PolicySpec['failurePolicy'];
  /** Awaited between expressions, so that other requests get processor time. One policy can take seconds. */
  readonly nextTimeSlice?: (() => Promise<void>) | undefined;
}

const NOTHING: PolicyResult = { failures: [], annotations: [], faults: [] };

/**
 * Evaluates a policy for one request. `input.values` contains at most one parameter object. Throws RequestBudgetExceeded.
 */
export async function evaluatePolicy(input: PolicyInput): Promise<PolicyResult> {
  const ignoresFailures = input.failurePolicy === 'Ignore';
  const failed = (message: string): PolicyResult =>
    ignoresFailures ? NOTHING : { ...NOTHING, failures: [{ index: 0, message }] };
  try {
    const conditionResult = await evaluateConditions(input);
    if (conditionResult === 'unmet') return NOTHING;
    if (conditionResult !== undefined) return failed(conditionResult.error);
    const run = new PolicyRun({ ...input, budget: OBJECT_COST_BUDGET });
    const failures: FailedValidation[] = [];
    for (const [index, validation] of input.policy.validations.entries()) {
      await input.nextTimeSlice?.();
      failures.push(...failuresOf(run, validation, index, ignoresFailures));
    }
    return { failures, ...(await annotationsOf(input, ignoresFailures)) };
  } catch (error) {
    if (error instanceof CostBudgetExceeded) return failed(error.message);
    throw error;
  }
}

function failuresOf(
  run: PolicyRun,
  { validation, expression, message }: CompiledPolicy['validations'][number],
  index: number,
  ignoresFailures: boolean,
): FailedValidation[] {
  const result = run.evaluate(expression);
  if ('error' in result) return ignoresFailures ? [] : [{ index, message: result.error }];
  if (result.value === true) return [];
  const { reason } = validation;
  const text =
    messageText(run, message) ?? ((validation.message ?? '').trim() || `failed expression: ${expression.text.trim()}`);
  return [{ index, message: text, ...(reason === undefined ? {} : { reason }) }];
}

/** Returns the result of a `messageExpression`, `undefined` if it is not a usable message. */
function messageText(run: PolicyRun, message: PolicyExpression | undefined): string | undefined {
  if (message === undefined || message.fault !== undefined) return undefined;
  const result = run.evaluate(message);
  return 'value' in result ? usableMessage(result.value).text : undefined;
}

async function annotationsOf(
  input: PolicyInput,
  ignoresFailures: boolean,
): Promise<Pick<PolicyResult, 'annotations' | 'faults'>> {
  const annotations: { key: string; value: string }[] = [];
  const faults: string[] = [];
  const run = new PolicyRun({ ...input, budget: OBJECT_COST_BUDGET });
  for (const { key, expression } of input.policy.annotations) {
    await input.nextTimeSlice?.();
    const result = run.evaluate(expression);
    if ('error' in result) {
      if (!ignoresFailures) faults.push(result.error);
      continue;
    }
    const text = annotationText(result.value);
    if (text !== '') annotations.push({ key, value: Buffer.from(text).subarray(0, LONGEST_ANNOTATION).toString() });
  }
  return { annotations, faults };
}

function annotationText(value: CelValue): string {
  return typeof value === 'string' ? value.trim() : '';
}
