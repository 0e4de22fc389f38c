import { admissionGroup } from '../../api/admissionregistration/match-resources.ts';
import { validatingAdmissionPolicyKind } from '../../api/admissionregistration/validating-admission-policy.ts';
import { validatingAdmissionPolicyBindingKind } from '../../api/admissionregistration/validating-admission-policy-binding.ts';
import { findStore } from '../../registry/kind-stores.ts';
import { resourceKey } from '../../registry/rows/rows.ts';
import { mountStoredKind } from '../../registry/verbs/stored-verbs.ts';
import type { PartDependencies, PlanePart } from '../plane-part.ts';
import { AdmissionPolicies, type AdmissionPoliciesOptions } from './admission-policies.ts';
import { createMatchedKindsFinder } from './matched-kinds.ts';
import { MutatingPolicies } from './mutating/mutating-policies.ts';
import { refuseBeyondLimit } from './policy-limit.ts';
import { policyBindingResource, policyResource } from './policy-resource.ts';

/**
 * The plane part for ValidatingAdmissionPolicies and their bindings. It evaluates the policies for each write. If the plane
 * has the kinds MutatingAdmissionPolicy and MutatingAdmissionPolicyBinding, which are kinds of the full set, it applies
 * the mutating policies too.
 */
export function admissionPoliciesPart(
  dependencies: Pick<PartDependencies, 'plane'> & Pick<AdmissionPoliciesOptions, 'authorize'>,
): PlanePart {
  const { plane, authorize } = dependencies;
  let policies: AdmissionPolicies | undefined;
  const storeOf = (plural: string) => plane().kinds.get(resourceKey({ group: admissionGroup, plural }));
  const mutatingStores = {
    policies: () => storeOf('mutatingadmissionpolicies'),
    bindings: () => storeOf('mutatingadmissionpolicybindings'),
  };
  const mutatingPolicies = new MutatingPolicies({ ...mutatingStores, plane, authorize });
  return {
    resources: [policyResource(createMatchedKindsFinder(plane), plane), policyBindingResource(plane)],
    mount(stores) {
      const policyStore = findStore(stores, validatingAdmissionPolicyKind);
      const bindingStore = findStore(stores, validatingAdmissionPolicyBindingKind);
      if (policyStore === undefined || bindingStore === undefined) return [];
      policies = new AdmissionPolicies({ policies: policyStore, bindings: bindingStore, plane, authorize });
      return [mountStoredKind(policyStore), mountStoredKind(bindingStore)];
    },
    isMutating: () => mutatingPolicies.isUsed,
    mutate: (mutation) => mutatingPolicies.mutate(mutation),
    admit(write) {
      if (write.resource.group === admissionGroup) {
        for (const store of [mutatingStores.policies(), mutatingStores.bindings()]) {
          if (store !== undefined) refuseBeyondLimit(write, store);
        }
      }
      return policies?.admit(write);
    },
    async start() {
      return () => {
        policies?.stop();
        mutatingPolicies.stop();
      };
    },
  };
}
