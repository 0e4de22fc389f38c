import type { StoredRecord, StoredResource } from '../resource.ts';
import { CachedChange, type CachedKind, CachedObject } from './cached-object.ts';
import { DecodedObjects } from './decoded-objects.ts';
import type { ObjectIndex, ObjectKey } from './object-index.ts';
import type { CacheListener, ObjectCache } from './watch-cache.ts';

/**
 * Serves the objects of a kind in a version other than the storage version. It converts the stored texts of the main
 * cache on demand and caches only decoded objects, so a version that no client uses takes no memory.
 */
export class VersionCache implements ObjectCache {
  readonly #stored: ObjectCache;
  #kind: CachedKind;
  #converted = new WeakMap<CachedObject, CachedObject>();

  constructor(stored: ObjectCache, resource: StoredResource, decodedSize: number) {
    this.#stored = stored;
    this.#kind = { resource, decoded: new DecodedObjects(decodedSize) };
  }

  get revision(): number {
    return this.#stored.revision;
  }

  get bytes(): number {
    return this.#stored.bytes;
  }

  get objectBytes(): number {
    return this.#stored.objectBytes;
  }

  get ended(): boolean {
    return this.#stored.ended;
  }

  freshRevision(known?: number): number | Promise<number> {
    return this.#stored.freshRevision(known);
  }

  knownRevision(): number | Promise<number> {
    return this.#stored.knownRevision();
  }

  get(namespace: string, name: string): CachedObject | undefined {
    return this.#convertOptional(this.#stored.get(namespace, name));
  }

  deletedMarkerRevision(key: ObjectKey): number | undefined {
    return this.#stored.deletedMarkerRevision(key);
  }

  isBuiltin(key: ObjectKey): boolean {
    return this.#stored.isBuiltin(key);
  }

  take(namespace?: string, after?: ObjectKey, limit?: number): CachedObject[] {
    return this.#stored.take(namespace, after, limit).map((object) => this.#convert(object));
  }

  count(namespace?: string, after?: ObjectKey): number {
    return this.#stored.count(namespace, after);
  }

  byClaim(claim: string): CachedObject | undefined {
    return this.#convertOptional(this.#stored.byClaim(claim));
  }

  get readsDecoded(): boolean {
    return this.#stored.readsDecoded;
  }

  expectRecord(key: ObjectKey, text: string, record: StoredRecord): () => void {
    return this.#stored.expectRecord(key, text, record);
  }

  listen(listener: CacheListener): () => void {
    return this.#stored.listen({
      changed: (change, wakes) => listener.changed(this.#convertChange(change), wakes),
      interrupted: () => listener.interrupted?.(),
      reloaded: () => listener.reloaded?.(),
      ended: () => listener.ended?.(),
    });
  }

  async *changesSince(since: number, upTo: number): AsyncGenerator<readonly CachedChange[]> {
    for await (const changes of this.#stored.changesSince(since, upTo)) {
      yield changes.map((change) => this.#convertChange(change));
    }
  }

  /** Always returns `undefined`, because kinds with several versions have no built-in objects. */
  async stateAt(): Promise<ObjectIndex<CachedObject> | undefined> {
    return undefined;
  }

  historicalObject(key: ObjectKey, text: string, revision: number): CachedObject {
    return new CachedObject(this.#kind, key, text, revision);
  }

  redefine(resource: StoredResource): void {
    this.#kind = { ...this.#kind, resource };
    this.#converted = new WeakMap();
  }

  close(): void {}

  #convertOptional(object: CachedObject | undefined): CachedObject | undefined {
    return object && this.#convert(object);
  }

  #convert(object: CachedObject): CachedObject {
    let converted = this.#converted.get(object);
    if (converted === undefined) {
      converted = object.withKind(this.#kind);
      this.#converted.set(object, converted);
    }
    return converted;
  }

  #convertChange(change: CachedChange): CachedChange {
    return new CachedChange(
      change,
      change.revision,
      this.#convertOptional(change.before),
      this.#convertOptional(change.after),
    );
  }
}
