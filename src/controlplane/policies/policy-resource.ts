import { loadParser } from '@flotilla/cel';
import { equalJson, type JsonObject } from '@flotilla/json';
import { policyBindingErrors } from '../../api/admissionregistration/binding-errors.ts';
import { defaultMatchResources } from '../../api/admissionregistration/match-resources.ts';
import {
  type PolicySpec,
  validatingAdmissionPolicyKind,
} from '../../api/admissionregistration/validating-admission-policy.ts';
import {
  type PolicyBindingSpec,
  validatingAdmissionPolicyBindingKind,
} from '../../api/admissionregistration/validating-admission-policy-binding.ts';
import type { KubeObject } from '../../api/meta.ts';
import { findStore } from '../../registry/kind-stores.ts';
import { type Draft, defineResource, type StoredResource } from '../../registry/resource.ts';
import type { ControlPlane } from '../control-plane.ts';
import type { FindMatchedKinds } from './matched-kinds.ts';
import { paramKindErrors, paramRefErrors } from './param-permissions.ts';
import { policyErrors } from './policy-errors.ts';
import { typeCheckingStatus } from './type-checking.ts';

const shared = { unconditionalUpdate: false } as const;

/**
 * The kind ValidatingAdmissionPolicy. When a policy is written, its expressions are type-checked, and the warnings are
 * recorded in its status.
 */
export function policyResource(kinds: FindMatchedKinds, plane: () => ControlPlane): StoredResource {
  return defineResource({
    ...validatingAdmissionPolicyKind,
    ...shared,
    hasStatus: true,
    async prepare(draft) {
      const spec = specOf<PolicySpec>(draft.object);
      spec.failurePolicy ??= 'Fail';
      if (spec.matchConstraints !== undefined) defaultMatchResources(spec.matchConstraints);
      const generation = generationOf(draft);
      const conditions = (draft.old?.object.status as JsonObject | undefined)?.conditions;
      draft.object.status = {
        observedGeneration: generation,
        typeChecking: (await typeCheckingStatus(await loadParser(), spec, kinds)) as JsonObject,
        ...(conditions === undefined ? {} : { conditions }),
      };
    },
    async validate(draft, context) {
      const { object } = draft;
      const errors = await policyErrors(await loadParser(), object.metadata.name ?? '', specOf<PolicySpec>(object));
      return errors.length > 0 ? errors : await paramKindErrors(plane(), draft, context);
    },
  });
}

export function policyBindingResource(plane: () => ControlPlane): StoredResource {
  return defineResource({
    ...validatingAdmissionPolicyBindingKind,
    ...shared,
    hasStatus: false,
    prepare(draft) {
      generationOf(draft);
      const { matchResources } = specOf<PolicyBindingSpec>(draft.object);
      if (matchResources !== undefined) defaultMatchResources(matchResources);
    },
    async validate(draft, context) {
      const errors = policyBindingErrors(specOf<PolicyBindingSpec>(draft.object));
      if (errors.length > 0) return errors;
      const policies = findStore(plane().kinds, validatingAdmissionPolicyKind);
      return await paramRefErrors(plane(), draft, context, (name) => policies?.peek('', name)?.object);
    },
  });
}

/** Returns the generation that the written object will have. Policies start with 1; most built-in kinds have none. */
function generationOf({ object, old }: Draft): number {
  if (old === undefined) object.metadata.generation = 1;
  const { generation = 1 } = (old?.object ?? object).metadata;
  return old === undefined || equalJson(object.spec, old.object.spec) ? generation : generation + 1;
}

function specOf<T>(object: KubeObject): T {
  return (object.spec ?? {}) as unknown as T;
}
