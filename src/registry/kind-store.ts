import type { JsonObject } from '../lib/json-value.ts';
import type { StoredResource } from './resource.ts';
import type { ResourceVerbs, Served, SubresourceVerbs } from './verbs.ts';

/** One change of one object as the watch cache saw it, after it is durable. */
export interface KindChange {
  readonly revision: number;
  readonly before?: Served | undefined;
  readonly after?: Served | undefined;
}

/**
 * A stored kind over its slice: the verbs that handlers call, and the watch cache that everyone in the process reads.
 * Objects handed out are frozen and shared.
 */
export interface KindStore {
  readonly resource: StoredResource;
  /** All verbs, whatever `resource.verbs` leaves to clients. */
  readonly verbs: Required<ResourceVerbs>;
  /** Where the kind has a status. */
  readonly status?: Required<Pick<SubresourceVerbs, 'get' | 'update' | 'patch'>>;
  /** What is true now; never waits. '' for cluster-scoped. */
  peek(namespace: string, name: string): Served | undefined;
  peekAll(namespace?: string): readonly Served[];
  /** How many `peekAll` would give, without looking at them. */
  count(namespace?: string): number;
  /** The part that never leaves the server. */
  peekHidden(namespace: string, name: string): JsonObject | undefined;
  /** Who holds this claim. */
  byClaim(claim: string): Served | undefined;
  /** Called synchronously for each change, in order; must be quick and must not throw. Returns how to stop. */
  listen(listener: (change: KindChange) => void): () => void;
  /**
   * Called by upkeep when a due row's time has come: removes the object if its grace period is over and no finalizer
   * is left, deletes it if it has expired, and otherwise leaves it alone.
   */
  settleDeadline(namespace: string, name: string): Promise<void>;
  close(): void;
}
