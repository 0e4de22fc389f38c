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
import { caughtUp, findKindStore, findObject, type PlaneStores } from './plane-stores.ts';

/** The plane whose garbage is collected, and the store, which contains the index of dependents by owner. */
interface GcContext {
  readonly store: Store;
  readonly plane: PlaneStores;
}

/**
 * Processes one garbage-collection row (rules GC-01 to GC-09). Finds dependents with the owner index in the store,
 * reads objects from the watch caches, and writes with preconditions. If another client changes an object at the same
 * time, the write fails with a conflict and the row is processed again later. Processing a row twice does no harm.
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
  if (rows.entries.length > 0) await caughtUp(store, plane);
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
 * True if the garbage-collection row reports that the referenced owner was deleted. The owner itself is not looked up,
 * because its kind may have been removed too. A cluster-scoped object cannot have a namespaced owner (GC-05).
 */
function isGone({ uid }: OwnerReference, gone: GcWork | undefined, { namespace }: ObjectRef): boolean {
  return gone?.uid === uid && (gone.namespace === '' || namespace !== '');
}

/**
 * Returns the propagation policy for deleting an object whose owners are gone (GC-02, GC-07). The policy is Foreground
 * if an owner waits for the object and the object has dependents. Otherwise, the finalizers of the object determine the
 * policy.
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

/** Removes the owner reference from all dependents, then the owner's finalizer `orphan` (GC-09). */
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
 * Deletes all dependents. If none of them blocks the owner's deletion any more, removes the owner's finalizer (GC-06,
 * GC-08). Dependents in a cycle with the owner do not block it. The deletion of a blocking dependent writes a new row
 * for the owner, so this function does not wait.
 */
async function deleteDependents(context: GcContext, key: ObjectRef, owner: KubeObject): Promise<void> {
  const { plane } = context;
  const uid = owner.metadata.uid ?? '';
  for (const dependentKey of await dependentsOf(context, uid)) {
    // A dependent that is being deleted has its own row, so it is not processed here. Otherwise, the processing of a
    // cycle of owners would never end.
    const dependent = findObject(plane, dependentKey);
    if (dependent !== undefined && dependent.metadata.deletionTimestamp === undefined) {
      await check(context, dependentKey, dependent);
    }
  }
  const remaining = (await dependentsOf(context, uid))
    .map((dependentKey) => findObject(plane, dependentKey))
    .filter((dependent): dependent is KubeObject => dependent !== undefined);
  let ancestors: ReadonlySet<string> | undefined;
  const isInCycle = (dependent: KubeObject): boolean => {
    if (!isWaitingForDependents(dependent)) return false;
    ancestors ??= ancestorsOf(plane, owner);
    return ancestors.has(dependent.metadata.uid ?? '');
  };
  const isBlocked = remaining.some((dependent) => blocksOwnerDeletion(dependent, uid) && !isInCycle(dependent));
  if (!isBlocked) await dropFinalizer(plane, key, foregroundFinalizer);
}

/**
 * Returns the UIDs of all direct and indirect owners of an object. An owner that is also a dependent of the object
 * waits for the deletion of the object.
 */
function ancestorsOf(plane: PlaneStores, object: KubeObject): ReadonlySet<string> {
  const seen = new Set<string>();
  const queue: KubeObject[] = [object];
  for (let current = queue.pop(); current !== undefined; current = queue.pop()) {
    for (const reference of current.metadata.ownerReferences ?? []) {
      if (seen.has(reference.uid)) continue;
      seen.add(reference.uid);
      const next = ownerObject(plane, current, reference);
      if (next !== undefined) queue.push(next);
    }
  }
  return seen;
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
    findKindStore(plane, key.resource)?.verbs.delete(systemContext(key.namespace, undefined, plane.fence), key.name, {
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
      systemContext(key.namespace, undefined, plane.fence),
      key.name,
      { type: 'merge', document: { metadata: { ...metadata, uid, resourceVersion } }, findings: [] },
      { dryRun: false, fieldManager: 'garbage-collector', fieldValidation: 'Ignore', force: false },
    ),
  );
}

/** Runs an action and ignores a 404 error, because another client may have deleted the object. */
async function ignoreNotFound(action: () => Promise<unknown> | undefined): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
  }
}
