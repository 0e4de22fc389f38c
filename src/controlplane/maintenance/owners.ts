import type { KubeObject, OwnerReference } from '../../api/meta.ts';
import { resourceKey } from '../../registry/rows/rows.ts';
import { findObject, ownerKindOf, type PlaneStores } from './plane-stores.ts';

/**
 * The state of the owner in an owner reference.
 * - `solid`: the owner exists.
 * - `absent`: no object with this UID exists in the dependent's namespace or in the cluster scope.
 * - `waiting`: the owner is being deleted in the foreground and waits for its dependents.
 * - `unknowable`: the plane does not have the owner's kind, or the owner of a cluster-scoped object is namespaced. The
 *   dependent is then never deleted because of this reference.
 */
export type OwnerState = 'solid' | 'absent' | 'waiting' | 'unknowable';

export function ownerState(plane: PlaneStores, dependent: KubeObject, reference: OwnerReference): OwnerState {
  const kind = ownerKindOf(plane, reference);
  if (kind === undefined) return 'unknowable';
  const namespace = dependent.metadata.namespace ?? '';
  if (kind.namespaced && namespace === '') return 'unknowable';
  const owner = findObject(plane, {
    resource: resourceKey(kind),
    namespace: kind.namespaced ? namespace : '',
    name: reference.name,
  });
  if (owner === undefined || owner.metadata.uid !== reference.uid) return 'absent';
  return isWaitingForDependents(owner) ? 'waiting' : 'solid';
}

export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

export function isWaitingForDependents(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && hasFinalizer(object, foregroundFinalizer);
}

export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/** True if the owner with this UID cannot be deleted before the dependent (rule GC-06). */
export function blocksOwnerDeletion(dependent: KubeObject, ownerUid: string): boolean {
  return (
    dependent.metadata.ownerReferences?.some(
      (reference) => reference.uid === ownerUid && reference.blockOwnerDeletion === true,
    ) ?? false
  );
}
