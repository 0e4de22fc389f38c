import { type KubeObject, type OwnerReference, parseApiVersion } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { type ObjectRef, resourceKey } from '../../registry/rows/rows.ts';
import type { RevisionCheck, Store } from '../../store/store.ts';

/** The stored kinds of one control plane, for use by maintenance. */
export interface PlaneStores {
  /** The ID of the plane. It is also the name of the plane's slice of the store. */
  readonly id: string;
  stores(): Iterable<KindStore>;
  /** The check for all writes of a maintenance task (`RequestContext.fence`). Optional; defaults to none. */
  readonly fence?: RevisionCheck;
}

/** A plane that stays loaded until maintenance releases it. */
export interface BorrowedPlaneStores extends PlaneStores {
  /**
   * Releases the plane, which may then be unloaded. Maintenance calls it once, when its work is done. Absent for planes
   * that are never unloaded.
   */
  release?(): void;
}

/**
 * Loads a plane by ID if necessary. Returns `undefined` if the plane was removed; its maintenance work is then
 * obsolete.
 */
export type PlaneSource = (id: string) => Promise<BorrowedPlaneStores | undefined>;

/**
 * Runs `work` with a plane and releases the plane afterwards. Resolves with `undefined` if the plane does not exist.
 */
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

/**
 * Waits until the caches of a plane contain all writes up to now. Must be called after maintenance rows were read from
 * the store and before the caches are read: rows that other processes have written may be newer than the caches.
 * Rejects if a cache cannot be brought up to date; the row is then processed again later.
 */
export async function caughtUp(store: Pick<Store, 'isShared'>, plane: PlaneStores): Promise<void> {
  if (!store.isShared) return;
  await Promise.all([...plane.stores()].map((kind) => kind.freshRevision()));
}

export function findKindStore(plane: PlaneStores, resource: string): KindStore | undefined {
  for (const store of plane.stores()) if (resourceKey(store.resource) === resource) return store;
  return undefined;
}

export function findObject(plane: PlaneStores, key: ObjectRef): KubeObject | undefined {
  return findKindStore(plane, key.resource)?.peek(key.namespace, key.name)?.object;
}

/** Returns the stored kind in an owner reference. The API version of the reference is ignored. */
export function ownerKindOf(plane: PlaneStores, reference: OwnerReference): ResourceKind | undefined {
  const { group } = parseApiVersion(reference.apiVersion);
  for (const store of plane.stores()) {
    if (store.resource.group === group && store.resource.kind === reference.kind) return store.resource;
  }
  return undefined;
}
