import type { Plane } from '../http/plane.ts';
import type { Clock } from '../lib/clock.ts';
import { Lanes } from '../lib/lanes.ts';
import type { Collaborators } from '../registry/kind-runtime.ts';
import type { KindStore } from '../registry/kind-store.ts';
import type { KindStores } from '../registry/kind-stores.ts';
import type { LeftWork } from '../registry/left-work.ts';
import type { MountedResource } from '../registry/mounted-resource.ts';
import { openKindStore } from '../registry/open-kind-store.ts';
import type { StoredResource } from '../registry/resource.ts';
import { resourceKey } from '../registry/rows.ts';
import { SliceObjects } from '../registry/slice-objects.ts';
import { type StandingHere, type StandingLists, standingKinds } from '../registry/standing-kinds.ts';
import type { PlaneBirth } from '../registry/standing-object.ts';
import type { Store } from '../store/store.ts';
import { planeCollaborators } from './plane-collaborators.ts';
import { ServedKinds } from './served-kinds.ts';
import type { PlaneObjects } from './upkeep/plane-objects.ts';

export interface ControlPlaneOptions {
  /** The slice of the store that is this plane's alone. */
  readonly id: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly resources: readonly StoredResource[];
  /** Everything that is served: the stored kinds as clients may use them, views on them, kinds that only answer. */
  mount(stores: KindStores): readonly MountedResource[];
  readonly authorize: Plane['authorize'];
  readonly mayRead: Plane['mayRead'];
  /** Asked about every write of a client; absent: what the kinds allow is allowed. */
  readonly admit?: NonNullable<Collaborators['admit']>;
  /** Objects that every such plane has; they stand without rows. Born before `objects` were read. */
  readonly standing?: { readonly lists: StandingLists; readonly birth: PlaneBirth };
  /** The plane's rows, where they have been read; who did lets go of them when the plane has all of its kinds. */
  readonly objects?: SliceObjects;
  /** Work for upkeep was written. */
  onUpkeep(left: LeftWork): void;
}

/** A kind that a plane gets while it is open. */
export interface AddedKind {
  readonly resource: StoredResource;
  /** What is served of it: one for each version. Called whenever the definition is added. */
  mount(store: KindStore): readonly MountedResource[];
}

export interface ControlPlane extends Plane, PlaneObjects {
  readonly kinds: KindStores;
  /**
   * Serves these kinds from now on, all of them from the same moment: objects that are in the store are there at once,
   * owner references, garbage collection, namespaces and upkeep know them, documents are made anew. A kind that was
   * added before is redefined: its objects stay, and its watches too unless one of its paths is no longer served
   * (clients then come back and see what there is). Rejects where the plane was opened with a kind of that key.
   * Calls wait for each other.
   */
  add(kinds: readonly AddedKind[]): Promise<void>;
  /**
   * No longer serves them and ends their watches; keys of no added kind are passed over. Objects stay in the store: who
   * removes a kind for good deletes them before.
   */
  remove(resourceKeys: readonly string[]): Promise<void>;
  /** Called when kinds have come, gone or been redefined; must be quick and must not throw. Returns how to stop. */
  onKinds(listener: () => void): () => void;
  /** Ends all watches. What is under way is not waited for. */
  close(): void;
}

/** Kinds over a slice of the store, with policies: one Kubernetes API. Opening it loads the watch caches. */
export async function openControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const kinds = new Map<string, KindStore>();
  const collaborators = planeCollaborators(kinds, options.admit);
  const objects = options.objects ?? (await SliceObjects.open(options.store, options.id));
  const standing = options.standing && standingKinds(options.resources, options.standing.lists);
  const standingOf = (resource: StoredResource): StandingHere | undefined => {
    const kind = standing?.get(resourceKey(resource));
    return kind && options.standing && { kind, birth: options.standing.birth };
  };
  const open = (resource: StoredResource) =>
    openKindStore({
      resource,
      store: options.store,
      slice: options.id,
      clock: options.clock,
      onUpkeep: options.onUpkeep,
      collaborators,
      shared: objects,
      standing: standingOf(resource),
    });
  try {
    for (const store of await allOpen(options.resources.map(open))) kinds.set(resourceKey(store.resource), store);
  } catch (error) {
    objects.close();
    throw error;
  }
  if (options.objects === undefined) objects.release();
  const fixed = new Set(kinds.keys());
  const served = new ServedKinds(options.mount(kinds));
  const turns = new Lanes();
  const listeners = new Set<() => void>();
  let generation = 1;
  let closed = false;

  /** The store that is there, where what is stored is read alike by the new definition. */
  function presentFor(resource: StoredResource): KindStore | undefined {
    const present = kinds.get(resourceKey(resource));
    const { namespaced, builtIn } = present?.resource ?? {};
    return namespaced === resource.namespaced && builtIn === resource.builtIn ? present : undefined;
  }

  async function add(added: readonly AddedKind[]): Promise<void> {
    const taken = added.find(({ resource }) => fixed.has(resourceKey(resource)));
    if (taken !== undefined) throw new Error(`${resourceKey(taken.resource)} is a kind that every such plane has`);
    const missing = added.map(({ resource }) => resource).filter((resource) => presentFor(resource) === undefined);
    const opened = await allOpen(missing.map(open));
    if (closed) {
      for (const store of opened) store.close();
      return;
    }
    const mounts = new Map<string, readonly MountedResource[]>();
    for (const store of opened) {
      const key = resourceKey(store.resource);
      kinds.get(key)?.close();
      kinds.set(key, store);
    }
    for (const { resource, mount } of added) {
      const key = resourceKey(resource);
      const store = kinds.get(key);
      if (store === undefined) continue;
      store.redefine(resource);
      const mounted = mount(store);
      if (served.losesAny(key, mounted)) store.endWatches();
      mounts.set(key, mounted);
    }
    served.replace(mounts);
    generation++;
    for (const listener of listeners) listener();
  }

  async function remove(keys: readonly string[]): Promise<void> {
    const known = keys.filter((key) => kinds.has(key) && !fixed.has(key));
    if (known.length === 0) return;
    served.replace(new Map(known.map((key) => [key, []])));
    generation++;
    for (const key of known) {
      kinds.get(key)?.close();
      kinds.delete(key);
    }
    for (const listener of listeners) listener();
  }

  return {
    id: options.id,
    kinds,
    stores: () => kinds.values(),
    resources: () => served.all,
    find: (group, version, plural) => served.find(group, version, plural),
    get generation() {
      return generation;
    },
    authorize: options.authorize,
    mayRead: options.mayRead,
    add: (added) => turns.run('', () => add(added)),
    remove: (keys) => turns.run('', () => remove(keys)),
    onKinds(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      closed = true;
      for (const store of kinds.values()) store.close();
      objects.close();
    },
  };
}

/** All of them, or none: where one cannot be opened, the others are closed again. */
async function allOpen(opening: readonly Promise<KindStore>[]): Promise<readonly KindStore[]> {
  const results = await Promise.allSettled(opening);
  const opened = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed === undefined) return opened;
  for (const store of opened) store.close();
  throw failed.reason;
}
