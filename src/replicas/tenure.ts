import type { RevisionCheck } from '../store/store.ts';

/**
 * A period in which this process may do background work: it is registered and its heartbeats succeed. Work that is
 * divided among replicas calls `owns` before each piece of work.
 */
export interface Tenure {
  /**
   * The check that every transaction of background work contains: this replica must still be registered. If another
   * replica has taken over the work, the transaction fails, even if it was sent before the takeover. `undefined` if no
   * other process can use the store.
   */
  readonly fence: RevisionCheck | undefined;
  /** Aborted when the tenure ends. All background work must stop then. */
  readonly signal: AbortSignal;
  /**
   * Throws if the last successful heartbeat is too old. Must be called before each call to another system, because such a call
   * cannot be fenced.
   */
  assertCurrent(): void;
  /** True if this replica holds the term. */
  owns(term: string): boolean;
  /** Calls the listener each time the replica has gained terms. Returns a function that removes the listener. */
  onGained(listener: () => void): () => void;
  /** Adds work that is divided by terms. Returns a function that removes it. */
  addWork(work: DividedWork): () => void;
}

/** Work that is divided by terms. A term is handed over to another replica only while no work for it is in progress. */
export interface DividedWork {
  isBusy(term: string): boolean;
}

/** Starts background work. The returned function stops it and resolves after the last piece of work has ended. */
export type StartWork = (tenure: Tenure) => () => Promise<void>;

/** Thrown if background work must not continue, because the heartbeats of this replica have stopped. */
export class TenureEndedError extends Error {
  constructor() {
    super('this server has lost its connection to the store and must not continue background work');
    this.name = 'TenureEndedError';
  }
}

const never = new AbortController().signal;

/** The tenure of a server whose store is not shared. The server holds all terms, and the tenure never ends. */
export const soleTenure: Tenure = {
  fence: undefined,
  signal: never,
  assertCurrent() {},
  owns: () => true,
  onGained: () => () => {},
  addWork: () => () => {},
};

/** Runs work while the tenure holds a term. For terms that are never handed over. */
export function whileOwned(tenure: Tenure, term: string, start: () => () => Promise<void>): () => Promise<void> {
  let stop: (() => Promise<void>) | undefined;
  const startIfOwned = () => {
    if (stop === undefined && tenure.owns(term)) stop = start();
  };
  startIfOwned();
  const unsubscribe = tenure.onGained(startIfOwned);
  return async () => {
    unsubscribe();
    await stop?.();
  };
}
