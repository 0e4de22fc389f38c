import type { KeyRange } from '../../store/key.ts';
import type { Change, Store } from '../../store/store.ts';
import { deletedBuiltinMarker } from './builtin-object.ts';
import { objectKeyText } from './builtin-objects.ts';
import { CachedChange, type CachedObject } from './cached-object.ts';
import { type CachedObjectFactory, objectKeyFromSegments } from './cached-object-factory.ts';
import { ObjectIndex } from './object-index.ts';
import type { RecentChanges } from './recent-changes.ts';

/**
 * The number of revisions that are read from the store's history at a time. A change contains two objects, each up to
 * several megabytes, and a chunk stays in memory until the reader has processed it. The first chunk therefore has only
 * `minChunkRevisions` revisions. Each further chunk has twice as many as the one before it, up to `maxChunkRevisions`.
 * After a chunk of more than `heavyChunkSize` characters, the number starts again at the minimum.
 */
const minChunkRevisions = 4;
const maxChunkRevisions = 32;
const heavyChunkSize = 1024 * 1024;

/** Reads the history of a kind from the store. Built-in objects count as created at the creation of the plane. */
export class KindHistory {
  readonly #store: Store;
  readonly #range: KeyRange;
  readonly #factory: CachedObjectFactory;

  constructor(store: Store, range: KeyRange, rows: CachedObjectFactory) {
    this.#store = store;
    this.#range = range;
    this.#factory = rows;
  }

  /**
   * Returns every change after revision `since` up to and including `upTo`, in chunks. Changes come from `recent` if it
   * contains all of them, otherwise from the store's history. Throws StoreError Expired if that history was compacted
   * before or during the read.
   */
  async *changes(
    since: number,
    upTo: number,
    recent: () => RecentChanges<CachedChange>,
  ): AsyncGenerator<readonly CachedChange[]> {
    const created = this.#factory.kind.planeCreation?.revision ?? 0;
    if (since >= created) return yield* this.#loggedChanges(since, upTo, recent);
    yield* this.#loggedChanges(since, Math.min(created, upTo), recent);
    if (created > upTo) return;
    yield (await this.#builtinObjectsAt(created)).map((object) => new CachedChange(object, created, undefined, object));
    yield* this.#loggedChanges(created, upTo, recent);
  }

  /**
   * Returns all objects of the kind as they were at that revision, in list order. Returns `undefined` if the kind has
   * no built-in objects, because the rows of the store are then all of its objects. Rejects with StoreError Expired or
   * FutureRevision.
   */
  async stateAt(revision: number): Promise<ObjectIndex<CachedObject> | undefined> {
    const { planeCreation } = this.#factory.kind;
    if (planeCreation === undefined) return undefined;
    const rowsAtRevision = await this.#store.list(this.#range, { atRevision: revision });
    const state = new ObjectIndex<CachedObject>();
    if (revision >= planeCreation.revision) for (const object of this.#factory.builtinObjects()) state.set(object);
    for (const { key: rowKey, value, revision: written } of rowsAtRevision.entries) {
      const key = objectKeyFromSegments(rowKey.segments);
      const object = value === deletedBuiltinMarker ? undefined : this.#factory.at(key, value, written);
      if (object === undefined) state.delete(key.namespace, key.name);
      else state.set(object);
    }
    return state;
  }

  async *#loggedChanges(
    since: number,
    upTo: number,
    recent: () => RecentChanges<CachedChange>,
  ): AsyncGenerator<readonly CachedChange[]> {
    let revisions = minChunkRevisions;
    for (let at = since; at < upTo; ) {
      const cached = recent();
      if (cached.reaches(at)) {
        yield cached.since(at).filter(({ revision }) => revision <= upTo);
        return;
      }
      const to = Math.min(at + revisions, upTo);
      const changes = await this.#store.history(this.#range, at, to);
      yield changes.map((change) => this.#factory.change(change));
      at = to;
      revisions = sizeOf(changes) > heavyChunkSize ? minChunkRevisions : Math.min(revisions * 2, maxChunkRevisions);
    }
  }

  /** Returns the built-in objects that no row had changed or deleted at that revision. */
  async #builtinObjectsAt(revision: number): Promise<CachedObject[]> {
    const rowsAtRevision = await this.#store.list(this.#range, { atRevision: revision });
    const rows = new Set(rowsAtRevision.entries.map(({ key }) => objectKeyText(objectKeyFromSegments(key.segments))));
    return this.#factory.builtinObjects().filter((object) => !rows.has(objectKeyText(object)));
  }
}

function sizeOf(changes: readonly Change[]): number {
  return changes.reduce((sum, { value, previous }) => sum + (value?.length ?? 0) + (previous?.value.length ?? 0), 0);
}
