import type { Change, Entry, Observer, Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import { allObjectsRange } from './rows.ts';
import { translated } from './store-status.ts';

/** The rows of one kind at one moment, and how to hear of everything that comes after it. */
export interface KindRows {
  readonly entries: readonly Entry[];
  /** The slice's, at which this is the whole truth. */
  readonly revision: number;
  /** To be called before anything else has a turn. Returns how to stop. */
  observe(observer: Observer): () => void;
}

/**
 * The objects of a whole plane, read and observed once for all of its kinds: twenty lists and twenty observers of their
 * own would make up most of the time that a small plane takes to open. Holds the rows until it is told that all kinds
 * have theirs; who comes later asks the store.
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
      const state = await translated(store.list(range));
      const objects = new SliceObjects(state.revision, state.entries);
      try {
        objects.#stopObserving = await store.observe(range, state.revision, {
          changes: (changes) => objects.#hand(changes),
          ended: (error) => objects.#end(error),
        });
        return objects;
      } catch (error) {
        // History was compacted between the two calls: the next list is newer than that.
        if (!(error instanceof StoreError) || error.code !== 'Expired') return translated(Promise.reject(error));
      }
    }
  }

  /** Undefined: they are not held (any longer). */
  rowsOf(resource: string): KindRows | undefined {
    if (this.#held === undefined || this.#stale.has(resource)) return undefined;
    const entries = this.#held.get(resource) ?? [];
    this.#held.delete(resource);
    return { entries, revision: this.#revision, observe: (observer) => this.#observe(resource, observer) };
  }

  /** All kinds that are there have been opened. */
  release(): void {
    this.#held = undefined;
  }

  close(): void {
    this.#held = undefined;
    this.#stopObserving?.();
    this.#observers.clear();
  }

  #observe(resource: string, observer: Observer): () => void {
    const beside = this.#observers.get(resource) ?? new Set();
    this.#observers.set(resource, beside);
    beside.add(observer);
    // What is there now is not what was held: whoever opens the kind once more asks the store.
    this.#stale.add(resource);
    return () => {
      beside.delete(observer);
      if (beside.size === 0 && this.#observers.get(resource) === beside) this.#observers.delete(resource);
    };
  }

  #hand(changes: readonly Change[]): void {
    for (const change of changes) {
      const resource = change.key.segments[1] ?? '';
      this.#revision = change.revision;
      const observers = this.#observers.get(resource);
      if (observers !== undefined) for (const observer of observers) observer.changes([change]);
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
