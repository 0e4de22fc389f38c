import { isGraceOver } from '../api/grace-period.ts';
import type { KubeObject, ObjectMeta, Timestamp } from '../api/meta.ts';
import { timestamp } from '../api/meta.ts';
import { equalJson } from '../lib/json-value.ts';
import type { Place } from './object-index.ts';
import type { StoredResource } from './resource.ts';

/** Struct order, which built-in kinds keep on the wire. */
const memberOrder = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
] as const satisfies readonly (keyof ObjectMeta)[];

/**
 * Only what metadata has, in order, without what is empty (rules META-18, META-19). An empty list of managedFields
 * stays until they are tracked: it asks for a fresh start (SSA-29).
 */
export function tidyMetadata(metadata: ObjectMeta): ObjectMeta {
  const tidy: Record<string, unknown> = {};
  for (const member of memberOrder) {
    const value = metadata[member];
    if (value === undefined || value === null || value === '') continue;
    if (member !== 'managedFields' && typeof value === 'object' && isEmpty(value)) continue;
    tidy[member] = value;
  }
  return tidy as ObjectMeta;
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
  const { generateName, labels, annotations, ownerReferences, finalizers, managedFields } = sent;
  return tidyMetadata({
    name: place.name,
    ...(generateName === undefined ? {} : { generateName }),
    namespace: place.namespace,
    uid: system.uid,
    ...(resource.builtIn === true ? {} : { generation: 1 }),
    creationTimestamp: timestamp(system.now),
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(ownerReferences === undefined ? {} : { ownerReferences }),
    ...(finalizers === undefined ? {} : { finalizers }),
    ...(managedFields === undefined ? {} : { managedFields }),
  });
}

/**
 * What a writer cannot change is put back (UPDATE-10, UPDATE-12; completions §2.1: a deletion under way is neither
 * unset nor moved). A deletionTimestamp on a living object and another uid are left in for validation to refuse
 * (UPDATE-13, PATCH-17).
 */
export function updatedMetadata(sent: ObjectMeta, old: ObjectMeta): ObjectMeta {
  const { resourceVersion: _, ...kept } = sent;
  const next: ObjectMeta = { ...kept };
  next.uid = sent.uid || (old.uid ?? '');
  assign(next, 'generation', old.generation);
  assign(next, 'creationTimestamp', old.creationTimestamp);
  if (old.deletionTimestamp !== undefined) {
    next.deletionTimestamp = old.deletionTimestamp;
    assign(next, 'deletionGracePeriodSeconds', sent.deletionGracePeriodSeconds ?? old.deletionGracePeriodSeconds);
  }
  next.name = sent.name || (old.name ?? '');
  next.namespace = sent.namespace || (old.namespace ?? '');
  return tidyMetadata(next);
}

function assign<K extends keyof ObjectMeta>(target: ObjectMeta, member: K, value: ObjectMeta[K] | undefined): void {
  if (value === undefined) delete target[member];
  else target[member] = value;
}

/** Raises the generation if anything outside metadata, and status where it is a subresource, differs (UPDATE-10). */
export function raiseGeneration(resource: StoredResource, object: KubeObject, old: KubeObject): void {
  if (old.metadata.generation === undefined) return;
  const changed = differsOutside(resource, object, old);
  object.metadata.generation = old.metadata.generation + (changed ? 1 : 0);
}

function differsOutside(resource: StoredResource, object: KubeObject, old: KubeObject): boolean {
  const members = new Set([...Object.keys(object), ...Object.keys(old)]);
  for (const member of ['apiVersion', 'kind', 'metadata']) members.delete(member);
  if (resource.hasStatus) members.delete('status');
  return [...members].some((member) => !equalJson(memberOf(object, member), memberOf(old, member)));
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
