import { equalJson } from '@flotilla/json';
import type { KubeObject, ObjectMeta, OwnerReference } from '../../api/meta.ts';
import type { Write } from '../../store/store.ts';
import type { ObjectKey } from '../cache/object-index.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import type { StoredRecord, StoredResource } from '../resource.ts';
import { withStatusErrors } from '../store-status.ts';
import { garbageCollectorFinalizersOf } from '../write/finalizers.ts';
import { blockingOwners, ownersOf } from '../write/owner-references.ts';
import { OwnerTracker } from '../write/owner-tracker.ts';
import type { RequiredCheck } from '../write/required-check.ts';
import { deadlineKey, dependentKey, type GcWork, gcKey, type ObjectRef, reconcileKey, resourceKey } from './rows.ts';

interface DerivedRows {
  readonly checks: readonly RequiredCheck[];
  readonly writes: readonly Write[];
}

/**
 * Returns the maintenance rows that a change of an object adds or removes: in the owner index, the deadlines, the
 * garbage collector's work and the pending reconciles. Most changes need no maintenance rows; the result is then
 * synchronous.
 */
export function derivedRows(
  kind: KindRuntime,
  key: ObjectKey,
  old: StoredRecord | undefined,
  next: StoredRecord | undefined,
): DerivedRows | Promise<DerivedRows> {
  const needsNoRows =
    next !== undefined &&
    requeuedByUsage(kind, key.namespace, old, next).length === 0 &&
    !mayNeedRows(kind.resource, next.object.metadata) &&
    (old === undefined || !mayNeedRows(kind.resource, old.object.metadata));
  return needsNoRows ? noMaintenanceRows : rowsOf(kind, key, old, next);
}

/**
 * True if it is certain that removing an object with this metadata writes no maintenance rows. Otherwise `derivedRows`
 * must compute the rows, if any.
 */
export function removalNeedsNoRows(kind: KindRuntime, { namespace }: ObjectKey, metadata: ObjectMeta): boolean {
  const { resource, planeCallbacks, store } = kind;
  // In a shared store, the transaction must check again that the plane has no owners.
  if (store.isShared || planeCallbacks.ownerTracker?.hasNoOwners !== true) return false;
  if (mayNeedRows(resource, metadata)) return false;
  return !resource.namespaced || planeCallbacks.waitsForEmptyNamespace?.(namespace) === undefined;
}

async function rowsOf(
  kind: KindRuntime,
  key: ObjectKey,
  old: StoredRecord | undefined,
  next: StoredRecord | undefined,
): Promise<DerivedRows> {
  // The members are copied one by one. `key` may be a cached object, and its other members must not be stored.
  const self: ObjectRef = { resource: resourceKey(kind.resource), namespace: key.namespace, name: key.name };
  const { ownerTracker = new OwnerTracker() } = kind.planeCallbacks;
  const work = await collectorRows(kind, ownerTracker, self, { old: old?.object, next: next?.object });
  const owners = ownerRows(kind.slice, self, old?.object, next?.object);
  const addsOwner = owners.some(({ value }) => value !== undefined);
  const marker = addsOwner ? await ownerTracker.markOwned(kind.store, kind.slice) : noMaintenanceRows;
  return {
    checks: [...work.checks, ...marker.checks],
    writes: [
      ...owners,
      ...marker.writes,
      ...deadlineRows(kind, self, old, next),
      ...reconcileRows(kind, self, old, next),
      ...work.writes,
    ],
  };
}

export const noMaintenanceRows: DerivedRows = { checks: [], writes: [] };

/**
 * True if an object may need maintenance rows. False if it has no owners and is not being deleted, and its kind has
 * neither expiry nor reconciles.
 */
function mayNeedRows(resource: StoredResource, { ownerReferences, deletionTimestamp }: ObjectMeta): boolean {
  if (ownerReferences !== undefined || deletionTimestamp !== undefined) return true;
  return resource.expiresAt !== undefined || resource.needsReconcile !== undefined || resource.requeues !== undefined;
}

/** Returns the changes to the owner index. Its rows map an owner and a dependent to the uid of the dependent. */
function ownerRows(slice: string, self: ObjectRef, old: KubeObject | undefined, next: KubeObject | undefined): Write[] {
  const before = new Set(ownersOf(old).map((reference) => reference.uid));
  const after = new Set(ownersOf(next).map((reference) => reference.uid));
  const removed = [...before].filter((uid) => !after.has(uid));
  const added = [...after].filter((uid) => !before.has(uid));
  return [
    ...removed.map((uid) => ({ key: dependentKey(slice, uid, self), value: undefined, unlogged: true })),
    ...added.map((uid) => ({ key: dependentKey(slice, uid, self), value: next?.metadata.uid ?? '', unlogged: true })),
  ];
}

/**
 * Returns the times at which maintenance must check the object, in milliseconds since the epoch. The result depends
 * only on the record and not on the current time. A later write can therefore compute which rows exist and delete them.
 */
function deadlines(resource: StoredResource, record: StoredRecord | undefined): readonly number[] {
  if (record === undefined) return [];
  const { deletionTimestamp, deletionGracePeriodSeconds } = record.object.metadata;
  if (deletionTimestamp !== undefined) {
    const isTimed = resource.graceSecondsOf === undefined && (deletionGracePeriodSeconds ?? 0) > 0;
    return isTimed ? [Date.parse(deletionTimestamp)] : [];
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
 * Returns the rows that request a reconcile. Each write of an object writes the row of its reconcile again, so that a
 * running reconcile notices the change. A write in a namespace also requeues the object that waits for this namespace
 * to become empty.
 */
function reconcileRows(
  kind: KindRuntime,
  self: ObjectRef,
  old: StoredRecord | undefined,
  next: StoredRecord | undefined,
): Write[] {
  const { resource, slice, planeCallbacks } = kind;
  const rows: Write[] = [];
  const needsReconcile = (record: StoredRecord | undefined) =>
    record !== undefined && resource.needsReconcile?.(record) === true;
  const key = reconcileKey(slice, self);
  if (needsReconcile(next)) rows.push({ key, value: '', unlogged: true });
  else if (needsReconcile(old)) rows.push({ key, value: undefined, unlogged: true });
  const waiting = resource.namespaced ? planeCallbacks.waitsForEmptyNamespace?.(self.namespace) : undefined;
  const requeued = [
    ...(resource.requeues?.(old, next) ?? []),
    ...requeuedByUsage(kind, self.namespace, old, next),
    ...(waiting === undefined ? [] : [waiting]),
  ];
  // Duplicates are removed, because a transaction must not write a row twice.
  const requeuedKeys = new Map(requeued.map((ref) => [`${ref.resource}/${ref.namespace}/${ref.name}`, ref]));
  for (const ref of requeuedKeys.values()) rows.push({ key: reconcileKey(slice, ref), value: '', unlogged: true });
  return rows;
}

/** Returns the objects, such as quotas, that must be reconciled because of this write in the namespace. */
function requeuedByUsage(
  { resource, planeCallbacks }: KindRuntime,
  namespace: string,
  old: StoredRecord | undefined,
  next: StoredRecord | undefined,
): readonly ObjectRef[] {
  return resource.namespaced ? (planeCallbacks.requeuedByUsage?.(resource, namespace, old, next) ?? []) : [];
}

/** An object before and after a write. */
interface ObjectChange {
  readonly old: KubeObject | undefined;
  readonly next: KubeObject | undefined;
}

async function collectorRows(
  kind: KindRuntime,
  ownerTracker: OwnerTracker,
  self: ObjectRef,
  { old, next }: ObjectChange,
): Promise<DerivedRows> {
  const checks: RequiredCheck[] = [];
  const writes: Write[] = [];
  const uid = next?.metadata.uid ?? old?.metadata.uid ?? '';
  if (next === undefined) {
    const removed = await ownerTracker.removed(kind.store, kind.slice, uid);
    checks.push(...removed.checks);
    if (removed.mayHaveDependents) writes.push(gcRow(kind.slice, self, uid, 'gone'));
  } else if (needsCheck(old, next)) {
    writes.push(gcRow(kind.slice, self, uid, 'check'));
  }
  for (const reference of releasedOwners(old, next)) {
    const owner = kind.planeCallbacks.resolveOwner(reference, self.namespace);
    if (owner === undefined) continue;
    const key = gcKey(kind.slice, reference.uid);
    const existing = await withStatusErrors(kind.store.get(key));
    // Keeps the row `gone`, which records that the owner was removed. If a `check` row replaced it, the dependents of
    // the owner would never be collected.
    if (existing !== undefined && (JSON.parse(existing.value) as GcWork).what === 'gone') continue;
    const ownerRef: ObjectRef = {
      resource: resourceKey({ group: owner.group, plural: owner.resource }),
      namespace: owner.namespace,
      name: owner.name,
    };
    checks.push({ key, revision: existing?.revision });
    writes.push(gcRow(kind.slice, ownerRef, reference.uid, 'check'));
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
  const activeFinalizers = activeCollectorFinalizers(next);
  return activeFinalizers.length > 0 && !equalJson([...activeFinalizers], [...activeCollectorFinalizers(old)]);
}

/** Returns the finalizers that the garbage collector must process now. Empty if the object is not being deleted. */
function activeCollectorFinalizers(object: KubeObject | undefined): readonly string[] {
  return object?.metadata.deletionTimestamp === undefined ? [] : garbageCollectorFinalizersOf(object);
}

/**
 * Returns the owners whose deletion this object blocked before the write and no longer blocks after it. The deletions
 * of these owners may be waiting for this object.
 */
function releasedOwners(old: KubeObject | undefined, next: KubeObject | undefined): Iterable<OwnerReference> {
  const released = new Map(blockingOwners(old).map((reference) => [reference.uid, reference]));
  for (const reference of blockingOwners(next)) released.delete(reference.uid);
  released.delete(old?.metadata.uid ?? '');
  return released.values();
}
