import type { Change, Entry, Observer, Store, WatchWakeCounter } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import { allObjectsRange } from '../rows/rows.ts';
import { withStatusErrors } from '../store-status.ts';

/** The rows of one kind at one revision, and a function that observes all changes after this revision. */
export interface KindRows {
  readonly entries: readonly Entry[];
  /** `entries` contains every row of the kind that existed at this revision of the slice. */
  readonly revision: number;
  /**
   * Starts to observe changes and returns a function that ends the observation. Must be called in the same event loop
   * tick in which the rows were returned, so that no change is missed.
   */
  observe(observer: Observer): () => void;
}

/**
 * The rows of all kinds of a plane. They are listed and observed together: with a separate list and observer for each
 * of twenty kinds, these would take most of the time in which a small plane is opened. The rows are held in memory
 * until `release` is called. A kind that is opened after `release` reads its rows from the store.
 */
export class SliceObjects {
  readonly #observers = new Map<string, Set<Observer>>();
  #held: Map<string, Entry[]> | undefined = new Map();
  /** The kinds whose held rows are outdated, because a change was observed after they were listed. */
  readonly #stale = new Set<string>();
  #revision: number;
  #stopObserving: (() => void) | undefined;

  private constructor(revision: number, entries: readonly Entry[]) {
    this.#revision = revision;
    for (const entry of entries) {
      const resource = entry.key.segments[1] ?? '';
      const rows = this.#held?.get(resource);
      if (rows === undefined) this.#held?.set(resource, [entry]);
      else rows.push(entry);
    }
  }

  /** Lists the rows of the slice and starts to observe them. Rejects with an API error if the store cannot be read. */
  static async open(store: Store, slice: string): Promise<SliceObjects> {
    const range = allObjectsRange(slice);
    for (;;) {
      const state = await withStatusErrors(store.list(range));
      const objects = new SliceObjects(state.revision, state.entries);
      try {
        objects.#stopObserving = await store.observe(range, state.revision, {
          changes: (changes, wakes) => objects.#dispatch(changes, wakes),
          ended: (error) => objects.#end(error),
        });
        return objects;
      } catch (error) {
        // History was compacted between `list` and `observe`. The next list returns a revision after the compaction.
        if (!(error instanceof StoreError) || error.code !== 'Expired') return withStatusErrors(Promise.reject(error));
      }
    }
  }

  /**
   * Returns the rows of a kind. `undefined` if the rows were released or are outdated; read them from the store then.
   */
  rowsOf(resource: string): KindRows | undefined {
    if (this.#held === undefined || this.#stale.has(resource)) return undefined;
    const entries = this.#held.get(resource) ?? [];
    this.#held.delete(resource);
    return { entries, revision: this.#revision, observe: (observer) => this.#observe(resource, observer) };
  }

  /** Releases the memory of the held rows. Call it after all kinds of the plane were opened. */
  release(): void {
    this.#held = undefined;
  }

  close(): void {
    this.#held = undefined;
    this.#stopObserving?.();
    this.#observers.clear();
  }

  #observe(resource: string, observer: Observer): () => void {
    const observers = this.#observers.get(resource) ?? new Set();
    this.#observers.set(resource, observers);
    observers.add(observer);
    // Later changes go to the observer and do not update the held rows. If the kind is opened again, it must read its
    // rows from the store.
    this.#stale.add(resource);
    return () => {
      observers.delete(observer);
      if (observers.size === 0 && this.#observers.get(resource) === observers) this.#observers.delete(resource);
    };
  }

  #dispatch(changes: readonly Change[], wakes: WatchWakeCounter | undefined): void {
    for (const change of changes) {
      const resource = change.key.segments[1] ?? '';
      this.#revision = change.revision;
      const observers = this.#observers.get(resource);
      if (observers !== undefined) for (const observer of observers) observer.changes([change], wakes);
      else if (this.#held !== undefined) {
        this.#held.delete(resource);
        this.#stale.add(resource);
      }
    }
  }

  #end(error: StoreError): void {
    const all = [...this.#observers.values()].flatMap((observers) => [...observers]);
    this.#observers.clear();
    for (const observer of all) observer.ended(error);
  }
}
