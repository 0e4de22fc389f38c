import type { JsonObject } from '@flotilla/json';
import type { KubeObject, OwnerReference } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import { dependentsRange, type GcWork, type ObjectRef } from '../../registry/rows/rows.ts';
import type { DeleteOptions } from '../../registry/verbs.ts';
import type { Store } from '../../store/store.ts';
import { systemContext } from '../system-context.ts';
import {
  blocksOwnerDeletion,
  foregroundFinalizer,
  hasFinalizer,
  isWaitingForDependents,
  orphanFinalizer,
  ownerState,
} from './owners.ts';
import { findKindStore, findObject, type PlaneStores } from './plane-stores.ts';

/** The plane whose garbage is collected, and the store with its owner index. */
interface GcContext {
  readonly store: Store;
  readonly plane: PlaneStores;
}

/**
 * Processes one item of garbage-collection work (rules GC-01 to GC-09). It uses the owner index in the store, reads
 * objects from the watch caches, and writes with preconditions like any client. If an object has changed in the
 * meantime, the write is a conflict, and the work stays and is retried. Completed work may be repeated safely.
 */
export async function collectGarbage(store: Store, plane: PlaneStores, work: GcWork): Promise<void> {
  const context: GcContext = { store, plane };
  if (work.what === 'gone') {
    for (const key of await dependentsOf(context, work.uid)) {
      const dependent = findObject(plane, key);
      if (dependent !== undefined) await check(context, key, dependent, work);
    }
    return;
  }
  const object = findObject(plane, work);
  if (object?.metadata.uid === work.uid) await check(context, work, object);
}

async function dependentsOf({ store, plane }: GcContext, ownerUid: string): Promise<ObjectRef[]> {
  const rows = await store.list(dependentsRange(plane.id, ownerUid));
  return rows.entries.map(({ key }) => {
    const [, , resource = '', namespace = '', name = ''] = key.segments;
    return { resource, namespace, name };
  });
}

async function check(context: GcContext, key: ObjectRef, object: KubeObject, gone?: GcWork): Promise<void> {
  const { plane } = context;
  if (object.metadata.deletionTimestamp !== undefined) {
    if (hasFinalizer(object, orphanFinalizer)) await orphanDependents(context, key, object);
    else if (hasFinalizer(object, foregroundFinalizer)) await deleteDependents(context, key, object);
    return;
  }
  const references = object.metadata.ownerReferences ?? [];
  if (references.length === 0) return;
  const states = references.map((reference) =>
    isGone(reference, gone, key) ? 'absent' : ownerState(plane, object, reference),
  );
  if (states.some((state) => state === 'solid' || state === 'unknowable')) {
    const kept = references.filter((_reference, index) => states[index] !== 'absent' && states[index] !== 'waiting');
    if (kept.length < references.length) await writeReferences(plane, key, object, kept);
    return;
  }
  const policy = await policyFor(context, object, states.includes('waiting'));
  await remove(plane, key, object, policy);
}

/**
 * True if the work itself says that this owner is gone. Its kind, which may have been removed with it, is not needed.
 * GC-05 still applies.
 */
function isGone({ uid }: OwnerReference, gone: GcWork | undefined, { namespace }: ObjectRef): boolean {
  return gone?.uid === uid && (gone.namespace === '' || namespace !== '');
}

/**
 * GC-02, GC-07: the object's own finalizers decide; without any, foreground if its owner waits and it has dependents.
 */
async function policyFor(
  context: GcContext,
  object: KubeObject,
  ownerWaits: boolean,
): Promise<NonNullable<DeleteOptions['propagationPolicy']>> {
  if (ownerWaits && (await dependentsOf(context, object.metadata.uid ?? '')).length > 0) return 'Foreground';
  if (hasFinalizer(object, orphanFinalizer)) return 'Orphan';
  return hasFinalizer(object, foregroundFinalizer) ? 'Foreground' : 'Background';
}

/** GC-09: removes the owner reference from all dependents, then allows the owner's deletion. */
async function orphanDependents(context: GcContext, key: ObjectRef, owner: KubeObject): Promise<void> {
  const { plane } = context;
  const uid = owner.metadata.uid ?? '';
  for (const dependentKey of await dependentsOf(context, uid)) {
    const dependent = findObject(plane, dependentKey);
    if (dependent === undefined) continue;
    const kept = (dependent.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== uid);
    await writeReferences(plane, dependentKey, dependent, kept);
  }
  await dropFinalizer(plane, key, orphanFinalizer);
}

/**
 * GC-06, GC-08: deletes every dependent, and allows the owner's deletion once no blocking dependent is left. A
 * dependent that itself waits for this owner (a cycle) does not count as blocking. The removal of a blocking dependent
 * creates new work for the owner, so nothing has to wait here.
 */
async function deleteDependents(context: GcContext, key: ObjectRef, owner: KubeObject): Promise<void> {
  const { plane } = context;
  const uid = owner.metadata.uid ?? '';
  for (const dependentKey of await dependentsOf(context, uid)) {
    // A dependent whose deletion is in progress has work of its own; processing it here could loop in a cycle.
    const dependent = findObject(plane, dependentKey);
    if (dependent !== undefined && dependent.metadata.deletionTimestamp === undefined) {
      await check(context, dependentKey, dependent);
    }
  }
  const remaining = (await dependentsOf(context, uid))
    .map((dependentKey) => findObject(plane, dependentKey))
    .filter((dependent): dependent is KubeObject => dependent !== undefined);
  const blocking = remaining.filter(
    (dependent) => blocksOwnerDeletion(dependent, uid) && !isInCycle(plane, owner, dependent),
  );
  if (blocking.length === 0) await dropFinalizer(plane, key, foregroundFinalizer);
}

/** Reports whether the dependent in turn waits, directly or indirectly, for this owner to be deleted first. */
function isInCycle(plane: PlaneStores, owner: KubeObject, dependent: KubeObject): boolean {
  if (!isWaitingForDependents(dependent)) return false;
  const seen = new Set<string>();
  const queue: KubeObject[] = [owner];
  for (let current = queue.pop(); current !== undefined; current = queue.pop()) {
    for (const reference of current.metadata.ownerReferences ?? []) {
      if (reference.uid === dependent.metadata.uid) return true;
      if (seen.has(reference.uid)) continue;
      seen.add(reference.uid);
      const next = ownerObject(plane, current, reference);
      if (next !== undefined) queue.push(next);
    }
  }
  return false;
}

function ownerObject(plane: PlaneStores, dependent: KubeObject, reference: OwnerReference): KubeObject | undefined {
  for (const store of plane.stores()) {
    if (store.resource.kind !== reference.kind) continue;
    const namespace = store.resource.namespaced ? (dependent.metadata.namespace ?? '') : '';
    const owner = store.peek(namespace, reference.name)?.object;
    if (owner?.metadata.uid === reference.uid) return owner;
  }
  return undefined;
}

async function remove(
  plane: PlaneStores,
  key: ObjectRef,
  object: KubeObject,
  propagationPolicy: DeleteOptions['propagationPolicy'],
): Promise<void> {
  const { uid = '', resourceVersion = '' } = object.metadata;
  await ignoreNotFound(() =>
    findKindStore(plane, key.resource)?.verbs.delete(systemContext(key.namespace), key.name, {
      dryRun: false,
      gracePeriodSeconds: undefined,
      propagationPolicy,
      preconditions: { uid, resourceVersion },
    }),
  );
}

async function writeReferences(
  plane: PlaneStores,
  key: ObjectRef,
  object: KubeObject,
  kept: readonly OwnerReference[],
): Promise<void> {
  await patchMetadata(plane, key, object, { ownerReferences: kept.length === 0 ? null : [...kept] });
}

async function dropFinalizer(plane: PlaneStores, key: ObjectRef, finalizer: string): Promise<void> {
  const object = findObject(plane, key);
  if (object === undefined || !hasFinalizer(object, finalizer)) return;
  const kept = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
  await patchMetadata(plane, key, object, { finalizers: kept.length === 0 ? null : kept });
}

async function patchMetadata(
  plane: PlaneStores,
  key: ObjectRef,
  object: KubeObject,
  metadata: JsonObject,
): Promise<void> {
  const { uid = '', resourceVersion = '' } = object.metadata;
  await ignoreNotFound(() =>
    findKindStore(plane, key.resource)?.verbs.patch(
      systemContext(key.namespace),
      key.name,
      { type: 'merge', document: { metadata: { ...metadata, uid, resourceVersion } }, findings: [] },
      { dryRun: false, fieldManager: 'garbage-collector', fieldValidation: 'Ignore', force: false },
    ),
  );
}

/** Ignores 404: another writer has already deleted the object. */
async function ignoreNotFound(action: () => Promise<unknown> | undefined): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
  }
}
