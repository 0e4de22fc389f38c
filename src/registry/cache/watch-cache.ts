import { serviceUnavailable } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Change, Entry, Store, WatchWakeCounter } from '../../store/store.ts';
import { ExpectedRecords } from '../fast/expected-records.ts';
import type { StoredRecord, StoredResource } from '../resource.ts';
import { objectsRange, resourceKey } from '../rows/rows.ts';
import { withStatusErrors } from '../store-status.ts';
import { deletedBuiltinMarker } from './builtin-object.ts';
import { objectKeyText, type PlaneBuiltinObjects } from './builtin-objects.ts';
import { cacheBytes, heldSize, textBytes } from './cache-memory.ts';
import { CachedChange, CachedObject } from './cached-object.ts';
import { CachedObjectFactory, objectKeyFromSegments } from './cached-object-factory.ts';
import { ClaimIndex } from './claim-index.ts';
import { DecodedObjects } from './decoded-objects.ts';
import { KindHistory } from './kind-history.ts';
import {
  deliverMissedChanges,
  findMissedChanges,
  type HeldRow,
  type RowReceiver,
  type RowState,
} from './missed-changes.ts';
import { ObjectIndex, type ObjectKey } from './object-index.ts';
import { ObservedRange, type RowObservation } from './observed-range.ts';
import { type RecentCapacity, RecentChanges } from './recent-changes.ts';
import type { KindRows, SliceObjects } from './slice-objects.ts';

export interface WatchCacheOptions {
  readonly resource: StoredResource;
  readonly store: Store;
  readonly slice: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The capacity of the list of recent changes, from which watches resume. */
  readonly recent: RecentCapacity;
  /** The maximum total size of decoded objects, in characters of their stored text. */
  readonly decodedSize: number;
  /** The rows of all kinds of the plane, if they are observed together. Otherwise the cache observes its own rows. */
  readonly shared?: Pick<SliceObjects, 'rowsOf' | 'join'> | undefined;
  /** The built-in objects of the kind, which exist without a stored row. */
  readonly builtinObjects?: PlaneBuiltinObjects | undefined;
}

export interface CacheListener {
  /**
   * Called synchronously for each change, in the order of revisions. Must be fast and must not throw. If the change
   * wakes watches, the listener adds their number to `wakes`.
   */
  changed(change: CachedChange, wakes?: WatchWakeCounter): void;
  /**
   * Called if the store could not deliver all changes. The cache then reads its objects again and passes each
   * difference to `changed`, with removals last. Several changes of one object are passed as one change.
   */
  interrupted?(): void;
  /** Called after an interruption, when all differences were passed to `changed`. */
  reloaded?(): void;
  /** Called after the last change, when the cache is closed. */
  ended?(): void;
}

/**
 * Holds all objects of a kind in memory and observes the store to stay up to date. All reads in the process use this
 * cache. The store notifies its observers before it acknowledges a write, so every writer can read its own write.
 */
export class WatchCache {
  readonly #options: WatchCacheOptions;
  readonly #objects = new ObjectIndex<CachedObject>();
  readonly #factory: CachedObjectFactory;
  readonly #history: KindHistory;
  readonly #claims: ClaimIndex;
  readonly #listeners = new Set<CacheListener>();
  readonly #expected = new ExpectedRecords();
  #recent: RecentChanges<CachedChange>;
  /** The rows that mark built-in objects as deleted, keyed by the text of the object key. */
  readonly #deleted = new Map<string, HeldRow>();
  /** The total length of the stored texts of all objects, in characters. */
  #size = 0;
  #revision: number;
  /** The highest result of `freshRevision`. */
  #confirmedRevision = 0;
  #isInterrupted = false;
  #ended = false;
  #observation: RowObservation | undefined;

  private constructor(options: WatchCacheOptions, { entries, revision }: RowState) {
    this.#options = options;
    const { resource, slice, builtinObjects } = options;
    this.#claims = new ClaimIndex(resource.claims);
    const decoded = new DecodedObjects(options.decodedSize);
    this.#factory = new CachedObjectFactory(
      { resource, decoded, planeCreation: builtinObjects?.planeCreation },
      builtinObjects,
    );
    this.#history = new KindHistory(options.store, objectsRange(slice, resourceKey(resource)), this.#factory);
    this.#revision = revision;
    this.#recent = new RecentChanges(options.recent, revision);
    this.#fill(entries);
  }

  static async open(options: WatchCacheOptions): Promise<WatchCache> {
    const resource = resourceKey(options.resource);
    const rows = options.shared?.rowsOf(resource);
    if (rows !== undefined) return WatchCache.openWithRows(options, rows);
    if (options.shared !== undefined) {
      return options.shared.join(resource, (state, observation) => {
        const opened = new WatchCache(options, state);
        opened.#observation = observation;
        return { opened, receiver: opened.#receiver() };
      });
    }
    const { store, clock, log } = options;
    const range = objectsRange(options.slice, resource);
    const state = await withStatusErrors(store.list(range));
    const cache = new WatchCache(options, state);
    const receiver = cache.#receiver();
    cache.#observation = await ObservedRange.start({ store, range, clock, log }, state.revision, {
      ...receiver,
      reload: ({ entries, revision }) => deliverMissedChanges([{ receiver, entries }], revision),
    });
    return cache;
  }

  /** Opens the cache with rows. Must be called in the event loop tick in which the store returned the rows. */
  static openWithRows(options: WatchCacheOptions, rows: KindRows): WatchCache {
    const cache = new WatchCache(options, rows);
    cache.#observation = rows.observe(cache.#receiver());
    return cache;
  }

  /** The revision of the newest change of this kind. Without a change, the revision at which the cache was filled. */
  get revision(): number {
    return this.#revision;
  }

  /**
   * Waits until the cache contains every write that was acknowledged before this call. Returns a revision up to which
   * the cache is complete. Rejects with an API error if the store is unavailable. `known` is an earlier result for the
   * same slice. Pass `known` if a cache that is complete up to it is sufficient; the store is then not asked again.
   */
  freshRevision(known?: number): number | Promise<number> {
    const { store, slice } = this.#options;
    if (store.isShared) {
      const isComplete = known !== undefined && !this.#ended && this.#observation?.recovery === undefined;
      return isComplete ? Math.max(known, this.#revision) : this.#freshInSharedStore();
    }
    const highest = store.revision(slice);
    return typeof highest === 'number' ? Math.max(highest, this.#revision) : this.#freshAfter(highest);
  }

  async #freshAfter(highest: Promise<number>): Promise<number> {
    return Math.max(await withStatusErrors(highest), this.#revision);
  }

  /** Implements `freshRevision` if other processes write to the store. */
  async #freshInSharedStore(): Promise<number> {
    const { store, slice } = this.#options;
    for (;;) {
      await this.#observation?.recovery;
      const revision = await withStatusErrors(Promise.resolve(store.revision(slice)));
      // A closed cache does not receive the writes of other processes.
      if (this.#ended) throw serviceUnavailable('the control plane was unloaded; try again', 1);
      if (this.#observation?.recovery !== undefined) continue;
      this.#confirmedRevision = Math.max(revision, this.#confirmedRevision);
      return Math.max(revision, this.#revision);
    }
  }

  /**
   * Returns a revision up to which the cache is complete. If other processes write to the store, the result can be
   * older than their latest writes, because the store is not asked. Otherwise returns the result of `freshRevision`.
   */
  knownRevision(): number | Promise<number> {
    if (!this.#options.store.isShared) return this.freshRevision();
    return Math.max(this.#confirmedRevision, this.#revision);
  }

  /** The approximate memory use in bytes: stored texts, decoded objects and recent changes. */
  get bytes(): number {
    return cacheBytes(this.objectBytes, this.#recent.size, this.#factory.kind.decoded.size);
  }

  /** The part of `bytes` that is used by the stored texts of the current objects. */
  get objectBytes(): number {
    return textBytes(this.#objects.count(), this.#size);
  }

  get(namespace: string, name: string): CachedObject | undefined {
    return this.#objects.get(namespace, name);
  }

  /**
   * Returns the revision of the row that marks the built-in object with this key as deleted; `undefined` if there is no
   * such row. A create with this key overwrites the row.
   */
  deletedMarkerRevision(key: ObjectKey): number | undefined {
    return this.#deleted.get(objectKeyText(key))?.revision;
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
    return this.#claims.find(claim, this.#objects.iterate());
  }

  /** True if most objects are decoded soon after a write, so caching the decoded record of a write is worthwhile. */
  get readsDecoded(): boolean {
    return this.#factory.kind.decoded.isEffective;
  }

  /**
   * Announces that `text` will be written under `key`, and passes the decoded record of `text`, so that the cache need
   * not decode it. Returns a function that withdraws the announcement.
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
    if (this.#isInterrupted) listener.interrupted?.();
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
   * Returns all objects of the kind as they were at `revision`, in list order. Returns `undefined` if the kind has no
   * built-in objects, because the rows of the store are then all of its objects. Rejects with StoreError Expired or
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
    this.#observation?.close();
    this.#end();
  }

  #receiver(): RowReceiver {
    return {
      changes: (changes, wakes) => this.#observe(changes, wakes),
      interrupted: () => this.#interrupt(),
      missedChanges: (current) =>
        findMissedChanges(this.#heldRows(), current, (key, value, revision) => this.#applyMissed(key, value, revision)),
      reloaded: (revision) => this.#reloaded(revision),
      ended: () => this.#end(),
    };
  }

  #fill(entries: readonly Entry[]): void {
    for (const object of this.#factory.builtinObjects()) this.#objects.set(object);
    for (const { key: rowKey, value, revision } of entries) {
      const key = objectKeyFromSegments(rowKey.segments);
      if (value === deletedBuiltinMarker) {
        this.#objects.delete(key.namespace, key.name);
        this.#deleted.set(objectKeyText(key), { key, revision });
      } else {
        this.#objects.set(new CachedObject(this.#factory.kind, key, value, revision));
        this.#size += value.length;
      }
    }
  }

  #observe(changes: readonly Change[], wakes: WatchWakeCounter | undefined): void {
    for (const { key: rowKey, value, revision } of changes) {
      const change = this.#apply(objectKeyFromSegments(rowKey.segments), value, revision);
      this.#revision = revision;
      if (change === undefined) continue;
      this.#recent.push(change);
      this.#notify(change, wakes);
    }
  }

  /** Updates an object. Returns the change; `undefined` if watches need no event for it. */
  #apply(key: ObjectKey, value: string | undefined, revision: number): CachedChange | undefined {
    const before = this.#objects.get(key.namespace, key.name);
    const record = value === undefined ? undefined : this.#expected.find(key, value);
    const after = this.#factory.at(key, value, revision, record);
    if (value === deletedBuiltinMarker) this.#deleted.set(objectKeyText(key), { key, revision });
    else if (this.#deleted.size > 0) this.#deleted.delete(objectKeyText(key));
    if (before !== undefined) this.#drop(before);
    if (after !== undefined) this.#put(after);
    else this.#objects.delete(key.namespace, key.name);
    // For the store, deleting a built-in object that is already deleted is a change. Watches get no event for it.
    if (before === undefined && after === undefined) return undefined;
    return new CachedChange(key, revision, before, after);
  }

  #notify(change: CachedChange, wakes: WatchWakeCounter | undefined): void {
    for (const listener of this.#listeners) listener.changed(change, wakes);
    // The previous version need not stay decoded. Only a watch that resumes can still read it, and that watch uses the
    // stored text.
    if (change.before !== undefined) this.#factory.kind.decoded.drop(change.before);
  }

  #interrupt(): void {
    if (this.#isInterrupted || this.#ended) return;
    this.#isInterrupted = true;
    for (const listener of this.#listeners) listener.interrupted?.();
  }

  /** Iterates over the rows that the objects of this cache come from. */
  *#heldRows(): Generator<HeldRow> {
    yield* this.#deleted.values();
    for (const object of this.#objects.iterate()) {
      const { rowRevision } = object;
      if (rowRevision !== undefined) yield { key: object, revision: rowRevision };
    }
  }

  #applyMissed(key: ObjectKey, value: string | undefined, revision: number): () => void {
    // Listeners get a removal and a creation, so a new object is not mistaken for the deleted one.
    const isReplaced = value !== undefined && this.#isReplaced(key, value, revision);
    const removal = isReplaced ? this.#apply(key, undefined, revision) : undefined;
    const change = this.#apply(key, value, revision);
    return () => {
      if (removal !== undefined) this.#notify(removal, undefined);
      if (change !== undefined) this.#notify(change, undefined);
    };
  }

  /** True if the row belongs to a new object with the same name as the object in this cache. */
  #isReplaced(key: ObjectKey, value: string, revision: number): boolean {
    const before = this.#objects.get(key.namespace, key.name);
    if (before === undefined || value === deletedBuiltinMarker || this.isBuiltin(key)) return false;
    return before.metadata().uid !== this.historicalObject(key, value, revision).metadata().uid;
  }

  #reloaded(revision: number): void {
    this.#revision = Math.max(this.#revision, revision);
    // Changes were missed, so the list contains changes only after this revision.
    this.#recent = new RecentChanges(this.#options.recent, this.#revision);
    this.#isInterrupted = false;
    for (const listener of this.#listeners) listener.reloaded?.();
  }

  #put(object: CachedObject): void {
    this.#objects.set(object);
    this.#size += heldSize(object);
    this.#claims.add(object);
  }

  #drop(object: CachedObject): void {
    this.#size -= heldSize(object);
    this.#claims.delete(object);
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const listener of this.#listeners) listener.ended?.();
    this.#listeners.clear();
  }
}

/** All public members of `WatchCache`. `VersionCache` implements them for versions other than the storage version. */
export type ObjectCache = Pick<WatchCache, keyof WatchCache>;
