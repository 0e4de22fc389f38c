import { setMaxListeners } from 'node:events';
import type { KubeObject } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import { startFollower } from '../../client/follower.ts';
import { type Informer, startInformer } from '../../client/informer.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type Lanes, WorkQueue } from './work-queue.ts';

/** What a reconcile asks for: nothing more, or to be called again after a time. Throwing means: again, later and later. */
export type Outcome = undefined | { readonly againAfterMilliseconds: number };

export interface Source {
  readonly resource: ResourceClient;
  /** The keys that a change of this object concerns. */
  keys(object: KubeObject): readonly string[];
}

export interface ControllerOptions {
  readonly name: string;
  /** The first one is the controller's own kind; its copy is handed to `reconcile`. */
  readonly sources: readonly [Source, ...Source[]];
  /** Their changes bring keys too, but no copies; after a gap every object of the controller's own kind is looked at. */
  readonly followed?: readonly Source[];
  /** Whatever else brings keys: called once, and lasts until the signal fires. Never rejects. */
  others?(add: (key: string) => void, signal: AbortSignal): Promise<void>;
  /** How many keys are worked on at the same time; with lanes, that many of each. */
  readonly workers?: number;
  /** Keys that must not hold up each other (because they wait for different machines) are in different lanes. */
  laneOf?(key: string): string;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Brings the world one step nearer to what the object asks for. Gets the key, never an event: it reads what is
   * true now, does at most one write, and may be called at any time, any number of times.
   */
  reconcile(key: string, copies: readonly Informer[], signal: AbortSignal): Promise<Outcome>;
}

export interface RunningController {
  readonly synced: Promise<void>;
  /** Ends all work; settles when the last reconcile has come back. */
  stop(): Promise<void>;
}

/** Informers and followers fill a queue of keys, workers empty it. One key runs once at a time. */
export function startController(options: ControllerOptions): RunningController {
  const { name, sources, followed = [], workers = 2, laneOf, clock, log, reconcile } = options;
  const stopping = new AbortController();
  // Whatever every worker waits for listens to this one.
  setMaxListeners(0, stopping.signal);
  const lanes: Lanes | undefined = laneOf && { of: laneOf, atATime: workers };
  const queue = new WorkQueue(clock, lanes === undefined ? {} : { lanes });
  const { signal } = stopping;
  const running: Promise<void>[] = [];
  const add = (key: string) => {
    queue.add(key);
    while (!signal.aborted && running.length < workers * queue.lanes) running.push(work());
  };
  const enqueue = (source: Source) => (object: KubeObject) => {
    for (const key of source.keys(object)) add(key);
  };
  const informers = sources.map((source) =>
    startInformer({ resource: source.resource, clock, log, signal, onChange: enqueue(source) }),
  );
  const [own] = sources;
  const onGap = () => {
    for (const object of informers[0]?.all() ?? []) enqueue(own)(object);
  };
  const followers = followed.map((source) =>
    startFollower({ resource: source.resource, clock, log, signal, onChange: enqueue(source), onGap }),
  );
  const workInput = [...informers, ...followers];
  const synced = Promise.all(workInput.map((input) => input.synced)).then(() => {});
  /** One for all workers, which may be many. */
  const begin = Promise.race([synced, aborted(signal)]);
  const others = options.others?.(add, signal);

  async function work(): Promise<void> {
    await begin;
    for (;;) {
      const key = await queue.take();
      if (key === undefined) return;
      try {
        const outcome = await reconcile(key, informers, stopping.signal);
        queue.forget(key);
        if (outcome !== undefined) queue.addAfter(key, outcome.againAfterMilliseconds);
      } catch (error) {
        if (stopping.signal.aborted) return;
        queue.addAfterFailure(key);
        // A conflict only says that the copy was behind; the next look sees what is true.
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
