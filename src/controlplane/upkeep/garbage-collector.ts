import type { KubeObject, OwnerReference } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import { dependentsRange, type GcWork, type ObjectPlace } from '../../registry/rows.ts';
import type { DeleteOptions } from '../../registry/verbs.ts';
import type { Store } from '../../store/store.ts';
import { systemContext } from '../system-context.ts';
import {
  blocks,
  foregroundFinalizer,
  hasFinalizer,
  isWaitingForDependents,
  orphanFinalizer,
  ownerState,
} from './owners.ts';
import { objectAt, type PlaneObjects, storeOf } from './plane-objects.ts';

/**
 * Settles one piece of garbage-collection work (rules GC-01 to GC-09). Works from the owner index in the store, reads
 * objects from the watch caches, and writes like anybody else with preconditions: what has changed meanwhile is a
 * conflict, the work stays, and is looked at again. Settled work may be done twice without harm.
 */
export async function collect(store: Store, plane: PlaneObjects, work: GcWork): Promise<void> {
  if (work.what === 'gone') {
    for (const place of await dependentsOf(store, plane, work.uid)) {
      const dependent = objectAt(plane, place);
      if (dependent !== undefined) await check(store, plane, place, dependent, work);
    }
    return;
  }
  const object = objectAt(plane, work);
  if (object?.metadata.uid === work.uid) await check(store, plane, work, object);
}

async function dependentsOf(store: Store, plane: PlaneObjects, ownerUid: string): Promise<ObjectPlace[]> {
  const rows = await store.list(dependentsRange(plane.id, ownerUid));
  return rows.entries.map(({ key }) => {
    const [, , resource = '', namespace = '', name = ''] = key.segments;
    return { resource, namespace, name };
  });
}

async function check(
  store: Store,
  plane: PlaneObjects,
  place: ObjectPlace,
  object: KubeObject,
  gone?: GcWork,
): Promise<void> {
  if (object.metadata.deletionTimestamp !== undefined) {
    if (hasFinalizer(object, orphanFinalizer)) await orphanDependents(store, plane, place, object);
    else if (hasFinalizer(object, foregroundFinalizer)) await deleteDependents(store, plane, place, object);
    return;
  }
  const references = object.metadata.ownerReferences ?? [];
  if (references.length === 0) return;
  const states = references.map((reference) =>
    isGone(reference, gone, place) ? 'absent' : ownerState(plane, object, reference),
  );
  if (states.some((state) => state === 'solid' || state === 'unknowable')) {
    const kept = references.filter((_reference, index) => states[index] !== 'absent' && states[index] !== 'waiting');
    if (kept.length < references.length) await writeReferences(plane, place, object, kept);
    return;
  }
  const policy = await policyFor(store, plane, object, states.includes('waiting'));
  await remove(plane, place, object, policy);
}

/** It was there and is not: its kind, which may have gone with it, need not be asked. GC-05 holds all the same. */
function isGone({ uid }: OwnerReference, gone: GcWork | undefined, { namespace }: ObjectPlace): boolean {
  return gone?.uid === uid && (gone.namespace === '' || namespace !== '');
}

/** GC-02, GC-07: the object's own wish decides; without one, foreground if its owner waits and it has dependents. */
async function policyFor(
  store: Store,
  plane: PlaneObjects,
  object: KubeObject,
  ownerWaits: boolean,
): Promise<NonNullable<DeleteOptions['propagationPolicy']>> {
  if (ownerWaits && (await dependentsOf(store, plane, object.metadata.uid ?? '')).length > 0) return 'Foreground';
  if (hasFinalizer(object, orphanFinalizer)) return 'Orphan';
  return hasFinalizer(object, foregroundFinalizer) ? 'Foreground' : 'Background';
}

/** GC-09: everybody forgets the owner, then the owner may go. */
async function orphanDependents(
  store: Store,
  plane: PlaneObjects,
  place: ObjectPlace,
  owner: KubeObject,
): Promise<void> {
  const uid = owner.metadata.uid ?? '';
  for (const dependentPlace of await dependentsOf(store, plane, uid)) {
    const dependent = objectAt(plane, dependentPlace);
    if (dependent === undefined) continue;
    const kept = (dependent.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== uid);
    await writeReferences(plane, dependentPlace, dependent, kept);
  }
  await dropFinalizer(plane, place, orphanFinalizer);
}

/**
 * GC-06, GC-08: deletes every dependent and lets the owner go once none is left that blocks it. A dependent that is
 * itself waiting for this owner (a circle) does not count as blocking. The removal of a blocking dependent brings
 * new work for the owner, so nothing has to wait here.
 */
async function deleteDependents(
  store: Store,
  plane: PlaneObjects,
  place: ObjectPlace,
  owner: KubeObject,
): Promise<void> {
  const uid = owner.metadata.uid ?? '';
  for (const dependentPlace of await dependentsOf(store, plane, uid)) {
    // One whose deletion is under way has work of its own; looking at it from here could run round a circle.
    const dependent = objectAt(plane, dependentPlace);
    if (dependent !== undefined && dependent.metadata.deletionTimestamp === undefined) {
      await check(store, plane, dependentPlace, dependent);
    }
  }
  const left = (await dependentsOf(store, plane, uid))
    .map((dependentPlace) => objectAt(plane, dependentPlace))
    .filter((dependent): dependent is KubeObject => dependent !== undefined);
  const blocking = left.filter((dependent) => blocks(dependent, uid) && !isInCircle(plane, owner, dependent));
  if (blocking.length === 0) await dropFinalizer(plane, place, foregroundFinalizer);
}

/** Whether the dependent in turn waits, directly or through others, for this very owner to go first. */
function isInCircle(plane: PlaneObjects, owner: KubeObject, dependent: KubeObject): boolean {
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

function ownerObject(plane: PlaneObjects, dependent: KubeObject, reference: OwnerReference): KubeObject | undefined {
  for (const store of plane.stores()) {
    if (store.resource.kind !== reference.kind) continue;
    const namespace = store.resource.namespaced ? (dependent.metadata.namespace ?? '') : '';
    const owner = store.peek(namespace, reference.name)?.object;
    if (owner?.metadata.uid === reference.uid) return owner;
  }
  return undefined;
}

async function remove(
  plane: PlaneObjects,
  place: ObjectPlace,
  object: KubeObject,
  propagationPolicy: DeleteOptions['propagationPolicy'],
): Promise<void> {
  const { uid = '', resourceVersion = '' } = object.metadata;
  await unlessGone(() =>
    storeOf(plane, place.resource)?.verbs.delete(systemContext(place.namespace), place.name, {
      dryRun: false,
      gracePeriodSeconds: undefined,
      propagationPolicy,
      preconditions: { uid, resourceVersion },
    }),
  );
}

async function writeReferences(
  plane: PlaneObjects,
  place: ObjectPlace,
  object: KubeObject,
  kept: readonly OwnerReference[],
): Promise<void> {
  await patchMetadata(plane, place, object, { ownerReferences: kept.length === 0 ? null : [...kept] });
}

async function dropFinalizer(plane: PlaneObjects, place: ObjectPlace, finalizer: string): Promise<void> {
  const object = objectAt(plane, place);
  if (object === undefined || !hasFinalizer(object, finalizer)) return;
  const kept = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
  await patchMetadata(plane, place, object, { finalizers: kept.length === 0 ? null : kept });
}

async function patchMetadata(
  plane: PlaneObjects,
  place: ObjectPlace,
  object: KubeObject,
  metadata: JsonObject,
): Promise<void> {
  const { uid = '', resourceVersion = '' } = object.metadata;
  await unlessGone(() =>
    storeOf(plane, place.resource)?.verbs.patch(
      systemContext(place.namespace),
      place.name,
      { type: 'merge', document: { metadata: { ...metadata, uid, resourceVersion } }, findings: [] },
      { dryRun: false, fieldManager: 'garbage-collector', fieldValidation: 'Ignore', force: false },
    ),
  );
}

/** Somebody else was faster: what was to go is gone. */
async function unlessGone(action: () => Promise<unknown> | undefined): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
  }
}
