import type { Change, Entry, Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import { CachedChange, CachedObject } from './cached-object.ts';
import { CachedRows, placeOf } from './cached-rows.ts';
import { DecodedObjects } from './decoded-objects.ts';
import { ExpectedRecords } from './expected-records.ts';
import { KindPast } from './kind-past.ts';
import { ObjectIndex, type Place } from './object-index.ts';
import { type RecentCapacity, RecentChanges } from './recent-changes.ts';
import type { StoredRecord, StoredResource } from './resource.ts';
import { objectsRange, resourceKey } from './rows.ts';
import type { SliceObjects } from './slice-objects.ts';
import { placeText, type StandingHere } from './standing-kinds.ts';
import { deletedText } from './standing-object.ts';
import { toStatusError, translated } from './store-status.ts';

export interface WatchCacheOptions {
  readonly resource: StoredResource;
  readonly store: Store;
  readonly slice: string;
  /** What is kept in memory for watches that resume. */
  readonly recent: RecentCapacity;
  /** How much is kept in decoded form, in characters of stored text. */
  readonly decodedSize: number;
  /** The rows of all kinds of the plane, where one has read them for all. */
  readonly shared?: Pick<SliceObjects, 'rowsOf'> | undefined;
  /** What is there without a row. */
  readonly standing?: StandingHere | undefined;
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
  readonly #rows: CachedRows;
  readonly #past: KindPast;
  /** Made when somebody first asks for one: most kinds have claims that only the store is asked for. */
  #claims: Map<string, CachedObject> | undefined;
  readonly #listeners = new Set<CacheListener>();
  readonly #expected = new ExpectedRecords();
  #recent: RecentChanges<CachedChange>;
  /** The rows that say of a standing object that it was deleted. */
  readonly #deleted = new Map<string, number>();
  /** Of the texts of all objects that have rows. */
  #size = 0;
  #revision: number;
  #ended = false;
  #stopObserving: (() => void) | undefined;

  private constructor(options: WatchCacheOptions, revision: number) {
    this.#options = options;
    const { resource, slice, standing } = options;
    const decoded = new DecodedObjects(options.decodedSize);
    this.#rows = new CachedRows({ resource, decoded, birth: standing?.birth }, standing);
    this.#past = new KindPast(options.store, objectsRange(slice, resourceKey(resource)), this.#rows);
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
        changes: (changes) => cache.#observe(changes),
        ended: () => cache.#end(),
      });
      return cache;
    }
    const range = objectsRange(options.slice, resource);
    for (;;) {
      const state = await translated(options.store.list(range));
      const cache = new WatchCache(options, state.revision);
      cache.#fill(state.entries);
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
  fresh(): number | Promise<number> {
    const { store, slice } = this.#options;
    const highest = store.revision(slice);
    return typeof highest === 'number' ? Math.max(highest, this.#revision) : this.#freshOnce(highest);
  }

  async #freshOnce(told: Promise<number>): Promise<number> {
    try {
      return Math.max(await told, this.#revision);
    } catch (error) {
      throw toStatusError(error);
    }
  }

  /** About what it takes in memory: texts, what is decoded of some of them, and what was there before. */
  get bytes(): number {
    return bytesPerCache + this.objectBytes + this.#recent.size + bytesPerDecoded * this.#rows.kind.decoded.size;
  }

  /** Of the objects that are there. */
  get objectBytes(): number {
    return this.#objects.count() * bytesPerObject + this.#size;
  }

  get(namespace: string, name: string): CachedObject | undefined {
    return this.#objects.get(namespace, name);
  }

  /**
   * The row that is there although no object is: of a standing one that was deleted. Whoever creates one there writes
   * over it.
   */
  deletedRow(place: Place): number | undefined {
    return this.#deleted.get(placeText(place));
  }

  /** Whether an object that is removed there has to leave a row that says so. */
  isStanding(place: Place): boolean {
    return this.#rows.isStanding(place);
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

  /** Whether anybody asks for objects in decoded form soon after they were written. */
  get areAskedFor(): boolean {
    return this.#rows.kind.decoded.areAskedFor;
  }

  /** What is about to be written there as that text; who knows it spares the cache the reading. Ends when told to. */
  expect(place: Place, text: string, record: StoredRecord): () => void {
    return this.#expected.add(place, text, record);
  }

  /** It is closed, and no longer learns of anything. */
  get ended(): boolean {
    return this.#ended;
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
  changesSince(since: number, upTo: number): AsyncGenerator<readonly CachedChange[]> {
    return this.#past.changes(since, upTo, () => this.#recent);
  }

  /**
   * All objects as they were at that revision, in the order of lists, for a kind where some stand without rows.
   * Undefined: none do, so the rows of that time are the whole truth. Rejects with Expired or FutureRevision.
   */
  stateAt(revision: number): Promise<ObjectIndex<CachedObject> | undefined> {
    return this.#past.stateAt(revision);
  }

  /** A version as it was at another time, for those who ask `pageAt`. */
  past(place: Place, text: string, revision: number): CachedObject {
    return new CachedObject(this.#rows.kind, place, text, revision);
  }

  /** Shows the objects as another definition of their kind has them, from here on. */
  redefine(resource: StoredResource): void {
    if (resource.form === undefined && this.#rows.kind.resource.form === undefined) return;
    const kind = this.#rows.redefine(resource);
    for (const object of [...this.#objects.iterate()]) this.#objects.set(object.as(kind));
    // What is kept of changes has the form of the definition before; the store's history has none.
    this.#recent = new RecentChanges(this.#options.recent, this.#revision);
  }

  close(): void {
    this.#stopObserving?.();
    this.#end();
  }

  #fill(entries: readonly Entry[]): void {
    for (const object of this.#rows.standing()) this.#objects.set(object);
    for (const { key, value, revision } of entries) {
      const place = placeOf(key.segments);
      if (value === deletedText) {
        this.#objects.delete(place.namespace, place.name);
        this.#deleted.set(placeText(place), revision);
      } else {
        this.#objects.set(new CachedObject(this.#rows.kind, place, value, revision));
        this.#size += value.length;
      }
    }
  }

  #observe(changes: readonly Change[]): void {
    for (const { key, value, revision } of changes) {
      const place = placeOf(key.segments);
      const before = this.#objects.get(place.namespace, place.name);
      const record = value === undefined ? undefined : this.#expected.find(place, value);
      const after = this.#rows.at(place, value, revision, record);
      if (value === deletedText) this.#deleted.set(placeText(place), revision);
      else if (this.#deleted.size > 0) this.#deleted.delete(placeText(place));
      if (before !== undefined) this.#drop(before);
      if (after !== undefined) this.#put(after);
      else this.#objects.delete(place.namespace, place.name);
      this.#revision = revision;
      // What the store tells of a deleted one that is deleted once more, nobody is told.
      if (before === undefined && after === undefined) continue;
      const change = new CachedChange(place, revision, before, after);
      this.#recent.push(change);
      for (const listener of this.#listeners) listener.changed(change);
      // What was before is of interest to those who resume, if to anybody, and they take its text.
      if (before !== undefined) this.#rows.kind.decoded.drop(before);
    }
  }

  #put(object: CachedObject): void {
    this.#objects.set(object);
    this.#size += heldBy(object);
    if (this.#claims !== undefined) this.#addClaims(this.#claims, object);
  }

  #drop(object: CachedObject): void {
    this.#size -= heldBy(object);
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

/** Measured: an empty cache with all that goes with it, an object beside its text, a character that is decoded. */
const bytesPerCache = 6144;
const bytesPerObject = 256;
const bytesPerDecoded = 5;

/** What stands in every plane is held once for all of them. */
function heldBy(object: CachedObject): number {
  return object.row === undefined ? 0 : object.size;
}

/** What the verbs need of a cache; another version of a kind has one that is made of this. */
export type ObjectCache = Pick<WatchCache, keyof WatchCache>;
