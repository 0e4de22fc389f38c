import { validatingAdmissionPolicyKind } from '../../api/admissionregistration/validating-admission-policy.ts';
import { validatingAdmissionPolicyBindingKind } from '../../api/admissionregistration/validating-admission-policy-binding.ts';
import { findStore } from '../../registry/kind-stores.ts';
import { mountStoredKind } from '../../registry/verbs/stored-verbs.ts';
import type { PartDependencies, PlanePart } from '../plane-part.ts';
import { AdmissionPolicies, type AdmissionPoliciesOptions } from './admission-policies.ts';
import { createMatchedKindsFinder } from './matched-kinds.ts';
import { policyBindingResource, policyResource } from './policy-resource.ts';

/** The plane part for ValidatingAdmissionPolicies and their bindings. It evaluates the policies for each write. */
export function admissionPoliciesPart(
  dependencies: Pick<PartDependencies, 'plane'> & Pick<AdmissionPoliciesOptions, 'authorize'>,
): PlanePart {
  const { plane, authorize } = dependencies;
  let policies: AdmissionPolicies | undefined;
  return {
    resources: [policyResource(createMatchedKindsFinder(plane)), policyBindingResource()],
    mount(stores) {
      const policyStore = findStore(stores, validatingAdmissionPolicyKind);
      const bindingStore = findStore(stores, validatingAdmissionPolicyBindingKind);
      if (policyStore === undefined || bindingStore === undefined) return [];
      policies = new AdmissionPolicies({ policies: policyStore, bindings: bindingStore, plane, authorize });
      return [mountStoredKind(policyStore), mountStoredKind(bindingStore)];
    },
    admit: (write) => policies?.admit(write),
    async start() {
      return policies?.start() ?? (() => undefined);
    },
  };
}
