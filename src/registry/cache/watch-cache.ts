import type { Change, Entry, Store, WakeCount } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import { ExpectedRecords } from '../fast/expected-records.ts';
import type { StoredRecord, StoredResource } from '../resource.ts';
import { objectsRange, resourceKey } from '../rows/rows.ts';
import { toStatusError, withStatusErrors } from '../store-status.ts';
import { deletedMarker } from './builtin-object.ts';
import { objectKeyText, type PlaneBuiltinObjects } from './builtin-objects.ts';
import { CachedChange, CachedObject } from './cached-object.ts';
import { CachedObjectFactory, objectKeyOf } from './cached-object-factory.ts';
import { DecodedObjects } from './decoded-objects.ts';
import { KindHistory } from './kind-history.ts';
import { ObjectIndex, type ObjectKey } from './object-index.ts';
import { type RecentCapacity, RecentChanges } from './recent-changes.ts';
import type { SliceObjects } from './slice-objects.ts';

export interface WatchCacheOptions {
  readonly resource: StoredResource;
  readonly store: Store;
  readonly slice: string;
  /** The capacity for changes that are kept in memory for watches that resume. */
  readonly recent: RecentCapacity;
  /** The capacity for decoded objects, in characters of stored text. */
  readonly decodedSize: number;
  /** The rows of all kinds of the plane, if they were read together. */
  readonly shared?: Pick<SliceObjects, 'rowsOf'> | undefined;
  /** The built-in objects of the kind, which need no row. */
  readonly builtinObjects?: PlaneBuiltinObjects | undefined;
}

export interface CacheListener {
  /**
   * Called synchronously, in order of revision, once per change. Must be fast and must not throw. A listener adds the
   * watch readers that it wakes to `wakes`.
   */
  changed(change: CachedChange, wakes?: WakeCount): void;
  /** Called when no further change will follow. */
  ended?(): void;
}

/**
 * All objects of a kind in memory, kept up to date by observing the store. All reads in the process are served here.
 * The store notifies its observers before it acknowledges a write, so a writer always reads its own write.
 */
export class WatchCache {
  readonly #options: WatchCacheOptions;
  readonly #objects = new ObjectIndex<CachedObject>();
  readonly #factory: CachedObjectFactory;
  readonly #history: KindHistory;
  /** Created on first use: the claims of most kinds are only checked in the store. */
  #claims: Map<string, CachedObject> | undefined;
  readonly #listeners = new Set<CacheListener>();
  readonly #expected = new ExpectedRecords();
  #recent: RecentChanges<CachedChange>;
  /** The revisions of the rows that mark a built-in object as deleted. */
  readonly #deleted = new Map<string, number>();
  /** The total length of the texts of all objects that have rows. */
  #size = 0;
  #revision: number;
  #ended = false;
  #stopObserving: (() => void) | undefined;

  private constructor(options: WatchCacheOptions, revision: number) {
    this.#options = options;
    const { resource, slice, builtinObjects } = options;
    const decoded = new DecodedObjects(options.decodedSize);
    this.#factory = new CachedObjectFactory(
      { resource, decoded, planeCreation: builtinObjects?.planeCreation },
      builtinObjects,
    );
    this.#history = new KindHistory(options.store, objectsRange(slice, resourceKey(resource)), this.#factory);
    this.#revision = revision;
    this.#recent = new RecentChanges(options.recent, revision);
  }

  static async open(options: WatchCacheOptions): Promise<WatchCache> {
    const resource = resourceKey(options.resource);
    const rows = options.shared?.rowsOf(resource);
    if (rows !== undefined) {
      const cache = new WatchCache(options, rows.revision);
      cache.#fill(rows.entries);
      cache.#stopObserving = rows.observe({
        changes: (changes, wakes) => cache.#observe(changes, wakes),
        ended: () => cache.#end(),
      });
      return cache;
    }
    const range = objectsRange(options.slice, resource);
    for (;;) {
      const state = await withStatusErrors(options.store.list(range));
      const cache = new WatchCache(options, state.revision);
      cache.#fill(state.entries);
      try {
        cache.#stopObserving = await options.store.observe(range, state.revision, {
          changes: (changes, wakes) => cache.#observe(changes, wakes),
          ended: () => cache.#end(),
        });
        return cache;
      } catch (error) {
        // History was compacted between the two calls; the next list is newer than the compaction.
        if (!(error instanceof StoreError) || error.code !== 'Expired') return withStatusErrors(Promise.reject(error));
      }
    }
  }

  /** The revision of the newest change of this kind, or the revision of the slice when the cache was filled. */
  get revision(): number {
    return this.#revision;
  }

  /**
   * Waits until the cache contains every write that was acknowledged before this call. Returns the revision for which
   * the cache is then complete.
   */
  freshRevision(): number | Promise<number> {
    const { store, slice } = this.#options;
    const highest = store.revision(slice);
    return typeof highest === 'number' ? Math.max(highest, this.#revision) : this.#freshAfter(highest);
  }

  async #freshAfter(highest: Promise<number>): Promise<number> {
    try {
      return Math.max(await highest, this.#revision);
    } catch (error) {
      throw toStatusError(error);
    }
  }

  /** The approximate memory use: texts, decoded objects and recent changes. */
  get bytes(): number {
    return bytesPerCache + this.objectBytes + this.#recent.size + bytesPerDecoded * this.#factory.kind.decoded.size;
  }

  /** The part of `bytes` that the current objects use. */
  get objectBytes(): number {
    return this.#objects.count() * bytesPerObject + this.#size;
  }

  get(namespace: string, name: string): CachedObject | undefined {
    return this.#objects.get(namespace, name);
  }

  /**
   * The revision of the row that marks a deleted built-in object; `undefined` if there is none. A create under that key
   * overwrites the row.
   */
  deletedMarkerRevision(key: ObjectKey): number | undefined {
    return this.#deleted.get(objectKeyText(key));
  }

  /** True if removing the object under that key must leave a row that marks it as deleted. */
  isBuiltin(key: ObjectKey): boolean {
    return this.#factory.isBuiltin(key);
  }

  /** Returns a snapshot of the objects, which later writes do not affect. */
  take(namespace?: string, after?: ObjectKey, limit?: number): CachedObject[] {
    return this.#objects.take(namespace, after, limit);
  }

  count(namespace?: string, after?: ObjectKey): number {
    return this.#objects.count(namespace, after);
  }

  byClaim(claim: string): CachedObject | undefined {
    if (this.#claims === undefined) {
      this.#claims = new Map();
      for (const object of this.#objects.iterate()) this.#addClaims(this.#claims, object);
    }
    return this.#claims.get(claim);
  }

  /** True if objects are usually read in decoded form soon after they were written. */
  get readsDecoded(): boolean {
    return this.#factory.kind.decoded.isEffective;
  }

  /**
   * Announces a write of that text with its decoded record, which spares the cache the decoding. Returns a function
   * that withdraws the announcement.
   */
  expectRecord(key: ObjectKey, text: string, record: StoredRecord): () => void {
    return this.#expected.add(key, text, record);
  }

  /** True if the cache is closed and receives no further changes. */
  get ended(): boolean {
    return this.#ended;
  }

  listen(listener: CacheListener): () => void {
    if (this.#ended) listener.ended?.();
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Returns every change after `since` up to and including `upTo`, in chunks: from memory if it reaches back that far,
   * else from the store's history, in chunks of limited size. Throws StoreError Expired if the history was compacted,
   * before or during the read.
   */
  changesSince(since: number, upTo: number): AsyncGenerator<readonly CachedChange[]> {
    return this.#history.changes(since, upTo, () => this.#recent);
  }

  /**
   * Returns all objects as they were at that revision, in list order, for a kind with built-in objects. `undefined` if
   * the kind has none, so that the rows of that revision are complete. Rejects with Expired or FutureRevision.
   */
  stateAt(revision: number): Promise<ObjectIndex<CachedObject> | undefined> {
    return this.#history.stateAt(revision);
  }

  /** Returns an old version of an object, for `pageAtRevision`. */
  historicalObject(key: ObjectKey, text: string, revision: number): CachedObject {
    return new CachedObject(this.#factory.kind, key, text, revision);
  }

  /** Switches to another definition of the kind for all objects. */
  redefine(resource: StoredResource): void {
    if (resource.form === undefined && this.#factory.kind.resource.form === undefined) return;
    const kind = this.#factory.redefine(resource);
    for (const object of [...this.#objects.iterate()]) this.#objects.set(object.withKind(kind));
    // Cached changes have the form of the previous definition; changes from the store's history are converted when
    // read.
    this.#recent = new RecentChanges(this.#options.recent, this.#revision);
  }

  close(): void {
    this.#stopObserving?.();
    this.#end();
  }

  #fill(entries: readonly Entry[]): void {
    for (const object of this.#factory.builtinObjects()) this.#objects.set(object);
    for (const { key: rowKey, value, revision } of entries) {
      const key = objectKeyOf(rowKey.segments);
      if (value === deletedMarker) {
        this.#objects.delete(key.namespace, key.name);
        this.#deleted.set(objectKeyText(key), revision);
      } else {
        this.#objects.set(new CachedObject(this.#factory.kind, key, value, revision));
        this.#size += value.length;
      }
    }
  }

  #observe(changes: readonly Change[], wakes: WakeCount | undefined): void {
    for (const { key: rowKey, value, revision } of changes) {
      const key = objectKeyOf(rowKey.segments);
      const before = this.#objects.get(key.namespace, key.name);
      const record = value === undefined ? undefined : this.#expected.find(key, value);
      const after = this.#factory.at(key, value, revision, record);
      if (value === deletedMarker) this.#deleted.set(objectKeyText(key), revision);
      else if (this.#deleted.size > 0) this.#deleted.delete(objectKeyText(key));
      if (before !== undefined) this.#drop(before);
      if (after !== undefined) this.#put(after);
      else this.#objects.delete(key.namespace, key.name);
      this.#revision = revision;
      // Deleting a deleted built-in object again is a change in the store, but not an event.
      if (before === undefined && after === undefined) continue;
      const change = new CachedChange(key, revision, before, after);
      this.#recent.push(change);
      for (const listener of this.#listeners) listener.changed(change, wakes);
      // Only a resuming watch may still need the previous version, and it uses the text.
      if (before !== undefined) this.#factory.kind.decoded.drop(before);
    }
  }

  #put(object: CachedObject): void {
    this.#objects.set(object);
    this.#size += heldSize(object);
    if (this.#claims !== undefined) this.#addClaims(this.#claims, object);
  }

  #drop(object: CachedObject): void {
    this.#size -= heldSize(object);
    this.#dropClaims(object);
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

/** Measured sizes of an empty cache with its dependencies, an object without its text, and a decoded character. */
const bytesPerCache = 6144;
const bytesPerObject = 256;
const bytesPerDecoded = 5;

/** Unchanged built-in objects are held once for all planes. */
function heldSize(object: CachedObject): number {
  return object.rowRevision === undefined ? 0 : object.size;
}

/** The cache interface that the verbs use; a `VersionCache` implements it for another version of the kind. */
export type ObjectCache = Pick<WatchCache, keyof WatchCache>;
