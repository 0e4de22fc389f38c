import type { Change, Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import { CachedChange, type CachedObject, cacheObject } from './cached-object.ts';
import { ObjectIndex, type Place } from './object-index.ts';
import { type RecentCapacity, RecentChanges } from './recent-changes.ts';
import type { StoredResource } from './resource.ts';
import { objectsRange, resourceKey } from './rows.ts';
import { translated } from './store-status.ts';

export interface WatchCacheOptions {
  readonly resource: StoredResource;
  readonly store: Store;
  readonly slice: string;
  /** What is kept in memory for watches that resume. */
  readonly recent: RecentCapacity;
}

export interface CacheListener {
  /** Synchronous, in order of revision, each change once. Must be quick and must not throw. */
  changed(change: CachedChange): void;
  /** Nothing more will come. */
  ended?(): void;
}

/**
 * All objects of a kind in memory, kept true by observing the store: every reader of the process reads here. Because
 * the store hands changes to its observers before a write is acknowledged, whoever has written reads their own write.
 */
export class WatchCache {
  readonly #options: WatchCacheOptions;
  readonly #objects = new ObjectIndex<CachedObject>();
  readonly #claims = new Map<string, CachedObject>();
  readonly #listeners = new Set<CacheListener>();
  readonly #recent: RecentChanges<CachedChange>;
  #revision: number;
  #ended = false;
  #stopObserving: (() => void) | undefined;

  private constructor(options: WatchCacheOptions, revision: number) {
    this.#options = options;
    this.#revision = revision;
    this.#recent = new RecentChanges(options.recent, revision);
  }

  static async open(options: WatchCacheOptions): Promise<WatchCache> {
    const range = objectsRange(options.slice, resourceKey(options.resource));
    for (;;) {
      const state = await translated(options.store.list(range));
      const cache = new WatchCache(options, state.revision);
      for (const entry of state.entries) cache.#put(cache.#decode(entry.key.segments, entry.value, entry.revision));
      try {
        cache.#stopObserving = await options.store.observe(range, state.revision, {
          changes: (changes) => cache.#observe(changes),
          ended: () => cache.#end(),
        });
        return cache;
      } catch (error) {
        // History was compacted between the two calls: the next list is newer than that.
        if (!(error instanceof StoreError) || error.code !== 'Expired') return translated(Promise.reject(error));
      }
    }
  }

  /** The revision of the newest change of this kind, or the slice's when the cache was filled. */
  get revision(): number {
    return this.#revision;
  }

  /**
   * Waits until everything that was acknowledged before this call is here, and gives the revision at which the cache
   * is then the whole truth about its kind.
   */
  async fresh(): Promise<number> {
    const highest = await translated(this.#options.store.revision(this.#options.slice));
    return Math.max(highest, this.#revision);
  }

  get(namespace: string, name: string): CachedObject | undefined {
    return this.#objects.get(namespace, name);
  }

  iterate(namespace?: string, after?: Place): Iterable<CachedObject> {
    return this.#objects.iterate(namespace, after);
  }

  count(namespace?: string, after?: Place): number {
    return this.#objects.count(namespace, after);
  }

  byClaim(claim: string): CachedObject | undefined {
    return this.#claims.get(claim);
  }

  listen(listener: CacheListener): () => void {
    if (this.#ended) listener.ended?.();
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Every change after `since` up to and including `upTo`, in pieces; from memory where it reaches back that far, else
   * from the store's history, never more of it at a time than a reader can hold. Throws StoreError Expired if that is
   * gone too, or goes while it is read.
   */
  async *changesSince(since: number, upTo: number): AsyncGenerator<readonly CachedChange[]> {
    const { store, slice, resource } = this.#options;
    const range = objectsRange(slice, resourceKey(resource));
    let revisions = shortestPiece;
    for (let at = since; at < upTo; ) {
      if (this.#recent.reaches(at)) {
        yield this.#recent.since(at).filter(({ revision }) => revision <= upTo);
        return;
      }
      const to = Math.min(at + revisions, upTo);
      const changes = await store.history(range, at, to);
      yield changes.map((change) => this.#toChange(change));
      at = to;
      revisions = sizeOf(changes) > heavyPiece ? shortestPiece : Math.min(revisions * 2, longestPiece);
    }
  }

  close(): void {
    this.#stopObserving?.();
    this.#end();
  }

  #decode(segments: readonly string[], text: string, revision: number): CachedObject {
    return cacheObject(this.#options.resource, placeOf(segments), text, revision);
  }

  #toChange(change: Change): CachedChange {
    const { key, value, previous, revision } = change;
    const before = previous && this.#decode(key.segments, previous.value, previous.revision);
    const after = value === undefined ? undefined : this.#decode(key.segments, value, revision);
    return new CachedChange(this.#options.resource, placeOf(key.segments), revision, before, after);
  }

  #observe(changes: readonly Change[]): void {
    for (const { key, value, revision } of changes) {
      const place = placeOf(key.segments);
      const before = this.#objects.get(place.namespace, place.name);
      const after = value === undefined ? undefined : this.#decode(key.segments, value, revision);
      if (before !== undefined) this.#dropClaims(before);
      if (after !== undefined) this.#put(after);
      else this.#objects.delete(place.namespace, place.name);
      this.#revision = revision;
      const change = new CachedChange(this.#options.resource, place, revision, before, after);
      this.#recent.push(change);
      for (const listener of this.#listeners) listener.changed(change);
    }
  }

  #put(object: CachedObject): void {
    this.#objects.set(object);
    for (const claim of this.#options.resource.claims?.(object.record) ?? []) this.#claims.set(claim, object);
  }

  #dropClaims(object: CachedObject): void {
    for (const claim of this.#options.resource.claims?.(object.record) ?? []) {
      if (this.#claims.get(claim) === object) this.#claims.delete(claim);
    }
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const listener of this.#listeners) listener.ended?.();
    this.#listeners.clear();
  }
}

/**
 * Revisions read from history at a time. Objects can have megabytes, each twice in a change, and what is read is held
 * until the watcher has taken it: so it begins with few, and goes on with more only while they are small.
 */
const shortestPiece = 4;
const longestPiece = 32;
const heavyPiece = 1024 * 1024;

function sizeOf(changes: readonly Change[]): number {
  return changes.reduce((sum, { value, previous }) => sum + (value?.length ?? 0) + (previous?.value.length ?? 0), 0);
}

/** Object keys are `objects`, resource, namespace, name. */
function placeOf(segments: readonly string[]): Place {
  return { namespace: segments[2] ?? '', name: segments[3] ?? '' };
}
