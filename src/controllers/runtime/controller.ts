import { setMaxListeners } from 'node:events';
import type { JsonObject } from '@flotilla/json';
import type { AnyFields, TypedObject } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import { startChangeNotifier } from '../../client/change-notifier.ts';
import { type Informer, startInformer } from '../../client/informer.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { ControllerObserver } from './controller-observer.ts';
import type { KeyGroups } from './waiting-keys.ts';
import { type LaneOptions, WorkQueue } from './work-queue.ts';
import type { WorkShare } from './work-share.ts';

/**
 * The result of a reconcile: `undefined` if the work is done, or the time after which the key is reconciled again. If a
 * reconcile throws, the key is retried with exponential backoff.
 */
export type ReconcileResult = undefined | { readonly requeueAfterMilliseconds: number };

export interface WatchSource<Fields extends JsonObject = AnyFields> {
  readonly resource: ResourceClient<Fields>;
  /** Returns the keys to reconcile after a change to this object. */
  keys(object: TypedObject<Fields>): readonly string[];
}

export interface ControllerOptions<Own extends JsonObject, Other extends JsonObject> {
  readonly name: string;
  /** The kinds that an informer caches. The first source is for the controller's own kind. */
  readonly sources: readonly [WatchSource<Own>] | readonly [WatchSource<Own>, WatchSource<Other>];
  /**
   * The kinds that are watched without a cache. If one of these watches has missed changes, every object of the
   * controller's own kind is reconciled.
   */
  readonly uncachedSources?: readonly WatchSource[];
  /**
   * Adds keys for events that are not about API objects. Called once at the start; runs until the signal fires. Must
   * not reject.
   */
  otherSources?(add: (key: string) => void, signal: AbortSignal): Promise<void>;
  /** Maximum number of concurrent reconciles; with `laneOf`, the maximum per lane. Optional; defaults to 2. */
  readonly workers?: number;
  /**
   * Returns the lane of a key. A lane is a group of keys with its own limit of workers. Keys that wait for different
   * hosts belong in different lanes, so that a slow host delays only its own keys.
   */
  laneOf?(key: string): string;
  /** Divides the workers of each lane between groups of keys. Only with `laneOf`. Optional; defaults to one group. */
  readonly groups?: KeyGroups;
  /** The keys that this process reconciles, if several processes divide them. Optional; defaults to all keys. */
  readonly share?: WorkShare | undefined;
  /** Observes the work, for metrics and traces. Optional. */
  readonly observer?: ControllerObserver | undefined;
  /** Called for a key that another process reconciles. Such a key is not queued. Optional. */
  onForeignKey?(key: string, informers: Informers<Own, Other>): void;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Brings the actual state one step closer to the spec of the object. The argument is the key of the object, not an
   * event. The function reads the current state and does at most one write. The controller may call it at any time, any
   * number of times.
   */
  reconcile(key: string, informers: Informers<Own, Other>, signal: AbortSignal): Promise<ReconcileResult>;
}

/** The informers of `ControllerOptions.sources`, in the same order. */
type Informers<Own extends JsonObject, Other extends JsonObject> =
  | readonly [Informer<Own>]
  | readonly [Informer<Own>, Informer<Other>];

export interface RunningController {
  readonly synced: Promise<void>;
  /** Stops all work. Resolves when the last reconcile has returned. */
  stop(): Promise<void>;
}

/**
 * Starts a controller. Informers and watches fill a queue of keys, and workers reconcile the keys. Two workers never
 * reconcile the same key at the same time.
 */
export function startController<Own extends JsonObject, Other extends JsonObject = never>(
  options: ControllerOptions<Own, Other>,
): RunningController {
  const { name, sources, uncachedSources = [], workers = 2, laneOf, groups } = options;
  const { share, observer, clock, log, reconcile } = options;
  const stopping = new AbortController();
  // Every worker adds listeners to this signal, so Node.js must not warn about many listeners.
  setMaxListeners(0, stopping.signal);
  const lanes: LaneOptions | undefined = laneOf && { laneOf: laneOf, concurrency: workers, groups };
  const queue = new WorkQueue(clock, {
    ...(lanes === undefined ? {} : { lanes }),
    ...(share === undefined ? {} : { owns: (key) => share.owns(key) }),
  });
  const { signal } = stopping;
  const running: Promise<void>[] = [];
  const add = (key: string) => {
    if (share?.owns(key) === false) options.onForeignKey?.(key, informers);
    else queue.add(key);
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
  const informers: Informers<Own, Other> = other === undefined ? [ownInformer] : [ownInformer, informerOf(other)];
  const onGap = () => {
    for (const object of ownInformer.all()) enqueue(own)(object);
  };
  const followers = uncachedSources.map((source) =>
    startChangeNotifier({ resource: source.resource, clock, log, signal, onChange: enqueue(source), onGap }),
  );
  const workInput = [...informers, ...followers];
  const synced = Promise.all(workInput.map((input) => input.synced)).then(() => {});
  /**
   * Resolves when all sources are synced or the controller is stopped. All workers share this promise, because there
   * may be many workers.
   */
  const begin = Promise.race([synced, aborted(signal)]);
  const others = options.otherSources?.(add, signal);
  const stopObserving = observer?.started(name, () => queue.depth);
  const stopSharing = share && [share.onGained(onGap), share.register((matches) => queue.isRunning(matches))];

  async function work(): Promise<void> {
    await begin;
    for (;;) {
      const key = await queue.take();
      if (key === undefined) return;
      const reconciled = observer?.reconciling(name);
      try {
        const outcome = await reconcile(key, informers, stopping.signal);
        reconciled?.(false);
        queue.forget(key);
        if (outcome !== undefined) queue.addAfter(key, outcome.requeueAfterMilliseconds);
      } catch (error) {
        reconciled?.(true);
        if (stopping.signal.aborted) return;
        queue.addAfterFailure(key);
        logFailure(error, { controller: name, key, failures: queue.failures(key) }, log);
      } finally {
        queue.done(key);
      }
    }
  }

  return {
    synced,
    async stop() {
      for (const stop of stopSharing ?? []) stop();
      stopObserving?.();
      stopping.abort();
      queue.close();
      await Promise.all(running);
      await Promise.all([others, ...workInput.map((input) => input.done)]);
    },
  };
}

/** Logs the reason why a key could not be reconciled. */
function logFailure(
  error: unknown,
  reconcile: { readonly controller: string; readonly key: string; readonly failures: number },
  log: Log,
): void {
  // A conflict means that the cached object was outdated. The next reconcile reads the current object, so do not log
  // the error.
  if (error instanceof StatusError && error.code === 409) return;
  log.warn({ ...reconcile, error: String(error) }, 'reconcile failed');
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
