import type { Change, Entry, Observer, Store, WakeCount } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import { allObjectsRange } from '../rows/rows.ts';
import { withStatusErrors } from '../store-status.ts';

/** The rows of one kind at one revision, and a function to observe all later changes. */
export interface KindRows {
  readonly entries: readonly Entry[];
  /** The revision of the slice for which `entries` is complete. */
  readonly revision: number;
  /** Must be called in the same event loop tick. Returns a stop function. */
  observe(observer: Observer): () => void;
}

/**
 * The objects of a whole plane, listed and observed once for all of its kinds: twenty separate lists and observers
 * would take most of the time to open a small plane. Holds the rows until `release` is called after all kinds were
 * opened; kinds that are opened later read from the store.
 */
export class SliceObjects {
  readonly #observers = new Map<string, Set<Observer>>();
  #held: Map<string, Entry[]> | undefined = new Map();
  /** Kinds whose rows have changed while they were held. */
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

  /** Rejects with an API error if the store cannot be read. */
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
        // History was compacted between the two calls; the next list is newer than the compaction.
        if (!(error instanceof StoreError) || error.code !== 'Expired') return withStatusErrors(Promise.reject(error));
      }
    }
  }

  /** Returns `undefined` if the rows are not held, or not any more. */
  rowsOf(resource: string): KindRows | undefined {
    if (this.#held === undefined || this.#stale.has(resource)) return undefined;
    const entries = this.#held.get(resource) ?? [];
    this.#held.delete(resource);
    return { entries, revision: this.#revision, observe: (observer) => this.#observe(resource, observer) };
  }

  /** Releases the held rows after all kinds were opened. */
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
    // The held rows become outdated from here on: if the kind is opened again, it must read from the store.
    this.#stale.add(resource);
    return () => {
      observers.delete(observer);
      if (observers.size === 0 && this.#observers.get(resource) === observers) this.#observers.delete(resource);
    };
  }

  #dispatch(changes: readonly Change[], wakes: WakeCount | undefined): void {
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
