import type { KubeObject } from '../api/meta.ts';
import type { RevisionCheck } from '../store/store.ts';
import type { SubresourceRequest } from './admission-attributes.ts';
import type { HiddenPart, KindChange, KindStore } from './kind-store.ts';
import type { StoredResource } from './resource.ts';
import type { ServedObject } from './verbs.ts';
import type { Guard } from './write/guard.ts';

/** The functions with which a plane opens its kinds on demand. All kinds of a plane share them. */
export interface OpeningPlane {
  readonly isShared: boolean;
  /** Opens the store of a kind that has no rows. */
  openEmpty(resource: StoredResource): KindStore;
  /**
   * Waits until the caches of the plane contain all writes that were made before this call (`KindStore.freshRevision`).
   */
  freshRevision(): number | Promise<number>;
}

/**
 * A kind of a plane that has no stored objects. It opens its store and caches when it is first used, and takes little
 * memory until then. Reads that do not need the caches are answered without opening them, because the kind is empty.
 * The plane calls `open` before the first object from another process is delivered.
 */
export class KindStoreOnDemand implements KindStore {
  readonly #resource: StoredResource;
  readonly #plane: OpeningPlane;
  #store: KindStore | undefined;
  #isClosed = false;

  constructor(resource: StoredResource, plane: OpeningPlane) {
    this.#resource = resource;
    this.#plane = plane;
  }

  /** Opens the store if it is not open yet. */
  open(): KindStore {
    if (this.#store === undefined) {
      this.#store = this.#plane.openEmpty(this.#resource);
      if (this.#isClosed) this.#store.close();
    }
    return this.#store;
  }

  get isOpen(): boolean {
    return this.#store !== undefined;
  }

  get resource(): StoredResource {
    return this.#store?.resource ?? this.#resource;
  }

  get isShared(): boolean {
    return this.#plane.isShared;
  }

  /**
   * The verbs. Reading this property does not open the store, because discovery reads the verbs of all kinds. Calling a
   * verb opens the store.
   */
  get verbs(): KindStore['verbs'] {
    if (this.#store !== undefined) return this.#store.verbs;
    return verbsOnDemand(() => this.open());
  }

  get status(): KindStore['status'] {
    if (!this.resource.hasStatus) return undefined;
    if (this.#store !== undefined) return this.#store.status;
    return statusOnDemand(() => this.open());
  }

  peek(namespace: string, name: string): ServedObject | undefined {
    return this.#store?.peek(namespace, name);
  }

  peekAll(namespace?: string): readonly ServedObject[] {
    return this.#store?.peekAll(namespace) ?? [];
  }

  count(namespace?: string): number {
    return this.#store?.count(namespace) ?? 0;
  }

  bytes(): number {
    return this.#store?.bytes() ?? 0;
  }

  objectBytes(): number {
    return this.#store?.objectBytes() ?? 0;
  }

  unchangedCheck(namespace: string, name: string): RevisionCheck | undefined {
    return this.#store?.unchangedCheck(namespace, name);
  }

  mutateRequest(request: SubresourceRequest): Promise<KubeObject> {
    return this.open().mutateRequest(request);
  }

  admitRequest(request: SubresourceRequest): Promise<void> {
    return this.open().admitRequest(request);
  }

  takeGuard(limit: string, subject: string): Promise<Guard> {
    return this.open().takeGuard(limit, subject);
  }

  freshRevision(): number | Promise<number> {
    return this.#store === undefined ? this.#plane.freshRevision() : this.#store.freshRevision();
  }

  peekHidden(namespace: string, name: string): HiddenPart['hidden'] {
    return this.#store?.peekHidden(namespace, name);
  }

  peekHiddenParts(namespace: string, name?: string): readonly HiddenPart[] {
    return this.#store?.peekHiddenParts(namespace, name) ?? [];
  }

  byClaim(claim: string): ServedObject<KubeObject> | undefined {
    return this.#store?.byClaim(claim);
  }

  listen(listener: (change: KindChange) => void, onReload?: () => void): () => void {
    return this.open().listen(listener, onReload);
  }

  handleDeadline(namespace: string, name: string, fence?: RevisionCheck): Promise<void> {
    return this.open().handleDeadline(namespace, name, fence);
  }

  requestReconcile(namespace: string, name: string): Promise<void> {
    return this.open().requestReconcile(namespace, name);
  }

  redefine(resource: StoredResource): void {
    this.open().redefine(resource);
  }

  inVersion(resource: StoredResource): KindStore {
    return this.open().inVersion(resource);
  }

  endWatches(): void {
    this.#store?.endWatches();
  }

  close(): void {
    this.#isClosed = true;
    this.#store?.close();
  }
}

/** Returns verbs that open a store when one of them is called. */
export function verbsOnDemand(open: () => KindStore): KindStore['verbs'] {
  return {
    get: (context, name, options) => open().verbs.get(context, name, options),
    list: (context, options) => open().verbs.list(context, options),
    watch: (context, options) => open().verbs.watch(context, options),
    create: (context, object, options) => open().verbs.create(context, object, options),
    update: (context, name, sent, options) => open().verbs.update(context, name, sent, options),
    patch: (context, name, sent, options) => open().verbs.patch(context, name, sent, options),
    delete: (context, name, options) => open().verbs.delete(context, name, options),
    deletecollection: (context, which, options) => open().verbs.deletecollection(context, which, options),
  };
}

/** Returns the verbs of a status subresource that open the store when one of them is called. */
export function statusOnDemand(open: () => KindStore): NonNullable<KindStore['status']> {
  const opened = () => {
    const { status, resource } = open();
    if (status === undefined) throw new Error(`${resource.plural} have no status`);
    return status;
  };
  return {
    get: (context, name, options) => opened().get(context, name, options),
    update: (context, name, sent, options) => opened().update(context, name, sent, options),
    patch: (context, name, sent, options) => opened().patch(context, name, sent, options),
  };
}
