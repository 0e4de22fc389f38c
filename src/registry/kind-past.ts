import type { KeyRange } from '../store/key.ts';
import type { Change, Store } from '../store/store.ts';
import { CachedChange, type CachedObject } from './cached-object.ts';
import { type CachedRows, placeOf } from './cached-rows.ts';
import { ObjectIndex } from './object-index.ts';
import type { RecentChanges } from './recent-changes.ts';
import { placeText } from './standing-kinds.ts';
import { deletedText } from './standing-object.ts';

/**
 * The number of revisions read from history at a time. Objects can have megabytes, a change contains two of them, and
 * they are held until the reader has taken them: so the first chunk is small, and chunks grow only while they are
 * light.
 */
const shortestPiece = 4;
const longestPiece = 32;
const heavyPiece = 1024 * 1024;

/** The history of a kind, from the store. Built-in objects exist from the creation of the plane on. */
export class KindPast {
  readonly #store: Store;
  readonly #range: KeyRange;
  readonly #rows: CachedRows;

  constructor(store: Store, range: KeyRange, rows: CachedRows) {
    this.#store = store;
    this.#range = range;
    this.#rows = rows;
  }

  /**
   * Returns every change after `since` up to and including `upTo`, in chunks: from memory if `recent` reaches back that
   * far, else from the store's history. Throws StoreError Expired if it was compacted, before or during the read.
   */
  async *changes(
    since: number,
    upTo: number,
    recent: () => RecentChanges<CachedChange>,
  ): AsyncGenerator<readonly CachedChange[]> {
    const birth = this.#rows.kind.birth?.revision ?? 0;
    if (since >= birth) return yield* this.#logged(since, upTo, recent);
    yield* this.#logged(since, Math.min(birth, upTo), recent);
    if (birth > upTo) return;
    yield (await this.#standingAt(birth)).map((object) => new CachedChange(object, birth, undefined, object));
    yield* this.#logged(birth, upTo, recent);
  }

  /**
   * Returns all objects as they were at that revision, in list order, for a kind with built-in objects. `undefined` if
   * the kind has none, so that the rows of that revision are complete. Rejects with Expired or FutureRevision.
   */
  async stateAt(revision: number): Promise<ObjectIndex<CachedObject> | undefined> {
    const { birth } = this.#rows.kind;
    if (birth === undefined) return undefined;
    const then = await this.#store.list(this.#range, { atRevision: revision });
    const state = new ObjectIndex<CachedObject>();
    if (revision >= birth.revision) for (const object of this.#rows.standing()) state.set(object);
    for (const { key, value, revision: written } of then.entries) {
      const place = placeOf(key.segments);
      const object = value === deletedText ? undefined : this.#rows.at(place, value, written);
      if (object === undefined) state.delete(place.namespace, place.name);
      else state.set(object);
    }
    return state;
  }

  async *#logged(
    since: number,
    upTo: number,
    recent: () => RecentChanges<CachedChange>,
  ): AsyncGenerator<readonly CachedChange[]> {
    let revisions = shortestPiece;
    for (let at = since; at < upTo; ) {
      const kept = recent();
      if (kept.reaches(at)) {
        yield kept.since(at).filter(({ revision }) => revision <= upTo);
        return;
      }
      const to = Math.min(at + revisions, upTo);
      const changes = await this.#store.history(this.#range, at, to);
      yield changes.map((change) => this.#rows.change(change));
      at = to;
      revisions = sizeOf(changes) > heavyPiece ? shortestPiece : Math.min(revisions * 2, longestPiece);
    }
  }

  /** Returns the built-in objects that had no row at that revision. */
  async #standingAt(revision: number): Promise<CachedObject[]> {
    const then = await this.#store.list(this.#range, { atRevision: revision });
    const rows = new Set(then.entries.map(({ key }) => placeText(placeOf(key.segments))));
    return this.#rows.standing().filter((object) => !rows.has(placeText(object)));
  }
}

function sizeOf(changes: readonly Change[]): number {
  return changes.reduce((sum, { value, previous }) => sum + (value?.length ?? 0) + (previous?.value.length ?? 0), 0);
}
