import type { TypedObject } from '../api/meta.ts';
import type { JsonObject } from '../lib/json-value.ts';
import type { Check } from '../store/store.ts';
import type { StoredResource } from './resource.ts';
import type { ResourceVerbs, Served, SubresourceVerbs } from './verbs.ts';

/** One change of one object as the watch cache saw it, after it is durable. */
export interface KindChange<Fields extends JsonObject = JsonObject> {
  readonly revision: number;
  readonly before?: Served<TypedObject<Fields>> | undefined;
  readonly after?: Served<TypedObject<Fields>> | undefined;
}

/**
 * A stored kind over its slice: the verbs that handlers call, and the watch cache that everyone in the process reads.
 * Objects handed out are frozen and shared.
 */
export interface KindStore<Fields extends JsonObject = JsonObject> {
  /** As it is defined now. */
  readonly resource: StoredResource;
  /** All verbs, whatever `resource.verbs` leaves to clients. */
  readonly verbs: Required<ResourceVerbs>;
  /** Where the kind has a status. */
  readonly status?: Required<Pick<SubresourceVerbs, 'get' | 'update' | 'patch'>> | undefined;
  /** What is true now; never waits. '' for cluster-scoped. */
  peek(namespace: string, name: string): Served<TypedObject<Fields>> | undefined;
  peekAll(namespace?: string): readonly Served<TypedObject<Fields>>[];
  /** How many `peekAll` would give, without looking at them. */
  count(namespace?: string): number;
  /** About what the kind takes in memory, standing objects apart, which all planes share. Quick. */
  bytes(): number;
  /** Of that, what its objects take as they are now: deleting them makes it less at once. Quick. */
  objectBytes(): number;
  /** What must hold for the object to be what `peek` gives now: for transactions that build on it. */
  unchanged(namespace: string, name: string): Check | undefined;
  /** The part that never leaves the server. */
  peekHidden(namespace: string, name: string): JsonObject | undefined;
  /** Who holds this claim. */
  byClaim(claim: string): Served<TypedObject<Fields>> | undefined;
  /** Called synchronously for each change, in order; must be quick and must not throw. Returns how to stop. */
  listen(listener: (change: KindChange<Fields>) => void): () => void;
  /**
   * Called by upkeep when a due row's time has come: removes the object if its grace period is over and no finalizer
   * is left, deletes it if it has expired, and otherwise leaves it alone.
   */
  settleDeadline(namespace: string, name: string): Promise<void>;
  /**
   * Another definition of the same kind, for everything that comes after this: a custom resource definition was
   * changed. Objects and watches stay. Key, scope, `builtIn` and `claims` are those of the definition before.
   */
  redefine(resource: StoredResource): void;
  /**
   * The same objects in another version, by the rules of that definition: `resource.form` says how they are turned.
   * Asked for again, it is redefined.
   */
  inVersion(resource: StoredResource): KindStore;
  /** Ends the open watches, of all versions, as if their time were up; new ones may be opened. */
  endWatches(): void;
  /** Ends the watches for good. */
  close(): void;
}
