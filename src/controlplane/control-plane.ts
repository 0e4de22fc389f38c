import type { Plane } from '../http/plane.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { PlaneCreation } from '../registry/cache/builtin-object.ts';
import {
  type BuiltinObjectLists,
  builtinObjectsByKind,
  type PlaneBuiltinObjects,
} from '../registry/cache/builtin-objects.ts';
import { SliceObjects } from '../registry/cache/slice-objects.ts';
import type { PlaneCallbacks } from '../registry/kind-runtime.ts';
import type { KindStore } from '../registry/kind-store.ts';
import { KindStoreOnDemand, type OpeningPlane } from '../registry/kind-store-on-demand.ts';
import type { KindStores } from '../registry/kind-stores.ts';
import type { MountedResource } from '../registry/mounted-resource.ts';
import { type KindStoreOptions, openEmptyKindStore, openKindStore } from '../registry/open-kind-store.ts';
import type { StoredResource } from '../registry/resource.ts';
import { resourceKey } from '../registry/rows/rows.ts';
import type { MaintenanceWork } from '../registry/write/maintenance-work.ts';
import { bellOf } from '../replicas/bells.ts';
import type { Store } from '../store/store.ts';
import type { PlaneStores } from './maintenance/plane-stores.ts';
import { planeCollaborators } from './plane-collaborators.ts';
import { type AddedKind, openAllStoresOrNone, PlaneKinds } from './plane-kinds.ts';

export interface ControlPlaneOptions {
  /** The ID of the plane. It is also the name of the store slice that contains the plane's objects. */
  readonly id: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly resources: readonly StoredResource[];
  /**
   * Kinds whose stores are opened later than the plane: when a kind is first used or has a stored object. Optional;
   * defaults to none.
   */
  readonly resourcesOnDemand?: readonly StoredResource[];
  /**
   * Returns all resources that the plane serves: the stored kinds, converted views of stored kinds, and kinds that are
   * never stored, such as reviews.
   */
  mount(stores: KindStores): readonly MountedResource[];
  readonly authorize: Plane['authorize'];
  readonly mayRead: Plane['mayRead'];
  /** Admits or refuses every write by a client. Optional; by default only the validation of each kind applies. */
  readonly admit?: NonNullable<PlaneCallbacks['admit']>;
  /** Sets members of a new object (`PlaneCallbacks`). Optional. */
  readonly completeNew?: NonNullable<PlaneCallbacks['completeNew']>;
  /** Mutating admission (`PlaneCallbacks`). Optional; by default, writes are stored as clients send them. */
  readonly isMutating?: NonNullable<PlaneCallbacks['isMutating']>;
  readonly mutate?: NonNullable<PlaneCallbacks['mutate']>;
  /** Returns the objects to reconcile after an object was written (`PlaneCallbacks`). Optional. */
  readonly requeuedByUsage?: NonNullable<PlaneCallbacks['requeuedByUsage']>;
  /**
   * The objects that every plane of this type has without a stored row. The caller must read `planeCreation` before it
   * reads `objects`.
   */
  readonly builtinObjects?: { readonly lists: BuiltinObjectLists; readonly planeCreation: PlaneCreation };
  /**
   * The plane's rows, if the caller has already read them. The caller must release the rows after it has added all
   * custom kinds to the plane.
   */
  readonly objects?: SliceObjects;
  /**
   * A text that all processes share and tenants cannot find out (`guardKey`). Optional; defaults to the random seed of
   * the plane.
   */
  readonly guardSecret?: string;
  /** Called after a write has recorded maintenance work, such as garbage collection, in the store. */
  onMaintenanceWork(work: MaintenanceWork): void;
}

export interface ControlPlane extends Plane, PlaneStores {
  readonly kinds: KindStores;
  /**
   * Waits until the caches of the plane contain every acknowledged write. Resolves with a revision up to which the
   * caches are complete. Absent if no other process writes to the store, because the caches are then always current.
   */
  freshRevision?(): Promise<number>;
  /**
   * Adds kinds to the plane at run time, all at the same moment. Clients can read their stored objects immediately, and
   * the discovery and OpenAPI documents are rebuilt. Adding an already added kind redefines the kind; its watches
   * continue unless one of its API paths is no longer served. Rejects if a kind with this resource key was part of the
   * plane when the plane was opened. Concurrent calls are executed one after the other.
   */
  add(kinds: readonly AddedKind[]): Promise<void>;
  /**
   * Stops serving kinds that were added at run time, and ends their watches. Ignores resource keys of all other kinds.
   * The objects stay in the store, so a caller that removes a kind permanently must first delete its objects.
   */
  remove(resourceKeys: readonly string[]): Promise<void>;
  /**
   * Registers a listener that is called after kinds were added, removed or redefined. The listener must be fast and
   * must not throw. Returns a function that unregisters it.
   */
  onKinds(listener: () => void): () => void;
  /** Ends all watches. Does not wait for requests that are in progress. */
  close(): void;
}

/** Opens a control plane: loads the watch caches of its kinds from its slice of the store. */
export async function openControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const kinds = new Map<string, KindStore>();
  const { id, store, clock, log } = options;
  const bell = store.isShared ? bellOf(id) : undefined;
  const collaborators = planeCollaborators(kinds, options, bell);
  const objects = options.objects ?? (await SliceObjects.open({ store, slice: id, clock, log }));
  const onDemand = options.resourcesOnDemand ?? [];
  const allResources = [...options.resources, ...onDemand];
  const builtins = options.builtinObjects && builtinObjectsByKind(allResources, options.builtinObjects.lists);
  const builtinsOf = (resource: StoredResource): PlaneBuiltinObjects | undefined => {
    const kind = builtins?.get(resourceKey(resource));
    return kind && options.builtinObjects && { kind, planeCreation: options.builtinObjects.planeCreation };
  };
  const kindOptions = (resource: StoredResource): KindStoreOptions => ({
    resource,
    store,
    slice: id,
    clock,
    log,
    onMaintenanceWork: options.onMaintenanceWork,
    planeCallbacks: collaborators,
    guardSecret: options.guardSecret ?? options.builtinObjects?.planeCreation.seed ?? '',
    shared: objects,
    builtinObjects: builtinsOf(resource),
  });
  const open = (resource: StoredResource) => openKindStore(kindOptions(resource));
  try {
    await openKinds({
      kinds,
      objects,
      open,
      resources: options.resources,
      onDemand,
      hasBuiltinObjects: (resource) => builtins?.has(resourceKey(resource)) === true,
      plane: {
        isShared: store.isShared,
        openEmpty: (resource) => openEmptyKindStore(kindOptions(resource), objects.emptyRowsOf(resourceKey(resource))),
        freshRevision: () => freshRevisionOf(kinds.values()),
      },
    });
  } catch (error) {
    objects.close();
    throw error;
  }
  if (options.objects === undefined) objects.release();
  const changing = new PlaneKinds({ kinds, mount: (stores) => options.mount(stores), open });
  const { served } = changing;
  return {
    id,
    kinds,
    stores: () => kinds.values(),
    resources: () => served.all,
    find: (group, version, plural) => served.find(group, version, plural),
    get generation() {
      return changing.generation;
    },
    ...(options.store.isShared ? { freshRevision: () => freshRevisionOf(kinds.values()) } : {}),
    authorize: options.authorize,
    mayRead: options.mayRead,
    add: (added) => changing.add(added),
    remove: (keys) => changing.remove(keys),
    onKinds: (listener) => changing.onChange(listener),
    close() {
      changing.close();
      objects.close();
    },
  };
}

interface KindsToOpen {
  /** The opened stores are added to this map. */
  readonly kinds: Map<string, KindStore>;
  readonly objects: SliceObjects;
  readonly resources: readonly StoredResource[];
  readonly onDemand: readonly StoredResource[];
  readonly plane: OpeningPlane;
  open(resource: StoredResource): Promise<KindStore>;
  hasBuiltinObjects(resource: StoredResource): boolean;
}

/** Opens the stores of the plane's kinds. Kinds in `onDemand` without objects are opened later. */
async function openKinds({ kinds, objects, open, plane, ...options }: KindsToOpen): Promise<void> {
  const isUsed = (resource: StoredResource) =>
    options.hasBuiltinObjects(resource) || objects.mayHaveRows(resourceKey(resource));
  let onDemand = options.onDemand;
  let opening: readonly StoredResource[] = options.resources;
  // Repeat, because a kind can get its first row at the time that other kinds are being opened.
  do {
    const used = onDemand.filter(isUsed);
    onDemand = onDemand.filter((resource) => !used.includes(resource));
    for (const kind of await openAllStoresOrNone([...opening, ...used].map(open)))
      kinds.set(resourceKey(kind.resource), kind);
    opening = [];
  } while (onDemand.some(isUsed));
  if (onDemand.length === 0) return;
  for (const resource of onDemand) kinds.set(resourceKey(resource), new KindStoreOnDemand(resource, plane));
  objects.onUnobservedRow((resource) => {
    const kind = kinds.get(resource);
    if (kind instanceof KindStoreOnDemand && !kind.isOpen) kind.open();
  });
}

/** Waits for the caches of a plane. All kinds of a plane are observed together, so waiting for one kind is enough. */
async function freshRevisionOf(kinds: Iterable<KindStore>): Promise<number> {
  const [first] = kinds;
  if (first === undefined) throw new Error('a control plane has at least one kind');
  return await first.freshRevision();
}
