import { parseApiVersion } from '../api/meta.ts';
import type { ResourceKind } from '../api/resource.ts';
import type { Plane } from '../http/plane.ts';
import type { Clock } from '../lib/clock.ts';
import type { KindStore } from '../registry/kind-store.ts';
import type { MountedResource } from '../registry/mounted-resource.ts';
import { openKindStore } from '../registry/open-kind-store.ts';
import type { StoredResource } from '../registry/resource.ts';
import { objectKey, resourceKey } from '../registry/rows.ts';
import type { Check, Store } from '../store/store.ts';
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
  /** Work for upkeep was written. */
  onUpkeep(): void;
}

/** The stored kinds of a plane by resource key (`virtualclusterinstances.management…`). */
export type KindStores = ReadonlyMap<string, KindStore>;

export interface ControlPlane extends Plane, PlaneObjects {
  readonly kinds: KindStores;
  close(): void;
}

/** Kinds over a slice of the store, with policies: one Kubernetes API. Opening it loads the watch caches. */
export async function openControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const kinds = new Map<string, KindStore>();
  const stores = await Promise.all(
    options.resources.map((resource) =>
      openKindStore({
        resource,
        store: options.store,
        slice: options.id,
        clock: options.clock,
        onUpkeep: options.onUpkeep,
        collaborators: {
          namespaceState: (namespace) => namespaceState(kinds, namespace),
          namespaceCheck: (namespace) => namespaceCheck(options.id, kinds, namespace),
          resolveOwner(reference, namespace) {
            const { group } = parseApiVersion(reference.apiVersion);
            const owner = options.resources.find((one) => one.group === group && one.kind === reference.kind);
            if (owner === undefined || (owner.namespaced && namespace === '')) return undefined;
            const place = { namespace: owner.namespaced ? namespace : '', name: reference.name };
            const there = kinds.get(resourceKey(owner))?.peek(place.namespace, place.name)?.object.metadata.uid;
            return { group, resource: owner.plural, ...place, uid: there ?? '' };
          },
        },
      }),
    ),
  );
  for (const store of stores) kinds.set(resourceKey(store.resource), store);
  const mounted = options.mount(kinds);
  const byPath = new Map(mounted.map((resource) => [pathOf(resource.kind), resource]));
  return {
    id: options.id,
    kinds,
    stores: () => kinds.values(),
    resources: () => mounted,
    find: (group, version, plural) => byPath.get(pathOf({ group, version, plural })),
    generation: 1,
    authorize: options.authorize,
    mayRead: options.mayRead,
    close() {
      for (const store of stores) store.close();
    },
  };
}

function pathOf({ group, version, plural }: Pick<ResourceKind, 'group' | 'version' | 'plural'>): string {
  return `${group}/${version}/${plural}`;
}

/** A plane without the kind Namespace has no namespaces to be missing. */
function namespaceState(kinds: KindStores, namespace: string): 'active' | 'terminating' | 'missing' {
  const namespaces = kinds.get('namespaces');
  if (namespaces === undefined) return 'active';
  const found = namespaces.peek('', namespace)?.object;
  if (found === undefined) return 'missing';
  return found.metadata.deletionTimestamp === undefined ? 'active' : 'terminating';
}

/** The namespace as it was when it was asked about; a namespace that begins to go is another version of it. */
function namespaceCheck(slice: string, kinds: KindStores, namespace: string): Check | undefined {
  const version = kinds.get('namespaces')?.peek('', namespace)?.object.metadata.resourceVersion;
  if (version === undefined) return undefined;
  return { key: objectKey(slice, 'namespaces', '', namespace), revision: Number(version) };
}
