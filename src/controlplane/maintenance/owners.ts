import type { KubeObject, OwnerReference } from '../../api/meta.ts';
import { resourceKey } from '../../registry/rows/rows.ts';
import { findObject, ownerKindOf, type PlaneStores } from './plane-stores.ts';

/**
 * The state of the owner that a reference names. `solid`: the owner exists. `absent`: no object has that uid, or it is
 * in another namespace. `waiting`: the owner is being deleted in the foreground and waits for its dependents.
 * `unknowable`: this plane does not have the kind, or a cluster-scoped object names a namespaced owner; such a
 * reference never causes a deletion.
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

/** Reports whether this object blocks the deletion of the owner with that uid (rule GC-06). */
export function blocksOwnerDeletion(dependent: KubeObject, ownerUid: string): boolean {
  return (
    dependent.metadata.ownerReferences?.some(
      (reference) => reference.uid === ownerUid && reference.blockOwnerDeletion === true,
    ) ?? false
  );
}
