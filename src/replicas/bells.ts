import type { Clock } from '../lib/clock.ts';
import type { Key, KeyRange } from '../store/key.ts';
import type { Store } from '../store/store.ts';
import { isStoreClosed } from '../store/store-error.ts';
import { shardOf } from './shards.ts';

/**
 * The slice of the bells. A transaction that records maintenance work replaces the bell of the plane's shard. The
 * replica that holds the shard is thus notified of the work. The rows of the work itself are unlogged and cannot be
 * observed.
 */
export const bellsSlice = 'bells';
const allBells: KeyRange = { slice: bellsSlice, prefix: [] };

/** The time until the bells are observed again after an interruption. */
const retryMs = 1_000;

/** Returns the key of the bell that announces maintenance work of a plane. */
export function bellOf(planeId: string): Key {
  return { slice: bellsSlice, segments: [shardOf(planeId)] };
}

export interface BellListenerOptions {
  readonly store: Pick<Store, 'revision' | 'observe'>;
  readonly clock: Clock;
  /** Called after the bell of a term was replaced, with its new value, which describes the work. */
  onRing(term: string, value: string): void;
  /** Called at the start and after an interruption, when any bell may have been replaced without a call of `onRing`. */
  onGap(): void;
}

/** Observes all bells. Returns a function that ends the observation. */
export function listenToBells(options: BellListenerOptions): () => void {
  const { store, clock, onRing, onGap } = options;
  let stopObserving = () => {};
  let cancelRetry = () => {};
  let isStopped = false;

  const retry = (error: unknown) => {
    if (!isStopped && !isStoreClosed(error)) cancelRetry = clock.after(retryMs, () => void observe());
  };

  async function observe(): Promise<void> {
    try {
      const stop = await store.observe(allBells, await store.revision(bellsSlice), {
        changes(changes) {
          for (const { key, value } of changes) if (value !== undefined) onRing(key.segments[0] ?? '', value);
        },
        ended: retry,
      });
      if (isStopped) stop();
      else {
        stopObserving = stop;
        onGap();
      }
    } catch (error) {
      retry(error);
    }
  }

  void observe();
  return () => {
    isStopped = true;
    cancelRetry();
    stopObserving();
  };
}
