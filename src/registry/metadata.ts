import { isGraceOver } from '../api/grace-period.ts';
import type { KubeObject, ObjectMeta, Timestamp } from '../api/meta.ts';
import { timestamp } from '../api/meta.ts';
import { equalJson } from '../lib/json-value.ts';
import type { Place } from './object-index.ts';
import type { StoredResource } from './resource.ts';

/** Metadata in which what is not there may be undefined: a literal of all members has one form for all objects. */
type LooseMetadata = { readonly [M in keyof ObjectMeta]: ObjectMeta[M] | undefined };

/**
 * Only what metadata has, without what is empty (rules META-18, META-19), in struct order, which built-in kinds keep on
 * the wire. An empty list of managedFields stays until they are tracked: it asks for a fresh start (SSA-29). Each member
 * is named here, as what is assigned by a name that varies takes several times as long, and each write comes here.
 */
export function tidyMetadata(metadata: LooseMetadata): ObjectMeta {
  const { labels, annotations, ownerReferences, finalizers, managedFields } = metadata;
  const tidy: ObjectMeta = {};
  if (isSaid(metadata.name)) tidy.name = metadata.name;
  if (isSaid(metadata.generateName)) tidy.generateName = metadata.generateName;
  if (isSaid(metadata.namespace)) tidy.namespace = metadata.namespace;
  if (isSaid(metadata.uid)) tidy.uid = metadata.uid;
  if (isSaid(metadata.resourceVersion)) tidy.resourceVersion = metadata.resourceVersion;
  if (isSaid(metadata.generation)) tidy.generation = metadata.generation;
  if (isSaid(metadata.creationTimestamp)) tidy.creationTimestamp = metadata.creationTimestamp;
  if (isSaid(metadata.deletionTimestamp)) tidy.deletionTimestamp = metadata.deletionTimestamp;
  if (isSaid(metadata.deletionGracePeriodSeconds)) {
    tidy.deletionGracePeriodSeconds = metadata.deletionGracePeriodSeconds;
  }
  if (isSaid(labels) && !isEmpty(labels)) tidy.labels = labels;
  if (isSaid(annotations) && !isEmpty(annotations)) tidy.annotations = annotations;
  if (isSaid(ownerReferences) && !isEmpty(ownerReferences)) tidy.ownerReferences = ownerReferences;
  if (isSaid(finalizers) && !isEmpty(finalizers)) tidy.finalizers = finalizers;
  if (isSaid(managedFields)) tidy.managedFields = managedFields;
  return tidy;
}

/** What a client sent may be null whatever its type promises. */
function isSaid<T>(value: T | undefined): value is T {
  return value !== undefined && value !== null && value !== '';
}

function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

/**
 * What the server decides at creation (CREATE-02, CREATE-03, CREATE-11). Kinds that Go clients know have no
 * generation, as in Kubernetes.
 */
export function newMetadata(
  resource: StoredResource,
  sent: ObjectMeta,
  place: Place,
  system: { readonly uid: string; readonly now: number },
): ObjectMeta {
  return tidyMetadata({
    name: place.name,
    generateName: sent.generateName,
    namespace: place.namespace,
    uid: system.uid,
    resourceVersion: undefined,
    generation: resource.builtIn === true ? undefined : 1,
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
 * What a writer cannot change is put back (UPDATE-10, UPDATE-12; completions §2.1: a deletion under way is neither
 * unset nor moved). A deletionTimestamp on a living object and another uid are left in for validation to refuse
 * (UPDATE-13, PATCH-17).
 */
export function updatedMetadata(sent: ObjectMeta, old: ObjectMeta): ObjectMeta {
  const isGoing = old.deletionTimestamp !== undefined;
  const { deletionGracePeriodSeconds } = sent;
  return tidyMetadata({
    name: sent.name || old.name,
    generateName: sent.generateName,
    namespace: sent.namespace || old.namespace,
    uid: sent.uid || old.uid,
    resourceVersion: undefined,
    generation: old.generation,
    creationTimestamp: old.creationTimestamp,
    deletionTimestamp: isGoing ? old.deletionTimestamp : sent.deletionTimestamp,
    deletionGracePeriodSeconds: isGoing
      ? (deletionGracePeriodSeconds ?? old.deletionGracePeriodSeconds)
      : deletionGracePeriodSeconds,
    labels: sent.labels,
    annotations: sent.annotations,
    ownerReferences: sent.ownerReferences,
    finalizers: sent.finalizers,
    managedFields: sent.managedFields,
  });
}

/** Raises the generation if anything outside metadata, and status where it is a subresource, differs (UPDATE-10). */
export function raiseGeneration(resource: StoredResource, object: KubeObject, old: KubeObject): void {
  if (old.metadata.generation === undefined) return;
  const changed = differsOutside(resource, object, old);
  object.metadata.generation = old.metadata.generation + (changed ? 1 : 0);
}

function differsOutside(resource: StoredResource, object: KubeObject, old: KubeObject): boolean {
  const counts = (member: string) =>
    member !== 'apiVersion' &&
    member !== 'kind' &&
    member !== 'metadata' &&
    !(resource.hasStatus && member === 'status');
  for (const member in object) {
    if (counts(member) && !equalJson(object[member], memberOf(old, member))) return true;
  }
  for (const member in old) {
    if (counts(member) && !Object.hasOwn(object, member)) return true;
  }
  return false;
}

function memberOf(object: KubeObject, member: string) {
  return Object.hasOwn(object, member) ? object[member] : undefined;
}

/** Whether a deletion under way has nothing left to wait for. */
export function mayVanish(resource: StoredResource, object: KubeObject, now: number): boolean {
  if ((object.metadata.finalizers ?? []).length > 0 || !isGraceOver(object, now)) return false;
  return resource.isHeld?.(object) !== true;
}

/** When a grace period ends. Rounded up: timestamps have whole seconds, and nobody gets less time than was asked for. */
export function graceEnd(now: number, seconds: number): Timestamp {
  return seconds === 0 ? timestamp(now) : timestamp(Math.ceil(now / 1000) * 1000 + seconds * 1000);
}
