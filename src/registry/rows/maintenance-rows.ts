import { equalJson } from '@flotilla/json';
import type { KubeObject, ObjectMeta, OwnerReference } from '../../api/meta.ts';
import type { Check, Write } from '../../store/store.ts';
import type { ObjectKey } from '../cache/object-index.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import type { StoredRecord, StoredResource } from '../resource.ts';
import { withStatusErrors } from '../store-status.ts';
import { collectorFinalizersOf } from '../write/finalizers.ts';
import { blockingOwners, ownersOf } from '../write/owner-references.ts';
import { OwnerTracker } from '../write/owner-tracker.ts';
import { deadlineKey, dependentKey, type GcWork, gcKey, type ObjectRef, reconcileKey, resourceKey } from './rows.ts';

interface DerivedRows {
  readonly checks: readonly Check[];
  readonly writes: readonly Write[];
}

/**
 * Returns the maintenance rows that follow from a change of an object: owner index, deadlines, garbage collector work,
 * reconciles. Most changes need none; for them the result is synchronous.
 */
export function derivedRows(
  kind: KindRuntime,
  key: ObjectKey,
  old: StoredRecord | undefined,
  next: StoredRecord | undefined,
): DerivedRows | Promise<DerivedRows> {
  const needsNoRows =
    next !== undefined &&
    !mayNeedRows(kind.resource, next.object.metadata) &&
    (old === undefined || !mayNeedRows(kind.resource, old.object.metadata));
  return needsNoRows ? noRows : rowsOf(kind, key, old, next);
}

/**
 * True if removing an object with this metadata needs no maintenance rows. False may also mean that this is unknown.
 */
export function removalNeedsNoRows(kind: KindRuntime, { namespace }: ObjectKey, metadata: ObjectMeta): boolean {
  const { resource, collaborators } = kind;
  if (mayNeedRows(resource, metadata) || collaborators.ownerTracker?.hasNoOwners !== true) return false;
  return !resource.namespaced || collaborators.waitsForEmptyNamespace?.(namespace) === undefined;
}

async function rowsOf(
  kind: KindRuntime,
  key: ObjectKey,
  old: StoredRecord | undefined,
  next: StoredRecord | undefined,
): Promise<DerivedRows> {
  // Copied member by member: `key` may be a whole cached object, which must not get into these rows.
  const self: ObjectRef = { resource: resourceKey(kind.resource), namespace: key.namespace, name: key.name };
  const work = await collectorRows(kind, self, old?.object, next?.object);
  return {
    checks: work.checks,
    writes: [
      ...ownerRows(kind, self, old?.object, next?.object),
      ...deadlineRows(kind, self, old, next),
      ...reconcileRows(kind, self, old, next),
      ...work.writes,
    ],
  };
}

export const noRows: DerivedRows = { checks: [], writes: [] };

/** Most objects have no owner, never expire, are not being deleted and need no reconcile. */
function mayNeedRows(resource: StoredResource, { ownerReferences, deletionTimestamp }: ObjectMeta): boolean {
  if (ownerReferences !== undefined || deletionTimestamp !== undefined) return true;
  return resource.expiresAt !== undefined || resource.needsReconcile !== undefined || resource.requeues !== undefined;
}

/** The rows of the owner index; the value is the dependent's uid. */
function ownerRows(
  { slice, collaborators: { ownerTracker } }: KindRuntime,
  self: ObjectRef,
  old: KubeObject | undefined,
  next: KubeObject | undefined,
): Write[] {
  const before = new Set(ownersOf(old).map((reference) => reference.uid));
  const after = new Set(ownersOf(next).map((reference) => reference.uid));
  const removed = [...before].filter((uid) => !after.has(uid));
  const added = [...after].filter((uid) => !before.has(uid));
  if (added.length > 0) ownerTracker?.markOwned();
  return [
    ...removed.map((uid) => ({ key: dependentKey(slice, uid, self), value: undefined, unlogged: true })),
    ...added.map((uid) => ({ key: dependentKey(slice, uid, self), value: next?.metadata.uid ?? '', unlogged: true })),
  ];
}

/**
 * Returns the times at which maintenance must check the object again. Depends on the record alone, so that a later
 * write knows which rows this one left: a grace period of more than zero has a row, whether or not it is over.
 */
function deadlines(resource: StoredResource, record: StoredRecord | undefined): readonly number[] {
  if (record === undefined) return [];
  const { deletionTimestamp, deletionGracePeriodSeconds } = record.object.metadata;
  if (deletionTimestamp !== undefined) {
    return (deletionGracePeriodSeconds ?? 0) > 0 ? [Date.parse(deletionTimestamp)] : [];
  }
  const expiry = resource.expiresAt?.(record);
  return expiry === undefined ? [] : [expiry];
}

function deadlineRows(
  kind: KindRuntime,
  self: ObjectRef,
  old: StoredRecord | undefined,
  next: StoredRecord | undefined,
): Write[] {
  const before = deadlines(kind.resource, old);
  const after = deadlines(kind.resource, next);
  const row = (at: number, value: string | undefined): Write => ({
    key: deadlineKey(at, kind.slice, self),
    value,
    unlogged: true,
  });
  return [
    ...before.filter((at) => !after.includes(at)).map((at) => row(at, undefined)),
    ...after.filter((at) => !before.includes(at)).map((at) => row(at, '')),
  ];
}

/**
 * Written again by each write, so that a running reconcile learns that there is more to do. An object that waits for a
 * namespace to become empty is requeued by each change in that namespace.
 */
function reconcileRows(
  { resource, slice, collaborators }: KindRuntime,
  self: ObjectRef,
  old: StoredRecord | undefined,
  next: StoredRecord | undefined,
): Write[] {
  const rows: Write[] = [];
  const needsReconcile = (record: StoredRecord | undefined) =>
    record !== undefined && resource.needsReconcile?.(record) === true;
  const key = reconcileKey(slice, self);
  if (needsReconcile(next)) rows.push({ key, value: '', unlogged: true });
  else if (needsReconcile(old)) rows.push({ key, value: undefined, unlogged: true });
  const waiting = resource.namespaced ? collaborators.waitsForEmptyNamespace?.(self.namespace) : undefined;
  for (const key of [...(resource.requeues?.(old, next) ?? []), ...(waiting === undefined ? [] : [waiting])]) {
    rows.push({ key: reconcileKey(slice, key), value: '', unlogged: true });
  }
  return rows;
}

async function collectorRows(
  kind: KindRuntime,
  self: ObjectRef,
  old: KubeObject | undefined,
  next: KubeObject | undefined,
): Promise<DerivedRows> {
  const checks: Check[] = [];
  const writes: Write[] = [];
  const uid = next?.metadata.uid ?? old?.metadata.uid ?? '';
  const { ownerTracker = new OwnerTracker() } = kind.collaborators;
  if (next === undefined) {
    if (await ownerTracker.hasDependents(kind.store, kind.slice, uid))
      writes.push(gcRow(kind.slice, self, uid, 'gone'));
  } else if (needsCheck(old, next)) {
    writes.push(gcRow(kind.slice, self, uid, 'check'));
  }
  for (const reference of releasedOwners(old, next)) {
    const owner = kind.collaborators.resolveOwner(reference, self.namespace);
    if (owner === undefined) continue;
    const key = gcKey(kind.slice, reference.uid);
    const existing = await withStatusErrors(kind.store.get(key));
    // A removed owner already has its row; replacing it with a `check` would leave its dependents behind.
    if (existing !== undefined && (JSON.parse(existing.value) as GcWork).what === 'gone') continue;
    const ownerPlace: ObjectRef = {
      resource: resourceKey({ group: owner.group, plural: owner.resource }),
      namespace: owner.namespace,
      name: owner.name,
    };
    checks.push({ key, revision: existing?.revision });
    writes.push(gcRow(kind.slice, ownerPlace, reference.uid, 'check'));
  }
  return { checks, writes };
}

function gcRow(slice: string, key: ObjectRef, uid: string, what: GcWork['what']): Write {
  const work: GcWork = { ...key, uid, what };
  return { key: gcKey(slice, uid), value: JSON.stringify(work), unlogged: true };
}

function needsCheck(old: KubeObject | undefined, next: KubeObject): boolean {
  const owners = ownersOf(next);
  if (owners.length > 0 && !equalJson([...owners], [...ownersOf(old)])) return true;
  const activeFinalizers = waiting(next);
  return activeFinalizers.length > 0 && !equalJson([...activeFinalizers], [...waiting(old)]);
}

/** The garbage collector's finalizers count once the object is being deleted. */
function waiting(object: KubeObject | undefined): readonly string[] {
  return object?.metadata.deletionTimestamp === undefined ? [] : collectorFinalizersOf(object);
}

/** Returns the owners that this object no longer blocks: they may be waiting for it. */
function releasedOwners(old: KubeObject | undefined, next: KubeObject | undefined): Iterable<OwnerReference> {
  const released = new Map(blockingOwners(old).map((reference) => [reference.uid, reference]));
  for (const reference of blockingOwners(next)) released.delete(reference.uid);
  released.delete(old?.metadata.uid ?? '');
  return released.values();
}
