import type { PolicySpec } from '../../api/admissionregistration/validating-admission-policy.ts';
import { usableMessage } from '../cel/rule-messages.ts';
import { OBJECT_COST_BUDGET } from '../cel/validation-rules.ts';
import type { CelValue } from '../cel/value.ts';
import type { CompiledPolicy, PolicyExpression } from './compile-policy.ts';
import { type Outcome, OutOfBudget, PolicyRun, type RunOptions } from './policy-run.ts';

/** What all conditions of a policy may cost together: a quarter of a second of Kubernetes' time. */
const CONDITIONS_BUDGET = 2_500_000;
const LONGEST_ANNOTATION = 10 * 1024;

/** What a policy has against a request. */
export interface Objection {
  /** Which of the validations it is. */
  readonly index: number;
  readonly message: string;
  readonly reason?: string;
}

export interface PolicyAnswer {
  readonly objections: readonly Objection[];
  /** For the audit log. */
  readonly annotations: readonly { readonly key: string; readonly value: string }[];
  /** What could not be worked out for the audit log; refuses the request whatever the binding says. */
  readonly faults: readonly string[];
}

export interface PolicyQuestion extends Omit<RunOptions, 'policy' | 'budget'> {
  readonly policy: CompiledPolicy;
  readonly failurePolicy: PolicySpec['failurePolicy'];
  /** Waited for between expressions: one policy can take seconds, and others get their turn at the processor. */
  readonly turn?: (() => Promise<void>) | undefined;
}

const NOTHING: PolicyAnswer = { objections: [], annotations: [], faults: [] };

/** Asks a policy about one request with one parameter. */
export async function askPolicy(question: PolicyQuestion): Promise<PolicyAnswer> {
  const ignores = question.failurePolicy === 'Ignore';
  const failed = (message: string): PolicyAnswer =>
    ignores ? NOTHING : { ...NOTHING, objections: [{ index: 0, message }] };
  try {
    const unmet = await unmetCondition(question);
    if (unmet === 'unmet') return NOTHING;
    if (unmet !== undefined) return failed(unmet.error);
    const run = new PolicyRun({ ...question, budget: OBJECT_COST_BUDGET });
    const objections: Objection[] = [];
    for (const [index, validation] of question.policy.validations.entries()) {
      await question.turn?.();
      objections.push(...objection(run, validation, index, ignores));
    }
    return { objections, ...(await annotationsOf(question, ignores)) };
  } catch (error) {
    if (error instanceof OutOfBudget) return failed(error.message);
    throw error;
  }
}

/** One that does not hold decides; errors count only where none does. */
async function unmetCondition(question: PolicyQuestion): Promise<'unmet' | { readonly error: string } | undefined> {
  const { conditions } = question.policy;
  if (conditions.length === 0) return undefined;
  const run = new PolicyRun({ ...question, budget: CONDITIONS_BUDGET });
  const outcomes: Outcome[] = [];
  for (const condition of conditions) {
    await question.turn?.();
    outcomes.push(run.ask(condition));
  }
  if (outcomes.some((outcome) => 'value' in outcome && outcome.value === false)) return 'unmet';
  const errors = outcomes.flatMap((outcome) => ('error' in outcome ? [outcome.error] : []));
  if (errors.length === 0) return undefined;
  return { error: errors.length === 1 ? (errors[0] as string) : `[${errors.join(', ')}]` };
}

function objection(
  run: PolicyRun,
  { validation, expression, message }: CompiledPolicy['validations'][number],
  index: number,
  ignores: boolean,
): Objection[] {
  const outcome = run.ask(expression);
  if ('error' in outcome) return ignores ? [] : [{ index, message: outcome.error }];
  if (outcome.value === true) return [];
  const { reason } = validation;
  const text =
    made(run, message) ?? ((validation.message ?? '').trim() || `failed expression: ${expression.text.trim()}`);
  return [{ index, message: text, ...(reason === undefined ? {} : { reason }) }];
}

/** What a message expression makes, if that can be used. */
function made(run: PolicyRun, message: PolicyExpression | undefined): string | undefined {
  if (message === undefined || message.fault !== undefined) return undefined;
  const outcome = run.ask(message);
  return 'value' in outcome ? usableMessage(outcome.value).text : undefined;
}

async function annotationsOf(
  question: PolicyQuestion,
  ignores: boolean,
): Promise<Pick<PolicyAnswer, 'annotations' | 'faults'>> {
  const annotations: { key: string; value: string }[] = [];
  const faults: string[] = [];
  const run = new PolicyRun({ ...question, budget: OBJECT_COST_BUDGET });
  for (const { key, expression } of question.policy.annotations) {
    await question.turn?.();
    const outcome = run.ask(expression);
    if ('error' in outcome) {
      if (!ignores) faults.push(outcome.error);
      continue;
    }
    const text = annotationText(outcome.value);
    if (text !== '') annotations.push({ key, value: Buffer.from(text).subarray(0, LONGEST_ANNOTATION).toString() });
  }
  return { annotations, faults };
}

function annotationText(value: CelValue): string {
  return typeof value === 'string' ? value.trim() : '';
}
