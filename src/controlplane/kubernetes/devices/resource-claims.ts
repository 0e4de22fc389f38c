import type { JsonValue } from '@flotilla/json';
import { ageColumn, column } from '../../../api/columns.ts';
import type { FieldError } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/meta.ts';
import type { KubernetesKind } from '../kubernetes-kind.ts';
import { listOf, objectAt } from '../rules/checks.ts';
import { claimSpecErrors } from './claim-spec-rules.ts';
import { claimStatusErrors, removeDeallocatedDevices, statusOf } from './claim-status-rules.ts';
import { specChangeErrors } from './claim-template-rules.ts';
import { compileSelectors } from './device-selectors.ts';

async function claimErrors(object: KubeObject): Promise<Iterable<FieldError>> {
  const spec = objectAt(object as JsonValue, 'spec');
  return claimSpecErrors(spec, 'spec', await compileSelectors(spec));
}

function stateOf(claim: KubeObject): string {
  const { allocation, reservedFor } = statusOf(claim);
  const isDeleted = claim.metadata.deletionTimestamp !== undefined;
  if (allocation === undefined) return isDeleted ? 'deleted' : 'pending';
  return [...(isDeleted ? ['deleted'] : []), 'allocated', ...(listOf(reservedFor).length > 0 ? ['reserved'] : [])].join(
    ',',
  );
}

/** The kind ResourceClaim of resource.k8s.io/v1. Programs of the tenant allocate the devices. */
export const resourceClaim: KubernetesKind = {
  struct: 'resource.ResourceClaim',
  group: 'resource.k8s.io',
  plural: 'resourceclaims',
  namespaced: true,
  description: 'A claim for devices, which a scheduler allocates.',
  unconditionalUpdate: true,
  returnsDeleted: true,
  validate: claimErrors,
  // An update cannot change the spec, so the other rules of the spec need not be checked again.
  validateUpdate: specChangeErrors,
  status: { keeps: 'all', prepare: removeDeallocatedDevices, validate: claimStatusErrors },
  columns: [
    column('State', stateOf, { description: 'The state of the claim: pending, allocated or reserved.' }),
    ageColumn,
  ],
};
