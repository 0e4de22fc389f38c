import { setMaxListeners } from 'node:events';
import type { RevisionCheck } from '../store/store.ts';
import { type DividedWork, type Tenure, TenureEndedError } from './tenure.ts';

export interface ActiveTenureOptions {
  readonly fence: RevisionCheck;
  /** The names of the terms that the replica holds. The set changes while the tenure lasts. */
  readonly held: ReadonlySet<string>;
  /** True if the last successful heartbeat is not too old. */
  isCurrent(): boolean;
}

/** A tenure of a replica that shares its store with others. */
export class ActiveTenure implements Tenure {
  readonly fence: RevisionCheck;
  readonly #options: ActiveTenureOptions;
  readonly #end = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #works = new Set<DividedWork>();

  constructor(options: ActiveTenureOptions) {
    this.#options = options;
    this.fence = options.fence;
    // Every call to another system adds a listener to this signal, so Node.js must not warn about many listeners.
    setMaxListeners(0, this.#end.signal);
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  assertCurrent(): void {
    if (this.#end.signal.aborted || !this.#options.isCurrent()) throw new TenureEndedError();
  }

  owns(term: string): boolean {
    return this.#options.held.has(term) && !this.#end.signal.aborted;
  }

  onGained(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  addWork(work: DividedWork): () => void {
    this.#works.add(work);
    return () => this.#works.delete(work);
  }

  /** True if a piece of work for the term is in progress. */
  isBusy(term: string): boolean {
    return [...this.#works].some((work) => work.isBusy(term));
  }

  notifyGained(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  end(): void {
    this.#end.abort(new TenureEndedError());
  }
}
