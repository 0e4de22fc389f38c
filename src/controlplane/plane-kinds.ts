import { KeyedSerializer } from '../lib/queue/keyed-serializer.ts';
import type { KindStore } from '../registry/kind-store.ts';
import type { KindStores } from '../registry/kind-stores.ts';
import type { MountedResource } from '../registry/mounted-resource.ts';
import type { StoredResource } from '../registry/resource.ts';
import { resourceKey } from '../registry/rows/rows.ts';
import { ServedKinds } from './served-kinds.ts';

/** A kind that is added to a plane at run time, for example by a CustomResourceDefinition. */
export interface AddedKind {
  readonly resource: StoredResource;
  /** Returns the served resources of the kind, one per version. Called whenever the kind is added or redefined. */
  mount(store: KindStore): readonly MountedResource[];
}

export interface PlaneKindsOptions {
  /**
   * The stores of the plane's kinds, by resource key. PlaneKinds inserts and deletes entries when kinds are added and
   * removed at run time.
   */
  readonly kinds: Map<string, KindStore>;
  mount(stores: KindStores): readonly MountedResource[];
  open(resource: StoredResource): Promise<KindStore>;
}

/** The kinds of an open plane: the fixed kinds that it was opened with, and the kinds that are added at run time. */
export class PlaneKinds {
  readonly served: ServedKinds;
  readonly #kinds: Map<string, KindStore>;
  readonly #open: PlaneKindsOptions['open'];
  readonly #fixed: ReadonlySet<string>;
  readonly #operations = new KeyedSerializer();
  readonly #listeners = new Set<() => void>();
  #generation = 1;
  #closed = false;

  constructor({ kinds, mount, open }: PlaneKindsOptions) {
    this.#kinds = kinds;
    this.#open = open;
    this.#fixed = new Set(kinds.keys());
    this.served = new ServedKinds(mount(kinds));
  }

  /** A number that increases with each change to the served kinds. */
  get generation(): number {
    return this.#generation;
  }

  /** Adds kinds to the plane. Implements `ControlPlane.add`. */
  add(added: readonly AddedKind[]): Promise<void> {
    return this.#operations.run('', () => this.#add(added));
  }

  /** Removes kinds that were added. Implements `ControlPlane.remove`. */
  remove(keys: readonly string[]): Promise<void> {
    return this.#operations.run('', () => this.#remove(keys));
  }

  /** Registers a listener for changes to the kinds. Implements `ControlPlane.onKinds`. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#closed = true;
    for (const store of this.#kinds.values()) store.close();
  }

  async #add(added: readonly AddedKind[]): Promise<void> {
    const kinds = this.#kinds;
    const taken = added.find(({ resource }) => this.#fixed.has(resourceKey(resource)));
    if (taken !== undefined)
      throw new Error(`${resourceKey(taken.resource)} is built into the control plane and cannot be added`);
    const missing = added.map(({ resource }) => resource).filter((resource) => !this.#hasCompatibleStore(resource));
    const opened = await openAllStoresOrNone(missing.map((resource) => this.#open(resource))).catch(
      (error: unknown) => {
        // The plane was closed before the stores were open, so nothing is added.
        if (this.#closed) return [];
        throw error;
      },
    );
    if (this.#closed) {
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
      if (this.served.removesPath(key, mounted)) store.endWatches();
      mounts.set(key, mounted);
    }
    this.served.replace(mounts);
    this.#generation++;
    for (const listener of this.#listeners) listener();
  }

  async #remove(keys: readonly string[]): Promise<void> {
    const known = keys.filter((key) => this.#kinds.has(key) && !this.#fixed.has(key));
    if (known.length === 0) return;
    this.served.replace(new Map(known.map((key) => [key, []])));
    this.#generation++;
    for (const key of known) {
      this.#kinds.get(key)?.close();
      this.#kinds.delete(key);
    }
    for (const listener of this.#listeners) listener();
  }

  /**
   * True if the kind has an open store that fits the new definition: the scope and the `builtIn` flag are unchanged.
   */
  #hasCompatibleStore(resource: StoredResource): boolean {
    const present = this.#kinds.get(resourceKey(resource));
    if (present === undefined) return false;
    const { namespaced, builtIn } = present.resource;
    return namespaced === resource.namespaced && builtIn === resource.builtIn;
  }
}

/** Waits for all stores to open. If one of them fails to open, closes the others and rejects. */
export async function openAllStoresOrNone(opening: readonly Promise<KindStore>[]): Promise<readonly KindStore[]> {
  const results = await Promise.allSettled(opening);
  const opened = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed === undefined) return opened;
  for (const store of opened) store.close();
  throw failed.reason;
}
