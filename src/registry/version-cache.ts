import { CachedChange, type CachedKind, CachedObject } from './cached-object.ts';
import { DecodedObjects } from './decoded-objects.ts';
import type { ObjectIndex, Place } from './object-index.ts';
import type { StoredRecord, StoredResource } from './resource.ts';
import type { CacheListener, ObjectCache } from './watch-cache.ts';

/**
 * The objects of a kind in another of its versions: the same texts, converted on demand. It holds only decoded objects,
 * with a capacity of its own, so an unused version uses no memory.
 */
export class VersionCache implements ObjectCache {
  readonly #stored: ObjectCache;
  #kind: CachedKind;
  #shown = new WeakMap<CachedObject, CachedObject>();

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

  fresh(): number | Promise<number> {
    return this.#stored.fresh();
  }

  get(namespace: string, name: string): CachedObject | undefined {
    return this.#show(this.#stored.get(namespace, name));
  }

  deletedRow(place: Place): number | undefined {
    return this.#stored.deletedRow(place);
  }

  isStanding(place: Place): boolean {
    return this.#stored.isStanding(place);
  }

  take(namespace?: string, after?: Place, limit?: number): CachedObject[] {
    return this.#stored.take(namespace, after, limit).map((object) => this.#shownAs(object));
  }

  count(namespace?: string, after?: Place): number {
    return this.#stored.count(namespace, after);
  }

  byClaim(claim: string): CachedObject | undefined {
    return this.#show(this.#stored.byClaim(claim));
  }

  get areAskedFor(): boolean {
    return this.#stored.areAskedFor;
  }

  expect(place: Place, text: string, record: StoredRecord): () => void {
    return this.#stored.expect(place, text, record);
  }

  listen(listener: CacheListener): () => void {
    return this.#stored.listen({
      changed: (change) => listener.changed(this.#change(change)),
      ended: () => listener.ended?.(),
    });
  }

  async *changesSince(since: number, upTo: number): AsyncGenerator<readonly CachedChange[]> {
    for await (const changes of this.#stored.changesSince(since, upTo)) {
      yield changes.map((change) => this.#change(change));
    }
  }

  /** Kinds with several versions have no built-in objects. */
  async stateAt(): Promise<ObjectIndex<CachedObject> | undefined> {
    return undefined;
  }

  past(place: Place, text: string, revision: number): CachedObject {
    return new CachedObject(this.#kind, place, text, revision);
  }

  redefine(resource: StoredResource): void {
    this.#kind = { ...this.#kind, resource };
    this.#shown = new WeakMap();
  }

  close(): void {}

  #show(object: CachedObject | undefined): CachedObject | undefined {
    return object && this.#shownAs(object);
  }

  #shownAs(object: CachedObject): CachedObject {
    let shown = this.#shown.get(object);
    if (shown === undefined) {
      shown = object.as(this.#kind);
      this.#shown.set(object, shown);
    }
    return shown;
  }

  #change(change: CachedChange): CachedChange {
    return new CachedChange(change, change.revision, this.#show(change.before), this.#show(change.after));
  }
}
