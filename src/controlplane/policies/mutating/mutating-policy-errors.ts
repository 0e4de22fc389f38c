import { loadParser } from '@flotilla/cel';
import { bindingErrors } from '../../../api/admissionregistration/binding-errors.ts';
import type { MatchResources } from '../../../api/admissionregistration/match-resources.ts';
import { type FieldError, invalid, notSupported, required } from '../../../api/field-error.ts';
import { childPath, indexPath } from '../../../api/schema/field-path.ts';
import { conditionErrors, faultOf, policyBaseErrors, variableErrors } from '../policy-errors.ts';
import { type CompiledMutation, compileMutatingPolicy } from './compile-mutations.ts';
import type { MutatingBindingSpec, MutatingPolicySpec, Mutation } from './mutating-policy-spec.ts';

/** Mutating policies have no effect on deletes. */
const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'UPDATE'];
const REINVOCATION_POLICIES = ['IfNeeded', 'Never'];
const PATCH_TYPES = ['ApplyConfiguration', 'JSONPatch'];

/** Returns the validation errors of a MutatingAdmissionPolicy and of its CEL expressions, worded as in Kubernetes. */
export async function mutatingPolicyErrors(spec: MutatingPolicySpec): Promise<FieldError[]> {
  const { mutations = [], reinvocationPolicy = '', matchConstraints } = spec;
  const compiled = await compileMutatingPolicy(await loadParser(), spec);
  const errors = [
    ...policyBaseErrors(spec),
    ...operationErrors(matchConstraints, 'spec.matchConstraints'),
    ...conditionErrors(spec.matchConditions ?? [], compiled.conditions, 'spec.matchConditions'),
    ...variableErrors(spec.variables ?? [], [...compiled.variables.values()]),
  ];
  if (mutations.length === 0) errors.push(required('spec.mutations', 'mutations must contain at least one item'));
  for (const [index, mutation] of mutations.entries()) {
    errors.push(...mutationErrors(mutation, compiled.mutations[index], indexPath('spec.mutations', index)));
  }
  if (reinvocationPolicy === '') errors.push(required('spec.reinvocationPolicy'));
  else if (!REINVOCATION_POLICIES.includes(reinvocationPolicy)) {
    errors.push(notSupported('spec.reinvocationPolicy', reinvocationPolicy, REINVOCATION_POLICIES));
  }
  return errors;
}

/** Returns the validation errors of a MutatingAdmissionPolicyBinding, worded as in Kubernetes. */
export function mutatingBindingErrors(spec: MutatingBindingSpec): FieldError[] {
  return [...bindingErrors(spec), ...operationErrors(spec.matchResources, 'spec.matchResources')];
}

function operationErrors(match: MatchResources | undefined, path: string): FieldError[] {
  const field = `${path}.resourceRules.operations`;
  return (match?.resourceRules ?? []).flatMap(({ operations = [] }) =>
    operations.flatMap((one) => (OPERATIONS.includes(one) ? [] : [notSupported(field, one, OPERATIONS)])),
  );
}

function mutationErrors(mutation: Mutation, compiled: CompiledMutation | undefined, path: string): FieldError[] {
  const { patchType = '' } = mutation;
  if (patchType === '') return [required(childPath(path, 'patchType'))];
  if (!PATCH_TYPES.includes(patchType)) return [notSupported(childPath(path, 'patchType'), patchType, PATCH_TYPES)];
  const isJsonPatch = patchType === 'JSONPatch';
  const [used, other] = isJsonPatch
    ? (['jsonPatch', 'applyConfiguration'] as const)
    : (['applyConfiguration', 'jsonPatch'] as const);
  const errors: FieldError[] = [];
  const at = childPath(path, used);
  if (mutation[used] === undefined) errors.push(required(at, `must be specified when patchType is ${patchType}`));
  else if ((mutation[used]?.expression ?? '').trim() === '') errors.push(required(childPath(at, 'expression')));
  else errors.push(...faultOf(compiled?.expression, childPath(at, 'expression')));
  if (mutation[other] !== undefined) {
    errors.push(invalid(childPath(path, other), `{${other}}`, `must not be specified when patchType is ${patchType}`));
  }
  return errors;
}
