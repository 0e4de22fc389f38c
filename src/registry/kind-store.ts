import type { JsonObject } from '@flotilla/json';
import type { AnyFields, KubeObject, TypedObject } from '../api/meta.ts';
import type { RevisionCheck } from '../store/store.ts';
import type { SubresourceRequest } from './admission-attributes.ts';
import type { StoredResource } from './resource.ts';
import type { ResourceVerbs, ServedObject, SubresourceVerbs } from './verbs.ts';
import type { Guard } from './write/guard.ts';

/** A committed change of one object: the object before and after the change. */
export interface KindChange<Fields extends JsonObject = AnyFields> {
  readonly revision: number;
  readonly before?: ServedObject<TypedObject<Fields>> | undefined;
  readonly after?: ServedObject<TypedObject<Fields>> | undefined;
}

/** The name of an object and the hidden part of its record. */
export interface HiddenPart {
  readonly namespace: string;
  readonly name: string;
  /** The hidden part of the record; `undefined` if there is none. */
  readonly hidden: JsonObject | undefined;
}

/**
 * A stored kind of one control plane: its verbs, which the request handlers call, and its watch cache, which all
 * readers in the process use. All returned objects are frozen and shared.
 */
export interface KindStore<Fields extends JsonObject = AnyFields> {
  /** The current definition of the kind. `redefine` replaces it. */
  readonly resource: StoredResource;
  /** True if other processes may write to the store of the kind. */
  readonly isShared: boolean;
  /** All verbs, including verbs that clients may not use because `resource.verbs` omits them. */
  readonly verbs: Required<ResourceVerbs>;
  /** The verbs of the status subresource; absent if the kind has none. */
  readonly status?: Required<Pick<SubresourceVerbs, 'get' | 'update' | 'patch'>> | undefined;
  /** Returns the cached object; `undefined` if it does not exist. The namespace is '' for cluster-scoped kinds. */
  peek(namespace: string, name: string): ServedObject<TypedObject<Fields>> | undefined;
  peekAll(namespace?: string): readonly ServedObject<TypedObject<Fields>>[];
  /** The number of objects that `peekAll` would return. */
  count(namespace?: string): number;
  /** Returns the approximate memory use in bytes, without unchanged built-in objects, which all planes share. Fast. */
  bytes(): number;
  /** Returns the part of `bytes` that the current objects use. Deleting objects reduces it at once. Fast. */
  objectBytes(): number;
  /**
   * Returns a check for a transaction that depends on the object; `undefined` if the object does not exist. The check
   * fails if the object has changed since this call.
   */
  unchangedCheck(namespace: string, name: string): RevisionCheck | undefined;
  /**
   * Runs mutating admission for a request to a subresource with an object of another kind. Resolves with the object to
   * use. Rejects with StatusError if a policy or webhook fails.
   */
  mutateRequest(request: SubresourceRequest): Promise<KubeObject>;
  /** Admits a request to create a subresource that is not stored. Rejects with StatusError if a policy refuses it. */
  admitRequest(request: SubresourceRequest): Promise<void>;
  /**
   * Takes the guard of a limit, before the caller counts the objects of `subject`. Then waits until the caches of the
   * plane contain all earlier writes. The caller adds the guard to the draft of its write (`Draft.guards`). Needed only
   * if `isShared` is true; otherwise a queue in this process is sufficient.
   */
  takeGuard(limit: string, subject: string): Promise<Guard>;
  /**
   * Waits until the caches of the plane contain all writes that were made before this call. Returns a revision up to
   * which they are complete.
   */
  freshRevision(): number | Promise<number>;
  /** Returns the hidden part of the object's record; `undefined` if there is none. */
  peekHidden(namespace: string, name: string): JsonObject | undefined;
  /**
   * Returns the names and the hidden parts of the objects in a namespace. If `name` is given, returns only those of
   * that object. Does not decode the objects.
   */
  peekHiddenParts(namespace: string, name?: string): readonly HiddenPart[];
  /** Returns the object that holds this claim (see `StoredResource.claims`); `undefined` if no object holds it. */
  byClaim(claim: string): ServedObject<TypedObject<Fields>> | undefined;
  /**
   * Calls the listener synchronously for each change, in the order of revisions. The listener must be fast and must not
   * throw. Returns a function that stops the calls. If the store could not deliver all changes, the listener is called
   * once for each object that differs, removals last, and then `onReload` is called.
   */
  listen(listener: (change: KindChange<Fields>) => void, onReload?: () => void): () => void;
  /**
   * Called by maintenance after a deadline of the object has passed. Removes the object if its grace period is over and
   * it has no finalizers, or deletes it if it has expired. Otherwise does nothing. `fence` is `RequestContext.fence`.
   */
  handleDeadline(namespace: string, name: string, fence?: RevisionCheck): Promise<void>;
  /**
   * Requests a reconcile of an object (`StoredResource.reconcile`), as if the object had been written. The object need
   * not exist. If several processes use the store, the process that maintains the plane reconciles the object.
   */
  requestReconcile(namespace: string, name: string): Promise<void>;
  /**
   * Replaces the definition of the kind, for example after a custom resource definition was changed. Objects and
   * watches remain. The new definition must have the same key, scope, `builtIn` and `claims` as the previous one.
   */
  redefine(resource: StoredResource): void;
  /**
   * Returns the store of another version of the kind. It serves the same objects, converted by `resource.form`. A
   * second call for the same version replaces the definition of that version.
   */
  inVersion(resource: StoredResource): KindStore;
  /** Ends the open watches of all versions normally, as after a timeout. Clients may start new watches. */
  endWatches(): void;
  /** Closes the cache and ends all watches. No new watch can start. */
  close(): void;
}
