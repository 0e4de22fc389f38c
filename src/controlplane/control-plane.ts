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
import type { Collaborators } from '../registry/kind-runtime.ts';
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
import { type AddedKind, openAllOrNone, PlaneKinds } from './plane-kinds.ts';

export interface ControlPlaneOptions {
  /** The slice of the store that belongs to this plane. */
  readonly id: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly resources: readonly StoredResource[];
  /**
   * Returns everything that is served: the stored kinds as clients use them, views on them, and kinds without storage.
   */
  mount(stores: KindStores): readonly MountedResource[];
  readonly authorize: Plane['authorize'];
  readonly mayRead: Plane['mayRead'];
  /** Admits every write of a client. Optional; by default the rules of the kinds alone decide. */
  readonly admit?: NonNullable<Collaborators['admit']>;
  /** Objects that every plane of this type has without stored rows. Their creation row was read before `objects`. */
  readonly builtinObjects?: { readonly lists: BuiltinObjectLists; readonly planeCreation: PlaneCreation };
  /** The plane's rows, if the caller has read them. That caller releases them when the plane has all of its kinds. */
  readonly objects?: SliceObjects;
  /** Called when a write has recorded maintenance work. */
  onMaintenanceWork(left: MaintenanceWork): void;
}

export interface ControlPlane extends Plane, PlaneStores {
  readonly kinds: KindStores;
  /**
   * Serves these kinds from now on, all of them from the same moment. Stored objects are available at once; owner
   * references, garbage collection, namespaces and maintenance include the kinds; the discovery and OpenAPI documents
   * are rebuilt. Adding a kind again redefines it: its objects stay, and so do its watches unless one of its paths is
   * no longer served (clients then reconnect). Rejects if the plane was opened with a kind of that key. Calls run one
   * after the other.
   */
  add(kinds: readonly AddedKind[]): Promise<void>;
  /**
   * Stops serving the kinds and ends their watches; ignores keys of kinds that were not added. Objects stay in the
   * store: a caller that removes a kind for good deletes them first.
   */
  remove(resourceKeys: readonly string[]): Promise<void>;
  /**
   * Registers a listener for added, removed and redefined kinds. It must be fast and must not throw. Returns a function
   * that removes it.
   */
  onKinds(listener: () => void): () => void;
  /** Ends all watches. Does not wait for requests in progress. */
  close(): void;
}

/** Opens one Kubernetes API: kinds over a slice of the store, with policies. Loads the watch caches. */
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
      collaborators,
      shared: objects,
      builtinObjects: builtinsOf(resource),
    });
  try {
    for (const store of await openAllOrNone(options.resources.map(open))) kinds.set(resourceKey(store.resource), store);
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
