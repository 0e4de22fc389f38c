import type { KeyRange } from '../../store/key.ts';
import type { Change, Store } from '../../store/store.ts';
import { deletedBuiltinMarker } from './builtin-object.ts';
import { objectKeyText } from './builtin-objects.ts';
import { CachedChange, type CachedObject } from './cached-object.ts';
import { type CachedObjectFactory, objectKeyFromSegments } from './cached-object-factory.ts';
import { ObjectIndex } from './object-index.ts';
import type { RecentChanges } from './recent-changes.ts';

/**
 * The size of a chunk that is read from the store's history, in characters. A change contains two objects, each up to
 * several megabytes, and a chunk stays in memory until the reader has processed it.
 */
const chunkCharacters = 256 * 1024;

/** Reads the history of a kind from the store. Built-in objects count as created when the plane was created. */
export class KindHistory {
  readonly #store: Store;
  readonly #range: KeyRange;
  readonly #factory: CachedObjectFactory;
  /**
   * The latest read from the store's history into the list of recent changes. Each read starts after the previous one.
   */
  #sharedRead: Promise<boolean> = Promise.resolve(false);
  /**
   * The highest revision for which it is known that the changes after it do not fit into the list of recent changes.
   */
  #notShared = -1;

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
   * Returns all objects of the kind as they were at `revision`, in list order. Returns `undefined` if the kind has no
   * built-in objects, because the rows of the store are then all of its objects. Rejects with StoreError Expired or
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
    for (let at = since; at < upTo; ) {
      const cached = recent();
      if (cached.reaches(at)) {
        yield cached.since(at).filter(({ revision }) => revision <= upTo);
        return;
      }
      if (await this.#readShared(at, cached)) continue;
      const chunk = await this.#store.history(this.#range, at, { to: upTo, characters: chunkCharacters });
      yield chunk.changes.map((change) => this.#factory.change(change));
      at = chunk.upTo;
    }
  }

  /**
   * Reads the changes after a revision into the list of recent changes. After a restart, thousands of watches resume
   * from about the same revision. With the shared list, the store's history is read only once for all of them. Returns
   * false if the changes do not fit into the list or cannot be read.
   */
  #readShared(since: number, recent: RecentChanges<CachedChange>): Promise<boolean> {
    if (since <= this.#notShared || !recent.hasSpaceFor(1, 0)) return Promise.resolve(false);
    this.#sharedRead = this.#sharedRead.then(() => this.#readOlder(since, recent)).catch(() => false);
    return this.#sharedRead;
  }

  async #readOlder(since: number, recent: RecentChanges<CachedChange>): Promise<boolean> {
    if (recent.reaches(since)) return true;
    if (since <= this.#notShared) return false;
    const { floor } = recent;
    const older: CachedChange[] = [];
    let size = 0;
    let isShared = true;
    for (let at = since; isShared && at < floor; ) {
      const { changes, upTo } = await this.#store.history(this.#range, at, { to: floor, characters: chunkCharacters });
      for (const change of changes) older.push(this.#factory.change(change));
      size += sizeOf(changes);
      isShared = recent.hasSpaceFor(older.length, size);
      at = upTo;
    }
    if (isShared && recent.addOlder(older, since, floor)) return true;
    this.#notShared = Math.max(this.#notShared, since);
    return false;
  }

  /** Returns the built-in objects that had not been changed or deleted by a row at `revision`. */
  async #builtinObjectsAt(revision: number): Promise<CachedObject[]> {
    const rowsAtRevision = await this.#store.list(this.#range, { atRevision: revision });
    const rows = new Set(rowsAtRevision.entries.map(({ key }) => objectKeyText(objectKeyFromSegments(key.segments))));
    return this.#factory.builtinObjects().filter((object) => !rows.has(objectKeyText(object)));
  }
}

function sizeOf(changes: readonly Change[]): number {
  return changes.reduce((sum, { value, previous }) => sum + (value?.length ?? 0) + (previous?.value.length ?? 0), 0);
}
