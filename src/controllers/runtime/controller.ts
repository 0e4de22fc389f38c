import { setMaxListeners } from 'node:events';
import type { JsonObject } from '@flotilla/json';
import type { TypedObject } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import { startChangeNotifier } from '../../client/change-notifier.ts';
import { type Informer, startInformer } from '../../client/informer.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type LaneOptions, WorkQueue } from './work-queue.ts';

/** The result of a reconcile: done, or requeue after a time. An exception requeues with exponential backoff. */
export type ReconcileResult = undefined | { readonly requeueAfterMilliseconds: number };

export interface WatchSource<Fields extends JsonObject = JsonObject> {
  readonly resource: ResourceClient<Fields>;
  /** The keys that a change of this object affects. */
  keys(object: TypedObject<Fields>): readonly string[];
}

export interface ControllerOptions<Own extends JsonObject, Other extends JsonObject> {
  readonly name: string;
  /** The first one is the controller's own kind. `reconcile` receives the informers of all sources. */
  readonly sources: readonly [WatchSource<Own>] | readonly [WatchSource<Own>, WatchSource<Other>];
  /** Sources that are watched without a cache. After a gap, every object of the controller's own kind is reconciled. */
  readonly uncachedSources?: readonly WatchSource[];
  /** Adds keys from other sources. Called once, and runs until the signal fires. Must not reject. */
  otherSources?(add: (key: string) => void, signal: AbortSignal): Promise<void>;
  /** Number of concurrent reconciles; with lanes, the number per lane. */
  readonly workers?: number;
  /**
   * The lane of a key. Keys that wait for different hosts belong in different lanes, so that they do not block each
   * other.
   */
  laneOf?(key: string): string;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Brings the state one step closer to the spec of the object. It receives the key, never an event: it reads the
   * current state, does at most one write, and may be called at any time, any number of times.
   */
  reconcile(key: string, copies: Copies<Own, Other>, signal: AbortSignal): Promise<ReconcileResult>;
}

/** The informers of a controller's sources, in the same order. */
type Copies<Own extends JsonObject, Other extends JsonObject> =
  | readonly [Informer<Own>]
  | readonly [Informer<Own>, Informer<Other>];

export interface RunningController {
  readonly synced: Promise<void>;
  /** Stops all work. Resolves when the last reconcile has returned. */
  stop(): Promise<void>;
}

/**
 * Starts a controller: informers and watches fill a queue of keys, workers reconcile them. A key never runs twice at
 * once.
 */
export function startController<Own extends JsonObject, Other extends JsonObject = never>(
  options: ControllerOptions<Own, Other>,
): RunningController {
  const { name, sources, uncachedSources = [], workers = 2, laneOf, clock, log, reconcile } = options;
  const stopping = new AbortController();
  // Every worker adds listeners to this signal.
  setMaxListeners(0, stopping.signal);
  const lanes: LaneOptions | undefined = laneOf && { laneOf: laneOf, concurrency: workers };
  const queue = new WorkQueue(clock, lanes === undefined ? {} : { lanes });
  const { signal } = stopping;
  const running: Promise<void>[] = [];
  const add = (key: string) => {
    queue.add(key);
    while (!signal.aborted && running.length < workers * queue.lanes) running.push(work());
  };
  const enqueue =
    <Fields extends JsonObject>(source: WatchSource<Fields>) =>
    (object: TypedObject<Fields>) => {
      for (const key of source.keys(object)) add(key);
    };
  const informerOf = <Fields extends JsonObject>(source: WatchSource<Fields>) =>
    startInformer({ resource: source.resource, clock, log, signal, onChange: enqueue(source) });
  const [own, other] = sources;
  const ownInformer = informerOf(own);
  const informers: Copies<Own, Other> = other === undefined ? [ownInformer] : [ownInformer, informerOf(other)];
  const onGap = () => {
    for (const object of ownInformer.all()) enqueue(own)(object);
  };
  const followers = uncachedSources.map((source) =>
    startChangeNotifier({ resource: source.resource, clock, log, signal, onChange: enqueue(source), onGap }),
  );
  const workInput = [...informers, ...followers];
  const synced = Promise.all(workInput.map((input) => input.synced)).then(() => {});
  /** One promise shared by all workers, which may be many. */
  const begin = Promise.race([synced, aborted(signal)]);
  const others = options.otherSources?.(add, signal);

  async function work(): Promise<void> {
    await begin;
    for (;;) {
      const key = await queue.take();
      if (key === undefined) return;
      try {
        const outcome = await reconcile(key, informers, stopping.signal);
        queue.forget(key);
        if (outcome !== undefined) queue.addAfter(key, outcome.requeueAfterMilliseconds);
      } catch (error) {
        if (stopping.signal.aborted) return;
        queue.addAfterFailure(key);
        // A conflict only means that the cached copy was outdated; the next reconcile reads the current state.
        if (!(error instanceof StatusError) || error.code !== 409) {
          log.warn({ controller: name, key, failures: queue.failures(key), error: String(error) }, 'reconcile failed');
        }
      } finally {
        queue.done(key);
      }
    }
  }

  return {
    synced,
    async stop() {
      stopping.abort();
      queue.close();
      await Promise.all(running);
      await Promise.all([others, ...workInput.map((input) => input.done)]);
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
