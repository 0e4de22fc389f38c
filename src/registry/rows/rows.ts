import type { ResourceKind } from '../../api/resource.ts';
import type { Key, KeyRange } from '../../store/key.ts';

/**
 * The layout of a control plane's rows in its slice of the store. Objects are logged writes. Claims and the owner index
 * are unlogged writes in the same transaction as the object that they are derived from.
 */
export function resourceKey(kind: Pick<ResourceKind, 'group' | 'plural'>): string {
  return kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`;
}

export function objectsRange(slice: string, resource: string, namespace?: string): KeyRange {
  return { slice, prefix: namespace === undefined ? ['objects', resource] : ['objects', resource, namespace] };
}

/** The objects of all kinds. */
export function allObjectsRange(slice: string): KeyRange {
  return { slice, prefix: ['objects'] };
}

/** Cluster-scoped objects have the namespace ''. */
export function objectRowKey(slice: string, resource: string, namespace: string, name: string): Key {
  return { slice, segments: ['objects', resource, namespace, name] };
}

export function claimKey(slice: string, resource: string, claim: string): Key {
  return { slice, segments: ['claims', resource, claim] };
}

/** The owner index: the dependents of every owner. */
export function ownersRange(slice: string): KeyRange {
  return { slice, prefix: ['owners'] };
}

/** The dependents of the owner with this uid. */
export function dependentsRange(slice: string, ownerUid: string): KeyRange {
  return { slice, prefix: ['owners', ownerUid] };
}

export function dependentKey(slice: string, ownerUid: string, dependent: ObjectRef): Key {
  return { slice, segments: ['owners', ownerUid, dependent.resource, dependent.namespace, dependent.name] };
}

/** The resource, namespace and name of an object within its control plane. */
export interface ObjectRef {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * The slice for maintenance work of all control planes, so that only planes with due work have to be loaded. All of its
 * rows are unlogged writes.
 */
export const maintenanceSlice = 'upkeep';

/** A deadline of this object: the end of its grace period, or its expiry. */
export function deadlineKey(at: number, plane: string, object: ObjectRef): Key {
  const time = String(Math.max(0, Math.ceil(at))).padStart(15, '0');
  return { slice: maintenanceSlice, segments: ['due', time, plane, object.resource, object.namespace, object.name] };
}

export const deadlineRange: KeyRange = { slice: maintenanceSlice, prefix: ['due'] };

/**
 * Work for the garbage collector. The row stays until the collector has completed it, so a crash loses nothing. Its
 * value is a GcWork as JSON; the uid makes the key unique.
 */
export function gcKey(plane: string, uid: string): Key {
  return { slice: maintenanceSlice, segments: ['gc', plane, uid] };
}

export const gcRange: KeyRange = { slice: maintenanceSlice, prefix: ['gc'] };

/** The removal of this plane is in progress. The row stays until all data of the plane is deleted. */
export function removalKey(plane: string): Key {
  return { slice: maintenanceSlice, segments: ['removal', plane] };
}

export const removalRange: KeyRange = { slice: maintenanceSlice, prefix: ['removal'] };

/** This object needs a reconcile (`StoredResource.needsReconcile`). The row stays until nothing is left to do. */
export function reconcileKey(plane: string, { resource, namespace, name }: ObjectRef): Key {
  return { slice: maintenanceSlice, segments: ['pending', plane, resource, namespace, name] };
}

export const reconcileRange: KeyRange = { slice: maintenanceSlice, prefix: ['pending'] };

/**
 * `gone`: the object was removed while others named it as owner; check its dependents. `check`: the object's owner
 * references were written, or it waits for its dependents (foreground, orphan), or a dependent that it waited for is
 * gone; check the object itself.
 */
export interface GcWork extends ObjectRef {
  readonly uid: string;
  readonly what: 'gone' | 'check';
}
