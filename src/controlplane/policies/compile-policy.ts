import {
  type CelType,
  type CompileError,
  compileExpression,
  DYN,
  describeType,
  type Environment,
  MAX_COMPILE_WORK,
  type Parse,
  type Program,
  tooMuchToCompile,
  WORK_PER_SLICE,
} from '@flotilla/cel';
import type { PolicySpec } from '../../api/admissionregistration/validating-admission-policy.ts';
import { WorkBudget } from '../../lib/work-budget.ts';
import { type PolicyEnvironmentOptions, policyEnvironment } from './policy-environment.ts';

/** A CEL expression of a policy. Contains either the compiled program or the reason why it does not compile. */
export interface PolicyExpression {
  readonly text: string;
  readonly program?: Program;
  readonly fault?: string;
}

/** A policy whose CEL expressions have been compiled. */
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

/** Compiles all CEL expressions of a policy. `objectType` is set for type checks against one kind. */
export async function compilePolicy(parse: Parse, spec: PolicySpec, objectType?: CelType): Promise<CompiledPolicy> {
  const names: PolicyEnvironmentOptions = {
    params: spec.paramKind !== undefined,
    authorizer: true,
    ...(objectType === undefined ? {} : { objectType }),
  };
  const work = new WorkBudget(WORK_PER_SLICE);
  let totalWork = 0;
  const compile = async (text: string, environment: Environment, expectedTypes: readonly string[] | undefined) => {
    totalWork += text.length;
    if (totalWork > MAX_COMPILE_WORK) return { text, fault: tooMuchToCompile('expressions of a policy') };
    if (work.spend(text.length)) await work.next();
    const compileText = (source: string, types: Environment) =>
      compileExpression(parse, source, types, (characters) => {
        totalWork += characters;
        work.spend(characters);
      });
    return compileOne(compileText, text, environment, expectedTypes);
  };
  const types = new Map<string, CelType>();
  const variables = new Map<string, PolicyExpression>();
  const hasVariables = (spec.variables ?? []).length > 0;
  const environment = (more: Partial<PolicyEnvironmentOptions> = {}): Environment =>
    policyEnvironment({ ...names, ...more, ...(hasVariables ? { variables: types } : {}) });
  for (const { name, expression = '' } of spec.variables ?? []) {
    const compiled = await compile(expression, environment(), undefined);
    variables.set(name, compiled);
    types.set(name, compiled.program?.type ?? DYN);
  }
  const fullEnvironment = environment();
  // Match conditions are evaluated before the validations. They cannot use the policy's variables.
  const conditionEnvironment = policyEnvironment(names);
  const messageEnvironment = environment({ authorizer: false });
  const conditions: (PolicyExpression & { readonly name: string })[] = [];
  for (const { name, expression = '' } of spec.matchConditions ?? []) {
    conditions.push({ name, ...(await compile(expression.trim(), conditionEnvironment, ['bool'])) });
  }
  const validations: CompiledPolicy['validations'][number][] = [];
  for (const validation of spec.validations ?? []) {
    const { expression: text = '', messageExpression = '' } = validation;
    const expression = await compile(text, fullEnvironment, ['bool']);
    const hasMessage = messageExpression.trim() !== '';
    const message = hasMessage ? await compile(messageExpression, messageEnvironment, ['string']) : undefined;
    validations.push({ validation, expression, ...(message && { message }) });
  }
  const annotations: CompiledPolicy['annotations'][number][] = [];
  for (const { key = '', valueExpression = '' } of spec.auditAnnotations ?? []) {
    annotations.push({
      key,
      expression: await compile(valueExpression.trim(), fullEnvironment, ['string', 'null_type']),
    });
  }
  return { conditions, variables, validations, annotations };
}

function compileOne(
  compile: (text: string, environment: Environment) => Program | CompileError,
  text: string,
  environment: Environment,
  expectedTypes: readonly string[] | undefined,
): PolicyExpression {
  const program = compile(text, environment);
  if ('fault' in program) {
    const stage = program.failsAlways === true ? 'program instantiation failed' : 'compilation failed';
    return { text, fault: `${stage}: ${program.fault}` };
  }
  const { type } = program;
  if (expectedTypes === undefined || expectedTypes.includes(type.kind)) return { text, program };
  const kinds = expectedTypes.length === 1 ? expectedTypes[0] : `one of [${expectedTypes.join(' ')}]`;
  return { text, fault: `must evaluate to ${kinds} but got ${describeType(type)}` };
}
