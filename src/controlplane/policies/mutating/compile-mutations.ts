import type { Parse } from '@flotilla/cel';
import { type CompiledPolicyBase, PolicyCompiler, type PolicyExpression } from '../compile-policy.ts';
import type { MutatingPolicySpec } from './mutating-policy-spec.ts';

export interface CompiledMutation {
  readonly patchType: 'ApplyConfiguration' | 'JSONPatch';
  readonly expression: PolicyExpression;
}

/** A mutating policy whose CEL expressions have been compiled. */
export interface CompiledMutatingPolicy extends CompiledPolicyBase {
  readonly mutations: readonly CompiledMutation[];
}

/** Compiles all CEL expressions of a mutating policy. */
export async function compileMutatingPolicy(parse: Parse, spec: MutatingPolicySpec): Promise<CompiledMutatingPolicy> {
  const compiler = new PolicyCompiler(parse, { params: spec.paramKind !== undefined, authorizer: true });
  await compiler.compileVariables(spec.variables ?? []);
  const conditions = await compiler.compileConditions(spec.matchConditions ?? []);
  const environment = compiler.environment({ patchTypes: true });
  const mutations: CompiledMutation[] = [];
  for (const { patchType, jsonPatch, applyConfiguration } of spec.mutations ?? []) {
    const isJsonPatch = patchType === 'JSONPatch';
    const text = ((isJsonPatch ? jsonPatch : applyConfiguration)?.expression ?? '').trim();
    const expression = await compiler.compile(text, environment, [isJsonPatch ? 'list(JSONPatch)' : 'Object']);
    mutations.push({ patchType: isJsonPatch ? 'JSONPatch' : 'ApplyConfiguration', expression });
  }
  return { conditions, variables: compiler.variables, mutations };
}
