import { groupResourceOf } from '../../api/resource.ts';
import { forbidden } from '../../api/status.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { AdmissionAttributes } from '../plane-part.ts';

/** The maximum number of policies, and of bindings, in a plane. Each write is compared with all of them. */
export const maxPolicies = 500;

/** Throws 403 if a write creates an object in `store` and the store already contains the maximum number of objects. */
export function refuseBeyondLimit({ operation, resource, draft }: AdmissionAttributes, store: KindStore): void {
  if (operation !== 'CREATE' || resource.plural !== store.resource.plural || resource.group !== store.resource.group)
    return;
  if (store.count() < maxPolicies) return;
  const detail = `a cluster can have at most ${maxPolicies} ${resource.plural}; delete some, or combine the validations of several policies in one`;
  throw forbidden(groupResourceOf(resource), draft.object.metadata.name ?? '', detail);
}
