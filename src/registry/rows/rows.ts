import { createHmac } from 'node:crypto';
import type { ResourceKind } from '../../api/resource.ts';
import type { Key, KeyRange } from '../../store/key.ts';

/**
 * The keys of the rows of a control plane. Rows of objects, markers and guards are logged writes. Rows of claims and of
 * the owner index are unlogged writes in the same transaction.
 */

/** Returns the key of a kind, for example `projects.management.platform.sh`. The row keys in this file contain it. */
export function resourceKey(kind: Pick<ResourceKind, 'group' | 'plural'>): string {
  return kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`;
}

export function objectsRange(slice: string, resource: string, namespace?: string): KeyRange {
  return { slice, prefix: namespace === undefined ? ['objects', resource] : ['objects', resource, namespace] };
}

/** The rows of all objects of all kinds in a slice. */
export function allObjectsRange(slice: string): KeyRange {
  return { slice, prefix: ['objects'] };
}

/** The key of an object's row. `namespace` is '' for cluster-scoped objects. */
export function objectRowKey(slice: string, resource: string, namespace: string, name: string): Key {
  return { slice, segments: ['objects', resource, namespace, name] };
}

export function claimKey(slice: string, resource: string, claim: string): Key {
  return { slice, segments: ['claims', resource, claim] };
}

/** All rows of the owner index, which lists the dependents of each owner. */
export function ownersRange(slice: string): KeyRange {
  return { slice, prefix: ['owners'] };
}

/** The rows of the owner index for the dependents of one owner. */
export function dependentsRange(slice: string, ownerUid: string): KeyRange {
  return { slice, prefix: ['owners', ownerUid] };
}

export function dependentKey(slice: string, ownerUid: string, dependent: ObjectRef): Key {
  return { slice, segments: ['owners', ownerUid, dependent.resource, dependent.namespace, dependent.name] };
}

/**
 * The key of a row that exists if an object of the plane has, or once had, an owner reference. This row exists only in
 * a store that other processes may write to (`OwnerTracker`).
 */
export function ownersMarkerKey(slice: string): Key {
  return { slice, segments: ['marks', 'owners'] };
}

/**
 * The number of guards per limit. It is several times the number of requests that run at the same time, so that few
 * requests share a guard.
 */
const guardsPerLimit = 256;

/**
 * The key of the guard of a limit (`Guard`). Subjects, such as projects, share a fixed number of guards, so that the
 * guards of deleted subjects need not be removed. Subjects that share a guard slow each other down. Tenants choose the
 * names of subjects, so they must not know `secret`, which is the same in all processes.
 */
export function guardKey(slice: string, limit: string, subject: string, secret: string): Key {
  const number = createHmac('sha256', secret).update(`${limit}\0${subject}`).digest().readUInt32BE() % guardsPerLimit;
  return { slice, segments: ['guards', limit, String(number)] };
}

/** Identifies an object of a control plane. `resource` is the key of its kind, for example `configmaps`. */
export interface ObjectRef {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * The slice that holds the maintenance rows of all control planes. Maintenance finds due work here without loading
 * planes, and then loads only the planes that have due work. All rows of this slice are unlogged writes.
 */
export const maintenanceSlice = 'upkeep';

/**
 * The key of a row that records a deadline of an object: the end of its grace period, or its expiry. `at` is in
 * milliseconds since the epoch and padded with zeros, so that rows sort by time.
 */
export function deadlineKey(at: number, plane: string, object: ObjectRef): Key {
  const time = String(Math.max(0, Math.ceil(at))).padStart(15, '0');
  return { slice: maintenanceSlice, segments: ['due', time, plane, object.resource, object.namespace, object.name] };
}

export const deadlineRange: KeyRange = { slice: maintenanceSlice, prefix: ['due'] };

/**
 * The key of a row that records work for the garbage collector. Its value is a GcWork as JSON. The row is deleted after
 * the work is done, so a crash loses nothing. `uid` is the uid of the object to process.
 */
export function gcKey(plane: string, uid: string): Key {
  return { slice: maintenanceSlice, segments: ['gc', plane, uid] };
}

export const gcRange: KeyRange = { slice: maintenanceSlice, prefix: ['gc'] };

/**
 * The key of a row that records that a plane is being removed. The row is deleted after all data of the plane is
 * deleted.
 */
export function planeRemovalKey(plane: string): Key {
  return { slice: maintenanceSlice, segments: ['removal', plane] };
}

export const planeRemovalRange: KeyRange = { slice: maintenanceSlice, prefix: ['removal'] };

/** The key of a row that records that an object needs a reconcile. The row is deleted when the reconcile is done. */
export function reconcileKey(plane: string, { resource, namespace, name }: ObjectRef): Key {
  return { slice: maintenanceSlice, segments: ['pending', plane, resource, namespace, name] };
}

export const reconcileRange: KeyRange = { slice: maintenanceSlice, prefix: ['pending'] };

/**
 * True if the row is written with unlogged writes. Such a row is derived from other rows of a plane or records pending
 * work.
 */
export function isUnloggedKey({ slice, segments: [first = ''] }: Key): boolean {
  if (slice === maintenanceSlice) return unloggedMaintenanceRows.has(first);
  return first === 'claims' || first === 'owners';
}

const unloggedMaintenanceRows: ReadonlySet<string> = new Set(
  [deadlineRange, gcRange, planeRemovalRange, reconcileRange].map(({ prefix }) => prefix[0] ?? ''),
);

/**
 * Work for the garbage collector. `gone` means that the object was removed, so its dependents must be checked. `check`
 * means that the object itself must be checked: its owner references were written, it waits for its dependents
 * (foreground or orphan deletion), or a dependent that it waited for was removed.
 */
export interface GcWork extends ObjectRef {
  readonly uid: string;
  readonly what: 'gone' | 'check';
}
