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
import type { KindStores } from '../registry/kind-stores.ts';
import type { MountedResource } from '../registry/mounted-resource.ts';
import { openKindStore } from '../registry/open-kind-store.ts';
import type { StoredResource } from '../registry/resource.ts';
import { resourceKey } from '../registry/rows/rows.ts';
import type { MaintenanceWork } from '../registry/write/maintenance-work.ts';
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
   * Returns all resources that the plane serves: the stored kinds, converted views of stored kinds, and kinds that are
   * never stored, such as reviews.
   */
  mount(stores: KindStores): readonly MountedResource[];
  readonly authorize: Plane['authorize'];
  readonly mayRead: Plane['mayRead'];
  /** Admits or refuses every write by a client. Optional; by default only the validation of each kind applies. */
  readonly admit?: NonNullable<PlaneCallbacks['admit']>;
  /**
   * The objects that every plane of this type has without a stored row. The caller must read `planeCreation` before it
   * reads `objects`.
   */
  readonly builtinObjects?: { readonly lists: BuiltinObjectLists; readonly planeCreation: PlaneCreation };
  /**
   * The plane's rows, if the caller has read them already. The caller must release them after it has added all custom
   * kinds to the plane.
   */
  readonly objects?: SliceObjects;
  /** Called after a write has recorded maintenance work, such as garbage collection, in the store. */
  onMaintenanceWork(work: MaintenanceWork): void;
}

export interface ControlPlane extends Plane, PlaneStores {
  readonly kinds: KindStores;
  /**
   * Adds kinds to the plane at run time, all at the same moment. Their stored objects can be read immediately, and the
   * discovery and OpenAPI documents are rebuilt. Adding a kind again redefines it; its watches continue unless one of
   * its API paths is no longer served. Rejects if the plane was opened with a kind of the same resource key. Concurrent
   * calls are executed one after the other.
   */
  add(kinds: readonly AddedKind[]): Promise<void>;
  /**
   * Stops serving kinds that were added at run time, and ends their watches. Other resource keys are ignored. The
   * objects stay in the store, so a caller that removes a kind permanently must delete them first.
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
  const collaborators = planeCollaborators(kinds, options.admit);
  const objects = options.objects ?? (await SliceObjects.open(options.store, options.id));
  const builtins = options.builtinObjects && builtinObjectsByKind(options.resources, options.builtinObjects.lists);
  const builtinsOf = (resource: StoredResource): PlaneBuiltinObjects | undefined => {
    const kind = builtins?.get(resourceKey(resource));
    return kind && options.builtinObjects && { kind, planeCreation: options.builtinObjects.planeCreation };
  };
  const open = (resource: StoredResource) =>
    openKindStore({
      resource,
      store: options.store,
      slice: options.id,
      clock: options.clock,
      log: options.log,
      onMaintenanceWork: options.onMaintenanceWork,
      planeCallbacks: collaborators,
      shared: objects,
      builtinObjects: builtinsOf(resource),
    });
  try {
    for (const store of await openAllStoresOrNone(options.resources.map(open)))
      kinds.set(resourceKey(store.resource), store);
  } catch (error) {
    objects.close();
    throw error;
  }
  if (options.objects === undefined) objects.release();
  const changing = new PlaneKinds({ kinds, mount: (stores) => options.mount(stores), open });
  const { served } = changing;
  return {
    id: options.id,
    kinds,
    stores: () => kinds.values(),
    resources: () => served.all,
    find: (group, version, plural) => served.find(group, version, plural),
    get generation() {
      return changing.generation;
    },
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
