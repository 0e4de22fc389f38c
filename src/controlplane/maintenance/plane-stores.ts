import { type KubeObject, type OwnerReference, parseApiVersion } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { type ObjectRef, resourceKey } from '../../registry/rows/rows.ts';

/** The stored kinds of one control plane, as maintenance uses them. */
export interface PlaneStores {
  /** The plane's slice of the store. */
  readonly id: string;
  stores(): Iterable<KindStore>;
}

/** A plane that maintenance works in. */
export interface BorrowedPlaneStores extends PlaneStores {
  /**
   * Called once when maintenance is done; the plane is not unloaded before. Optional for planes that are never
   * unloaded.
   */
  release?(): void;
}

/** Returns a plane, and loads it if necessary; `undefined` if it is gone for good, and its work with it. */
export type PlaneSource = (id: string) => Promise<BorrowedPlaneStores | undefined>;

/** Runs `work` in the plane; resolves with `undefined` if there is no such plane. */
export async function withPlane<T>(
  source: PlaneSource,
  id: string,
  work: (plane: PlaneStores) => Promise<T>,
): Promise<T | undefined> {
  const plane = await source(id);
  if (plane === undefined) return undefined;
  try {
    return await work(plane);
  } finally {
    plane.release?.();
  }
}

export function findKindStore(plane: PlaneStores, resource: string): KindStore | undefined {
  for (const store of plane.stores()) if (resourceKey(store.resource) === resource) return store;
  return undefined;
}

export function findObject(plane: PlaneStores, key: ObjectRef): KubeObject | undefined {
  return findKindStore(plane, key.resource)?.peek(key.namespace, key.name)?.object;
}

/** The stored kind that an owner reference names, regardless of its version. */
export function ownerKindOf(plane: PlaneStores, reference: OwnerReference): ResourceKind | undefined {
  const { group } = parseApiVersion(reference.apiVersion);
  for (const store of plane.stores()) {
    if (store.resource.group === group && store.resource.kind === reference.kind) return store.resource;
  }
  return undefined;
}
