import type { KeyRange } from '../store/key.ts';
import type { Change, Store } from '../store/store.ts';
import { CachedChange, type CachedObject } from './cached-object.ts';
import { type CachedRows, placeOf } from './cached-rows.ts';
import { ObjectIndex } from './object-index.ts';
import type { RecentChanges } from './recent-changes.ts';
import { placeText } from './standing-kinds.ts';
import { deletedText } from './standing-object.ts';

/**
 * Revisions read from history at a time. Objects can have megabytes, each twice in a change, and what is read is held
 * until the watcher has taken it: so it begins with few, and goes on with more only while they are small.
 */
const shortestPiece = 4;
const longestPiece = 32;
const heavyPiece = 1024 * 1024;

/** What a kind was before now, out of the store. What stands in every plane is there from the birth of the plane on. */
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
   * Every change after `since` up to and including `upTo`, in pieces; from memory where `recent` reaches back that far,
   * else from the store's history. Throws StoreError Expired if that is gone too, or goes while it is read.
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
   * All objects as they were at that revision, in the order of lists, for a kind where some stand without rows.
   * Undefined: none do, so the rows of that time are the whole truth. Rejects with Expired or FutureRevision.
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

  /** Those that had no row of their own then. */
  async #standingAt(revision: number): Promise<CachedObject[]> {
    const then = await this.#store.list(this.#range, { atRevision: revision });
    const rows = new Set(then.entries.map(({ key }) => placeText(placeOf(key.segments))));
    return this.#rows.standing().filter((object) => !rows.has(placeText(object)));
  }
}

function sizeOf(changes: readonly Change[]): number {
  return changes.reduce((sum, { value, previous }) => sum + (value?.length ?? 0) + (previous?.value.length ?? 0), 0);
}
