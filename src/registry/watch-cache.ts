import type { Change, Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import { CachedChange, type CachedKind, CachedObject } from './cached-object.ts';
import { DecodedObjects } from './decoded-objects.ts';
import { ExpectedRecords } from './expected-records.ts';
import { ObjectIndex, type Place } from './object-index.ts';
import { type RecentCapacity, RecentChanges } from './recent-changes.ts';
import type { StoredRecord, StoredResource } from './resource.ts';
import { objectsRange, resourceKey } from './rows.ts';
import { translated } from './store-status.ts';

export interface WatchCacheOptions {
  readonly resource: StoredResource;
  readonly store: Store;
  readonly slice: string;
  /** What is kept in memory for watches that resume. */
  readonly recent: RecentCapacity;
  /** How much is kept in decoded form, in characters of stored text. */
  readonly decodedSize: number;
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
  readonly #kind: CachedKind;
  /** Made when somebody first asks for one: most kinds have claims that only the store is asked for. */
  #claims: Map<string, CachedObject> | undefined;
  readonly #listeners = new Set<CacheListener>();
  readonly #expected = new ExpectedRecords();
  readonly #recent: RecentChanges<CachedChange>;
  #revision: number;
  #ended = false;
  #stopObserving: (() => void) | undefined;

  private constructor(options: WatchCacheOptions, revision: number) {
    this.#options = options;
    this.#kind = { resource: options.resource, decoded: new DecodedObjects(options.decodedSize) };
    this.#revision = revision;
    this.#recent = new RecentChanges(options.recent, revision);
  }

  static async open(options: WatchCacheOptions): Promise<WatchCache> {
    const range = objectsRange(options.slice, resourceKey(options.resource));
    for (;;) {
      const state = await translated(options.store.list(range));
      const cache = new WatchCache(options, state.revision);
      for (const entry of state.entries)
        cache.#objects.set(cache.#cached(entry.key.segments, entry.value, entry.revision));
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

  /** What is there this moment, for one who goes through it while others write. */
  take(namespace?: string, after?: Place, limit?: number): CachedObject[] {
    return this.#objects.take(namespace, after, limit);
  }

  count(namespace?: string, after?: Place): number {
    return this.#objects.count(namespace, after);
  }

  byClaim(claim: string): CachedObject | undefined {
    if (this.#claims === undefined) {
      this.#claims = new Map();
      for (const object of this.#objects.iterate()) this.#addClaims(this.#claims, object);
    }
    return this.#claims.get(claim);
  }

  /** What is about to be written there as that text; who knows it spares the cache the reading. Ends when told to. */
  expect(place: Place, text: string, record: StoredRecord): () => void {
    return this.#expected.add(place, text, record);
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

  /** A version as it was at another time, for those who ask `pageAt`. */
  past(place: Place, text: string, revision: number): CachedObject {
    return new CachedObject(this.#kind, place, text, revision);
  }

  close(): void {
    this.#stopObserving?.();
    this.#end();
  }

  #cached(segments: readonly string[], text: string, revision: number): CachedObject {
    return new CachedObject(this.#kind, placeOf(segments), text, revision);
  }

  #read(place: Place, text: string, revision: number): CachedObject {
    return new CachedObject(this.#kind, place, text, revision, this.#expected.find(place, text));
  }

  #toChange(change: Change): CachedChange {
    const { key, value, previous, revision } = change;
    const before = previous && this.#cached(key.segments, previous.value, previous.revision);
    const after = value === undefined ? undefined : this.#cached(key.segments, value, revision);
    return new CachedChange(placeOf(key.segments), revision, before, after);
  }

  #observe(changes: readonly Change[]): void {
    for (const { key, value, revision } of changes) {
      const place = placeOf(key.segments);
      const before = this.#objects.get(place.namespace, place.name);
      const after = value === undefined ? undefined : this.#read(place, value, revision);
      if (before !== undefined) this.#dropClaims(before);
      if (after !== undefined) this.#put(after);
      else this.#objects.delete(place.namespace, place.name);
      this.#revision = revision;
      const change = new CachedChange(place, revision, before, after);
      this.#recent.push(change);
      for (const listener of this.#listeners) listener.changed(change);
    }
  }

  #put(object: CachedObject): void {
    this.#objects.set(object);
    if (this.#claims !== undefined) this.#addClaims(this.#claims, object);
  }

  #addClaims(claims: Map<string, CachedObject>, object: CachedObject): void {
    if (this.#options.resource.claims === undefined) return;
    for (const claim of this.#options.resource.claims(object.record)) claims.set(claim, object);
  }

  #dropClaims(object: CachedObject): void {
    if (this.#claims === undefined || this.#options.resource.claims === undefined) return;
    for (const claim of this.#options.resource.claims(object.record)) {
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
