import type { ResourceKind } from '../api/resource.ts';
import type { Key, KeyRange } from '../store/key.ts';

/**
 * Where the rows of a control plane lie in its slice of the store. Objects are logged; claims and the owner index are
 * quiet rows, written in the same transaction as the object they are derived from.
 */
export function resourceKey(kind: Pick<ResourceKind, 'group' | 'plural'>): string {
  return kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`;
}

export function objectsRange(slice: string, resource: string, namespace?: string): KeyRange {
  return { slice, prefix: namespace === undefined ? ['objects', resource] : ['objects', resource, namespace] };
}

/** Of all kinds. */
export function allObjectsRange(slice: string): KeyRange {
  return { slice, prefix: ['objects'] };
}

/** Cluster-scoped objects lie in the namespace ''. */
export function objectKey(slice: string, resource: string, namespace: string, name: string): Key {
  return { slice, segments: ['objects', resource, namespace, name] };
}

export function claimKey(slice: string, resource: string, claim: string): Key {
  return { slice, segments: ['claims', resource, claim] };
}

/** Who names whom as an owner. */
export function ownersRange(slice: string): KeyRange {
  return { slice, prefix: ['owners'] };
}

/** Who names this uid as an owner. */
export function dependentsRange(slice: string, ownerUid: string): KeyRange {
  return { slice, prefix: ['owners', ownerUid] };
}

export function dependentKey(slice: string, ownerUid: string, dependent: ObjectPlace): Key {
  return { slice, segments: ['owners', ownerUid, dependent.resource, dependent.namespace, dependent.name] };
}

/** An object's place inside its control plane. */
export interface ObjectPlace {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Work for upkeep lies in a slice of its own, over all control planes, so that only those with due work are ever
 * loaded. All of its rows are quiet.
 */
export const upkeepSlice = 'upkeep';

/** Look at this object at that time: its grace period is over, or it has expired. */
export function dueKey(at: number, plane: string, place: ObjectPlace): Key {
  const time = String(Math.max(0, Math.ceil(at))).padStart(15, '0');
  return { slice: upkeepSlice, segments: ['due', time, plane, place.resource, place.namespace, place.name] };
}

export const dueRange: KeyRange = { slice: upkeepSlice, prefix: ['due'] };

/**
 * Garbage collection has something to look at. The row stays until the collector has settled it, so a crash in the
 * middle loses nothing. Its value is a GcWork as JSON; the uid makes it unique.
 */
export function gcKey(plane: string, uid: string): Key {
  return { slice: upkeepSlice, segments: ['gc', plane, uid] };
}

export const gcRange: KeyRange = { slice: upkeepSlice, prefix: ['gc'] };

/** This plane is being removed: whatever is left of it goes. Stands until nothing is. */
export function removalKey(plane: string): Key {
  return { slice: upkeepSlice, segments: ['removal', plane] };
}

export const removalRange: KeyRange = { slice: upkeepSlice, prefix: ['removal'] };

/** Something is to be done about this object (`StoredResource.pending`). The row stays until it is settled. */
export function pendingKey(plane: string, { resource, namespace, name }: ObjectPlace): Key {
  return { slice: upkeepSlice, segments: ['pending', plane, resource, namespace, name] };
}

export const pendingRange: KeyRange = { slice: upkeepSlice, prefix: ['pending'] };

/**
 * `gone`: this object was removed while others named it as owner; look at those. `check`: this object's owner
 * references were written, or it waits for its dependents (foreground, orphan), or one of those it waits for is gone;
 * look at it.
 */
export interface GcWork extends ObjectPlace {
  readonly uid: string;
  readonly what: 'gone' | 'check';
}
