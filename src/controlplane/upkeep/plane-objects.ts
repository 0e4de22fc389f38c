import { type KubeObject, type OwnerReference, parseApiVersion } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { type ObjectPlace, resourceKey } from '../../registry/rows.ts';

/** The stored kinds of one control plane, as upkeep reaches them. */
export interface PlaneObjects {
  /** The slice. */
  readonly id: string;
  stores(): Iterable<KindStore>;
}

export function storeOf(plane: PlaneObjects, resource: string): KindStore | undefined {
  for (const store of plane.stores()) if (resourceKey(store.resource) === resource) return store;
  return undefined;
}

export function objectAt(plane: PlaneObjects, place: ObjectPlace): KubeObject | undefined {
  return storeOf(plane, place.resource)?.peek(place.namespace, place.name)?.object;
}

/** The stored kind that an owner reference names, whatever version it was written with. */
export function kindOfReference(plane: PlaneObjects, reference: OwnerReference): ResourceKind | undefined {
  const { group } = parseApiVersion(reference.apiVersion);
  for (const store of plane.stores()) {
    if (store.resource.group === group && store.resource.kind === reference.kind) return store.resource;
  }
  return undefined;
}
