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

/** A plane that upkeep works in. */
export interface PlaneInUse extends PlaneObjects {
  /** Called once when upkeep has done with it; until then the plane is not to be put away. Absent: it never is. */
  release?(): void;
}

/** Where planes come from: loads one if need be; undefined: it is gone for good, and its work with it. */
export type PlaneSource = (id: string) => Promise<PlaneInUse | undefined>;

/** Does this in the plane; undefined also where there is no such plane. */
export async function inPlane<T>(
  source: PlaneSource,
  id: string,
  work: (plane: PlaneObjects) => Promise<T>,
): Promise<T | undefined> {
  const plane = await source(id);
  if (plane === undefined) return undefined;
  try {
    return await work(plane);
  } finally {
    plane.release?.();
  }
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
