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

/** A match condition of a policy or webhook. */
export interface CompiledCondition extends PolicyExpression {
  readonly name: string;
}

/** The compiled parts that validating and mutating policies have in common. */
export interface CompiledPolicyBase {
  readonly conditions: readonly CompiledCondition[];
  readonly variables: ReadonlyMap<string, PolicyExpression>;
}

/** A policy whose CEL expressions have been compiled. */
export interface CompiledPolicy extends CompiledPolicyBase {
  readonly validations: readonly {
    readonly validation: NonNullable<PolicySpec['validations']>[number];
    readonly expression: PolicyExpression;
    readonly message?: PolicyExpression;
  }[];
  readonly annotations: readonly { readonly key: string; readonly expression: PolicyExpression }[];
}

/**
 * Compiles the CEL expressions of one policy. Limits the total work of compiling, and gives other requests processor
 * time between expressions.
 */
export class PolicyCompiler {
  readonly #parse: Parse;
  readonly #options: PolicyEnvironmentOptions;
  readonly #work = new WorkBudget(WORK_PER_SLICE);
  #totalWork = 0;
  readonly #types = new Map<string, CelType>();
  #hasVariables = false;
  readonly variables = new Map<string, PolicyExpression>();

  constructor(parse: Parse, options: PolicyEnvironmentOptions) {
    this.#parse = parse;
    this.#options = options;
  }

  /** Compiles one expression. `expectedTypes` are the types that it may evaluate to; `undefined` for all types. */
  async compile(
    text: string,
    environment: Environment,
    expectedTypes: readonly string[] | undefined,
  ): Promise<PolicyExpression> {
    this.#totalWork += text.length;
    if (this.#totalWork > MAX_COMPILE_WORK) return { text, fault: tooMuchToCompile('expressions of a policy') };
    if (this.#work.spend(text.length)) await this.#work.next();
    const compileText = (source: string, types: Environment) =>
      compileExpression(this.#parse, source, types, (characters) => {
        this.#totalWork += characters;
        this.#work.spend(characters);
      });
    return compileOne(compileText, text, environment, expectedTypes);
  }

  /** Compiles the variables of a policy. Each variable can use the variables before it. */
  async compileVariables(variables: NonNullable<PolicySpec['variables']>): Promise<void> {
    this.#hasVariables = variables.length > 0;
    for (const { name, expression = '' } of variables) {
      const compiled = await this.compile(expression, this.environment(), undefined);
      this.variables.set(name, compiled);
      this.#types.set(name, compiled.program?.type ?? DYN);
    }
  }

  /** Returns the environment of expressions that can use the variables compiled so far. */
  environment(more: Partial<PolicyEnvironmentOptions> = {}): Environment {
    return policyEnvironment({
      ...this.#options,
      ...more,
      ...(this.#hasVariables ? { variables: this.#types } : {}),
    });
  }

  /** Compiles match conditions. They are evaluated before everything else and cannot use variables. */
  async compileConditions(conditions: NonNullable<PolicySpec['matchConditions']>): Promise<CompiledCondition[]> {
    const environment = policyEnvironment(this.#options);
    const compiled: CompiledCondition[] = [];
    for (const { name, expression = '' } of conditions) {
      compiled.push({ name, ...(await this.compile(expression.trim(), environment, ['bool'])) });
    }
    return compiled;
  }
}

/** Compiles all CEL expressions of a policy. `objectType` is set for type checks against one kind. */
export async function compilePolicy(parse: Parse, spec: PolicySpec, objectType?: CelType): Promise<CompiledPolicy> {
  const compiler = new PolicyCompiler(parse, {
    params: spec.paramKind !== undefined,
    authorizer: true,
    ...(objectType === undefined ? {} : { objectType }),
  });
  await compiler.compileVariables(spec.variables ?? []);
  const fullEnvironment = compiler.environment();
  const messageEnvironment = compiler.environment({ authorizer: false });
  const conditions = await compiler.compileConditions(spec.matchConditions ?? []);
  const validations: CompiledPolicy['validations'][number][] = [];
  for (const validation of spec.validations ?? []) {
    const { expression: text = '', messageExpression = '' } = validation;
    const expression = await compiler.compile(text, fullEnvironment, ['bool']);
    const hasMessage = messageExpression.trim() !== '';
    const message = hasMessage ? await compiler.compile(messageExpression, messageEnvironment, ['string']) : undefined;
    validations.push({ validation, expression, ...(message && { message }) });
  }
  const annotations: CompiledPolicy['annotations'][number][] = [];
  for (const { key = '', valueExpression = '' } of spec.auditAnnotations ?? []) {
    annotations.push({
      key,
      expression: await compiler.compile(valueExpression.trim(), fullEnvironment, ['string', 'null_type']),
    });
  }
  return { conditions, variables: compiler.variables, validations, annotations };
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
  if (expectedTypes.includes(describeType(type))) return { text, program };
  const kinds = expectedTypes.length === 1 ? expectedTypes[0] : `one of [${expectedTypes.join(' ')}]`;
  return { text, fault: `must evaluate to ${kinds} but got ${describeType(type)}` };
}
