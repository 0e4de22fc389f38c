import type { Change, Entry, Store, WatchWakeCounter } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import { ExpectedRecords } from '../fast/expected-records.ts';
import type { StoredRecord, StoredResource } from '../resource.ts';
import { objectsRange, resourceKey } from '../rows/rows.ts';
import { toStatusError, withStatusErrors } from '../store-status.ts';
import { deletedBuiltinMarker } from './builtin-object.ts';
import { objectKeyText, type PlaneBuiltinObjects } from './builtin-objects.ts';
import { CachedChange, CachedObject } from './cached-object.ts';
import { CachedObjectFactory, objectKeyFromSegments } from './cached-object-factory.ts';
import { DecodedObjects } from './decoded-objects.ts';
import { KindHistory } from './kind-history.ts';
import { ObjectIndex, type ObjectKey } from './object-index.ts';
import { type RecentCapacity, RecentChanges } from './recent-changes.ts';
import type { SliceObjects } from './slice-objects.ts';

export interface WatchCacheOptions {
  readonly resource: StoredResource;
  readonly store: Store;
  readonly slice: string;
  /** The capacity of the list of recent changes, from which watches resume. */
  readonly recent: RecentCapacity;
  /** The maximum total size of decoded objects, in characters of their stored text. */
  readonly decodedSize: number;
  /**
   * The rows of all kinds of the plane, if they were read together. Otherwise the cache reads its rows from the store.
   */
  readonly shared?: Pick<SliceObjects, 'rowsOf'> | undefined;
  /** The built-in objects of the kind, which exist without a stored row. */
  readonly builtinObjects?: PlaneBuiltinObjects | undefined;
}

export interface CacheListener {
  /**
   * Called synchronously for each change, in the order of revisions. Must be fast and must not throw. If the change
   * wakes watches, the listener adds their number to `wakes`.
   */
  changed(change: CachedChange, wakes?: WatchWakeCounter): void;
  /** Called after the last change, when the cache is closed. */
  ended?(): void;
}

/**
 * Holds all objects of a kind in memory and observes the store to stay up to date. All reads in the process use it. The
 * store notifies its observers before it acknowledges a write, so every writer can read its own write.
 */
export class WatchCache {
  readonly #options: WatchCacheOptions;
  readonly #objects = new ObjectIndex<CachedObject>();
  readonly #factory: CachedObjectFactory;
  readonly #history: KindHistory;
  /**
   * The objects by claim (see `StoredResource.claims`). Created on first use, because the claims of most kinds are only
   * checked in the store.
   */
  #claims: Map<string, CachedObject> | undefined;
  readonly #listeners = new Set<CacheListener>();
  readonly #expected = new ExpectedRecords();
  #recent: RecentChanges<CachedChange>;
  /** The revision of each row that marks a built-in object as deleted, by object key. */
  readonly #deleted = new Map<string, number>();
  /** The total length of the stored texts of all objects, in characters. */
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
        // History was compacted between `list` and `observe`. The next list returns a revision after the compaction.
        if (!(error instanceof StoreError) || error.code !== 'Expired') return withStatusErrors(Promise.reject(error));
      }
    }
  }

  /** The revision of the newest change of this kind. Without a change, the revision at which the cache was filled. */
  get revision(): number {
    return this.#revision;
  }

  /**
   * Waits until the cache contains every write that was acknowledged before this call. Returns a revision up to which
   * the cache is complete.
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

  /** The approximate memory use in bytes: stored texts, decoded objects and recent changes. */
  get bytes(): number {
    return bytesPerCache + this.objectBytes + this.#recent.size + bytesPerDecoded * this.#factory.kind.decoded.size;
  }

  /** The part of `bytes` that is used by the stored texts of the current objects. */
  get objectBytes(): number {
    return this.#objects.count() * bytesPerObject + this.#size;
  }

  get(namespace: string, name: string): CachedObject | undefined {
    return this.#objects.get(namespace, name);
  }

  /**
   * Returns the revision of the row that marks the built-in object under that key as deleted; `undefined` if there is
   * no such row. A create under that key overwrites the row.
   */
  deletedMarkerRevision(key: ObjectKey): number | undefined {
    return this.#deleted.get(objectKeyText(key));
  }

  /** True if the key belongs to a built-in object. Its deletion must write a row that marks it as deleted. */
  isBuiltin(key: ObjectKey): boolean {
    return this.#factory.isBuiltin(key);
  }

  /** Returns up to `limit` objects in list order, starting after `after`. Later writes do not change the array. */
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

  /** True if most objects are decoded soon after a write, so that it pays to cache the decoded record of a write. */
  get readsDecoded(): boolean {
    return this.#factory.kind.decoded.isEffective;
  }

  /**
   * Announces that `text` will be written under that key and passes its decoded record, so that the cache need not
   * decode the text. Returns a function that withdraws the announcement.
   */
  expectRecord(key: ObjectKey, text: string, record: StoredRecord): () => void {
    return this.#expected.add(key, text, record);
  }

  /** True if the cache is closed and no longer observes changes. */
  get ended(): boolean {
    return this.#ended;
  }

  listen(listener: CacheListener): () => void {
    if (this.#ended) listener.ended?.();
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Returns every change after revision `since` up to and including `upTo`, in chunks. Changes come from memory if all
   * of them are there, otherwise from the store's history. Throws StoreError Expired if that history was compacted
   * before or during the read.
   */
  changesSince(since: number, upTo: number): AsyncGenerator<readonly CachedChange[]> {
    return this.#history.changes(since, upTo, () => this.#recent);
  }

  /**
   * Returns all objects of the kind as they were at that revision, in list order. Returns `undefined` if the kind has
   * no built-in objects, because the rows of the store are then all of its objects. Rejects with StoreError Expired or
   * FutureRevision.
   */
  stateAt(revision: number): Promise<ObjectIndex<CachedObject> | undefined> {
    return this.#history.stateAt(revision);
  }

  /** Returns an object that was read from the store's history, for a list at an old revision (`pageAtRevision`). */
  historicalObject(key: ObjectKey, text: string, revision: number): CachedObject {
    return new CachedObject(this.#factory.kind, key, text, revision);
  }

  /** Replaces the definition of the kind, for example after a custom resource definition was changed. */
  redefine(resource: StoredResource): void {
    if (resource.form === undefined && this.#factory.kind.resource.form === undefined) return;
    const kind = this.#factory.redefine(resource);
    for (const object of [...this.#objects.iterate()]) this.#objects.set(object.withKind(kind));
    // Changes in the list of recent changes are decoded by the previous definition, so the list is emptied. Watches
    // that resume read these changes from the store's history and decode them by the new definition.
    this.#recent = new RecentChanges(this.#options.recent, this.#revision);
  }

  close(): void {
    this.#stopObserving?.();
    this.#end();
  }

  #fill(entries: readonly Entry[]): void {
    for (const object of this.#factory.builtinObjects()) this.#objects.set(object);
    for (const { key: rowKey, value, revision } of entries) {
      const key = objectKeyFromSegments(rowKey.segments);
      if (value === deletedBuiltinMarker) {
        this.#objects.delete(key.namespace, key.name);
        this.#deleted.set(objectKeyText(key), revision);
      } else {
        this.#objects.set(new CachedObject(this.#factory.kind, key, value, revision));
        this.#size += value.length;
      }
    }
  }

  #observe(changes: readonly Change[], wakes: WatchWakeCounter | undefined): void {
    for (const { key: rowKey, value, revision } of changes) {
      const key = objectKeyFromSegments(rowKey.segments);
      const before = this.#objects.get(key.namespace, key.name);
      const record = value === undefined ? undefined : this.#expected.find(key, value);
      const after = this.#factory.at(key, value, revision, record);
      if (value === deletedBuiltinMarker) this.#deleted.set(objectKeyText(key), revision);
      else if (this.#deleted.size > 0) this.#deleted.delete(objectKeyText(key));
      if (before !== undefined) this.#drop(before);
      if (after !== undefined) this.#put(after);
      else this.#objects.delete(key.namespace, key.name);
      this.#revision = revision;
      // For the store, deleting a built-in object that is already deleted is a change. Watches get no event for it.
      if (before === undefined && after === undefined) continue;
      const change = new CachedChange(key, revision, before, after);
      this.#recent.push(change);
      for (const listener of this.#listeners) listener.changed(change, wakes);
      // The previous version need not stay decoded. Only a watch that resumes can still read it, and such a watch uses
      // the stored text.
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

/** Measured memory in bytes: per empty cache, per object without its text, and per character of a decoded object. */
const bytesPerCache = 6144;
const bytesPerObject = 256;
const bytesPerDecoded = 5;

/**
 * Returns the part of an object's size that counts as memory of this cache. It is 0 for an unchanged built-in object,
 * because all planes share it.
 */
function heldSize(object: CachedObject): number {
  return object.rowRevision === undefined ? 0 : object.size;
}

/** All public members of `WatchCache`. `VersionCache` implements them for versions other than the storage version. */
export type ObjectCache = Pick<WatchCache, keyof WatchCache>;
