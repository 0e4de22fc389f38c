import { equalJson } from '@flotilla/json';
import { isGracePeriodOver } from '../../api/grace-period.ts';
import type { KubeObject, ObjectMeta, Timestamp } from '../../api/meta.ts';
import { timestamp } from '../../api/meta.ts';
import type { ObjectKey } from '../cache/object-index.ts';
import type { StoredResource } from '../resource.ts';

/**
 * Metadata in which absent members may be `undefined`. Object literals can then list all members, so all of these
 * objects have the same hidden class in V8.
 */
type LooseMetadata = { readonly [M in keyof ObjectMeta]: ObjectMeta[M] | undefined };

/**
 * Removes unknown and empty members from metadata (rules META-18, META-19). The result has the member order of the Go
 * struct, in which Kubernetes' built-in kinds are served. An empty managedFields list is kept, because it requests a
 * reset when managedFields are tracked (SSA-29). The members are written out one by one: a loop with computed names
 * takes several times as long, and this code runs for every write.
 */
export function normalizeMetadata(metadata: LooseMetadata): ObjectMeta {
  const { labels, annotations, ownerReferences, finalizers, managedFields } = metadata;
  const tidy: ObjectMeta = {};
  if (isPresent(metadata.name)) tidy.name = metadata.name;
  if (isPresent(metadata.generateName)) tidy.generateName = metadata.generateName;
  if (isPresent(metadata.namespace)) tidy.namespace = metadata.namespace;
  if (isPresent(metadata.uid)) tidy.uid = metadata.uid;
  if (isPresent(metadata.resourceVersion)) tidy.resourceVersion = metadata.resourceVersion;
  if (isPresent(metadata.generation)) tidy.generation = metadata.generation;
  if (isPresent(metadata.creationTimestamp)) tidy.creationTimestamp = metadata.creationTimestamp;
  if (isPresent(metadata.deletionTimestamp)) tidy.deletionTimestamp = metadata.deletionTimestamp;
  if (isPresent(metadata.deletionGracePeriodSeconds)) {
    tidy.deletionGracePeriodSeconds = metadata.deletionGracePeriodSeconds;
  }
  if (isPresent(labels) && !isEmpty(labels)) tidy.labels = labels;
  if (isPresent(annotations) && !isEmpty(annotations)) tidy.annotations = annotations;
  if (isPresent(ownerReferences) && !isEmpty(ownerReferences)) tidy.ownerReferences = ownerReferences;
  if (isPresent(finalizers) && !isEmpty(finalizers)) tidy.finalizers = finalizers;
  if (isPresent(managedFields)) tidy.managedFields = managedFields;
  return tidy;
}

/** True if a member has a value. Null counts as absent, because a client may send null for any member. */
function isPresent<T>(value: T | undefined): value is T {
  return value !== undefined && value !== null && value !== '';
}

function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

/**
 * Returns the metadata of a new object, with the fields that the server sets (CREATE-02, CREATE-03, CREATE-11). As in
 * Kubernetes, most built-in kinds get no generation.
 */
export function newMetadata(
  resource: StoredResource,
  sent: ObjectMeta,
  key: ObjectKey,
  system: { readonly uid: string; readonly now: number },
): ObjectMeta {
  return normalizeMetadata({
    name: key.name,
    generateName: sent.generateName,
    namespace: key.namespace,
    uid: system.uid,
    resourceVersion: undefined,
    generation: firstGeneration(resource),
    creationTimestamp: timestamp(system.now),
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    labels: sent.labels,
    annotations: sent.annotations,
    ownerReferences: sent.ownerReferences,
    finalizers: sent.finalizers,
    managedFields: sent.managedFields,
  });
}

/**
 * Returns the metadata of an updated object. Immutable fields get their old values (UPDATE-10, UPDATE-12), and the
 * deletion of a terminating object cannot be changed (completions §2.1). An invalid uid or deletionTimestamp is kept,
 * so that validation rejects it (UPDATE-13, PATCH-17).
 */
export function updatedMetadata(sent: ObjectMeta, old: ObjectMeta): ObjectMeta {
  const isTerminating = old.deletionTimestamp !== undefined;
  const { deletionGracePeriodSeconds } = sent;
  return normalizeMetadata({
    name: sent.name || old.name,
    generateName: sent.generateName,
    namespace: sent.namespace || old.namespace,
    uid: sent.uid || old.uid,
    resourceVersion: undefined,
    generation: old.generation,
    creationTimestamp: old.creationTimestamp,
    deletionTimestamp: isTerminating ? old.deletionTimestamp : sent.deletionTimestamp,
    deletionGracePeriodSeconds: isTerminating
      ? (deletionGracePeriodSeconds ?? old.deletionGracePeriodSeconds)
      : deletionGracePeriodSeconds,
    labels: sent.labels,
    annotations: sent.annotations,
    ownerReferences: sent.ownerReferences,
    finalizers: sent.finalizers,
    managedFields: sent.managedFields,
  });
}

function firstGeneration({ generation, builtIn }: StoredResource): number | undefined {
  if (generation !== undefined) return generation.first === 0 ? undefined : generation.first;
  return builtIn === true ? undefined : 1;
}

/**
 * Increments the generation if anything except metadata and a status subresource has changed (UPDATE-10). Some built-in
 * kinds have other rules (`GenerationRule`).
 */
export function bumpGeneration(resource: StoredResource, object: KubeObject, old: KubeObject): void {
  const before = old.metadata.generation ?? resource.generation?.first;
  if (before === undefined || resource.generation?.increasedBy === 'never') return;
  const changed = differsOutside(resource, object, old) || differsInCountedMetadata(resource, object, old);
  if (changed || before > 0) object.metadata.generation = before + (changed ? 1 : 0);
}

function differsInCountedMetadata({ generation }: StoredResource, object: KubeObject, old: KubeObject): boolean {
  if (generation?.increasedBy === 'spec-or-annotations')
    return !equalJson(object.metadata.annotations ?? {}, old.metadata.annotations ?? {});
  if (generation?.increasedBy === 'spec-or-labels')
    return !equalJson(object.metadata.labels ?? {}, old.metadata.labels ?? {});
  return false;
}

function differsOutside(resource: StoredResource, object: KubeObject, old: KubeObject): boolean {
  const affectsGeneration = (member: string) =>
    member !== 'apiVersion' &&
    member !== 'kind' &&
    member !== 'metadata' &&
    !(resource.hasStatus && member === 'status');
  for (const member in object) {
    if (affectsGeneration(member) && !equalJson(object[member], memberOf(old, member))) return true;
  }
  for (const member in old) {
    if (affectsGeneration(member) && !Object.hasOwn(object, member)) return true;
  }
  return false;
}

function memberOf(object: KubeObject, member: string) {
  return Object.hasOwn(object, member) ? object[member] : undefined;
}

/** True if a terminating object can be removed: no finalizer and no hook blocks it, and its grace period is over. */
export function canBeRemoved(resource: StoredResource, object: KubeObject, now: number): boolean {
  const { finalizers = [], deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
  const isOver =
    resource.graceSecondsOf === undefined
      ? isGracePeriodOver(object, now)
      : deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0;
  if (finalizers.length > 0 || !isOver) return false;
  return resource.isDeletionBlocked?.(object) !== true;
}

/**
 * Returns the time at which a grace period ends. `now` is rounded up to whole seconds, the precision of a timestamp, so
 * that the grace period is never shorter than requested.
 */
export function gracePeriodEnd(now: number, seconds: number): Timestamp {
  return seconds === 0 ? timestamp(now) : timestamp(Math.ceil(now / 1000) * 1000 + seconds * 1000);
}
