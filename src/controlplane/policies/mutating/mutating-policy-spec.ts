import type { PolicyBindingSpec } from '../../../api/admissionregistration/validating-admission-policy-binding.ts';
import type { PolicyBaseSpec } from '../policy-errors.ts';

/** One mutation of a MutatingAdmissionPolicy: a change to the object. */
export interface Mutation {
  readonly patchType?: string;
  readonly applyConfiguration?: { readonly expression?: string };
  readonly jsonPatch?: { readonly expression?: string };
}

/** The spec of a MutatingAdmissionPolicy. */
export interface MutatingPolicySpec extends PolicyBaseSpec {
  readonly mutations?: readonly Mutation[];
  readonly reinvocationPolicy?: string;
}

/** The spec of a MutatingAdmissionPolicyBinding. */
export type MutatingBindingSpec = Pick<PolicyBindingSpec, 'policyName' | 'paramRef' | 'matchResources'>;
