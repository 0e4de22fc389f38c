import type { JsonObject } from '@flotilla/json';
import type { TypedObject } from '../api/meta.ts';
import type { Check } from '../store/store.ts';
import type { StoredResource } from './resource.ts';
import type { ResourceVerbs, ServedObject, SubresourceVerbs } from './verbs.ts';

/** A durable change of one object, as the watch cache observed it. */
export interface KindChange<Fields extends JsonObject = JsonObject> {
  readonly revision: number;
  readonly before?: ServedObject<TypedObject<Fields>> | undefined;
  readonly after?: ServedObject<TypedObject<Fields>> | undefined;
}

/**
 * A stored kind over its slice: the verbs that handlers call, and the watch cache that all readers in the process use.
 * Returned objects are frozen and shared.
 */
export interface KindStore<Fields extends JsonObject = JsonObject> {
  /** The current definition. */
  readonly resource: StoredResource;
  /** All verbs, including those that `resource.verbs` denies to clients. */
  readonly verbs: Required<ResourceVerbs>;
  /** Present if the kind has a status subresource. */
  readonly status?: Required<Pick<SubresourceVerbs, 'get' | 'update' | 'patch'>> | undefined;
  /** Returns the current object without waiting. The namespace is '' for cluster-scoped kinds. */
  peek(namespace: string, name: string): ServedObject<TypedObject<Fields>> | undefined;
  peekAll(namespace?: string): readonly ServedObject<TypedObject<Fields>>[];
  /** The number of objects that `peekAll` would return. */
  count(namespace?: string): number;
  /** The approximate memory use of the kind, without built-in objects, which all planes share. Fast. */
  bytes(): number;
  /** The part of `bytes` that the current objects use: deleting them reduces it at once. Fast. */
  objectBytes(): number;
  /** The check that the object is still the one that `peek` returns now, for transactions that depend on it. */
  unchangedCheck(namespace: string, name: string): Check | undefined;
  /** The hidden part of the record. */
  peekHidden(namespace: string, name: string): JsonObject | undefined;
  /** The object that holds this claim; `undefined` if there is none. */
  byClaim(claim: string): ServedObject<TypedObject<Fields>> | undefined;
  /**
   * Calls the listener synchronously for each change, in order. It must be fast and must not throw. Returns a stop
   * function.
   */
  listen(listener: (change: KindChange<Fields>) => void): () => void;
  /**
   * Called by maintenance when a deadline of the object has passed: removes it if its grace period is over and it has
   * no finalizers, deletes it if it has expired, and otherwise does nothing.
   */
  handleDeadline(namespace: string, name: string): Promise<void>;
  /**
   * Applies another definition of the same kind from now on, after a custom resource definition was changed. Objects
   * and watches stay. Key, scope, `builtIn` and `claims` must be those of the previous definition.
   */
  redefine(resource: StoredResource): void;
  /**
   * Returns the same objects in another version with its own definition; `resource.form` converts them. A repeated call
   * redefines that version.
   */
  inVersion(resource: StoredResource): KindStore;
  /** Ends the open watches of all versions, as on timeout; clients may open new ones. */
  endWatches(): void;
  /** Ends all watches permanently. */
  close(): void;
}
