import type { PolicySpec } from '../../api/admissionregistration/validating-admission-policy.ts';
import { DividedWork } from '../../lib/divided-work.ts';
import { type CelType, DYN, describeType } from '../cel/cel-type.ts';
import { CHARACTERS_PER_TURN, compileExpression, type Program } from '../cel/compile-expression.ts';
import type { Environment } from '../cel/environment.ts';
import type { Parse } from '../cel/parse.ts';
import { type PolicyNames, policyEnvironment } from './policy-environment.ts';

/** An expression of a policy: what it comes to, or why it cannot be asked. */
export interface PolicyExpression {
  readonly text: string;
  readonly program?: Program;
  readonly fault?: string;
}

/** A policy that is ready to be asked. */
export interface CompiledPolicy {
  readonly conditions: readonly (PolicyExpression & { readonly name: string })[];
  readonly variables: ReadonlyMap<string, PolicyExpression>;
  readonly validations: readonly {
    readonly validation: NonNullable<PolicySpec['validations']>[number];
    readonly expression: PolicyExpression;
    readonly message?: PolicyExpression;
  }[];
  readonly annotations: readonly { readonly key: string; readonly expression: PolicyExpression }[];
}

/** Compiles all expressions of a policy; `objectType` where the kind is known that it is about. */
export async function compilePolicy(parse: Parse, spec: PolicySpec, objectType?: CelType): Promise<CompiledPolicy> {
  const names: PolicyNames = {
    params: spec.paramKind !== undefined,
    authorizer: true,
    ...(objectType === undefined ? {} : { objectType }),
  };
  const work = new DividedWork(CHARACTERS_PER_TURN);
  const compile = async (text: string, environment: Environment, wanted: readonly string[] | undefined) => {
    if (work.spend(text.length)) await work.next();
    return compileOne(parse, text, environment, wanted);
  };
  const types = new Map<string, CelType>();
  const variables = new Map<string, PolicyExpression>();
  const hasVariables = (spec.variables ?? []).length > 0;
  const environment = (more: Partial<PolicyNames> = {}): Environment =>
    policyEnvironment({ ...names, ...more, ...(hasVariables ? { variables: types } : {}) });
  for (const { name, expression = '' } of spec.variables ?? []) {
    const compiled = await compile(expression, environment(), undefined);
    variables.set(name, compiled);
    types.set(name, compiled.program?.type ?? DYN);
  }
  const whole = environment();
  // Conditions are looked at before anything else; variables are not there yet.
  const plain = policyEnvironment(names);
  const messages = environment({ authorizer: false });
  const conditions: (PolicyExpression & { readonly name: string })[] = [];
  for (const { name, expression = '' } of spec.matchConditions ?? []) {
    conditions.push({ name, ...(await compile(expression.trim(), plain, ['bool'])) });
  }
  const validations: CompiledPolicy['validations'][number][] = [];
  for (const validation of spec.validations ?? []) {
    const { expression: text = '', messageExpression = '' } = validation;
    const expression = await compile(text, whole, ['bool']);
    const hasMessage = messageExpression.trim() !== '';
    const message = hasMessage ? await compile(messageExpression, messages, ['string']) : undefined;
    validations.push({ validation, expression, ...(message && { message }) });
  }
  const annotations: CompiledPolicy['annotations'][number][] = [];
  for (const { key = '', valueExpression = '' } of spec.auditAnnotations ?? []) {
    annotations.push({ key, expression: await compile(valueExpression.trim(), whole, ['string', 'null_type']) });
  }
  return { conditions, variables, validations, annotations };
}

function compileOne(
  parse: Parse,
  text: string,
  environment: Environment,
  wanted: readonly string[] | undefined,
): PolicyExpression {
  const program = compileExpression(parse, text, environment);
  if ('fault' in program) {
    const stage = program.always === true ? 'program instantiation failed' : 'compilation failed';
    return { text, fault: `${stage}: ${program.fault}` };
  }
  const { type } = program;
  if (wanted === undefined || wanted.includes(type.kind)) return { text, program };
  const kinds = wanted.length === 1 ? wanted[0] : `one of [${wanted.join(' ')}]`;
  return { text, fault: `must evaluate to ${kinds} but got ${describeType(type)}` };
}
