import type { KubeObject, ObjectMeta } from '../api/meta.ts';
import { StatusError } from '../api/status.ts';
import { type BackoffOptions, backoffDelay } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { wait } from '../lib/wait.ts';
import type { ItemEvent, ListRequest, WatchRequest } from './resource-client.ts';

/** A source of watch events. The items are objects of a kind, or values derived from objects, such as table rows. */
export interface WatchSource<Item> {
  watch(request: WatchRequest): AsyncIterable<ItemEvent<Item>>;
}

export interface ListAndWatchOptions<Item extends { metadata: ObjectMeta } = KubeObject> {
  readonly resource: WatchSource<Item>;
  readonly request?: ListRequest;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Lists the current state and returns the resource version to watch from. Called again if changes may be missing. */
  relist(): Promise<string>;
  apply(object: Item, gone: boolean): void;
  /** Called before a retry. `error` is the reason why the watch failed, `undefined` if the server ended it normally. */
  onInterruption?(error?: unknown): void;
  /** The maximum delay between two attempts, in milliseconds. Optional; defaults to 30 seconds. */
  readonly maxBackoffMs?: number;
  /** Waits before the next attempt, or until the signal fires. Optional; defaults to `wait` with the clock. */
  delay?(milliseconds: number, signal: AbortSignal): Promise<void>;
}

const firstBackoffMs = 100;
const defaultMaxBackoffMs = 30_000;

/**
 * Lists and then watches a kind until the signal fires. Lists again if the watch history has expired (410) or the
 * stream breaks. Never rejects.
 */
export async function listAndWatch<Item extends { metadata: ObjectMeta } = KubeObject>(
  options: ListAndWatchOptions<Item>,
): Promise<void> {
  const { clock, log, signal, maxBackoffMs = defaultMaxBackoffMs } = options;
  const delay = options.delay ?? ((milliseconds) => wait(clock, milliseconds, signal));
  const retry: BackoffOptions = { initialMilliseconds: firstBackoffMs, maxMilliseconds: maxBackoffMs };
  let failures = 0;
  let resourceVersion: string | undefined;
  while (!signal.aborted) {
    try {
      resourceVersion ??= await options.relist();
      const reached = await watchFrom(resourceVersion, options);
      // A watch that ended without any new event counts as a failure. Otherwise a server that ends every watch
      // immediately would be called in a tight loop.
      failures = reached === resourceVersion ? failures + 1 : 0;
      resourceVersion = reached;
      if (!signal.aborted) options.onInterruption?.();
    } catch (error) {
      if (signal.aborted) break;
      failures += 1;
      if (!(error instanceof StatusError) || error.code !== 410) {
        log.warn({ error: String(error), failures }, 'watch failed; listing again');
      }
      resourceVersion = undefined;
      options.onInterruption?.(error);
    }
    if (failures > 0) await delay(backoffDelay(failures, retry), signal);
  }
}

async function watchFrom<Item extends { metadata: ObjectMeta }>(
  from: string,
  { resource, request, signal, apply }: ListAndWatchOptions<Item>,
): Promise<string> {
  let resourceVersion = from;
  for await (const event of resource.watch({ ...request, resourceVersion, signal })) {
    if (event.type === 'BOOKMARK') {
      resourceVersion = event.resourceVersion;
    } else {
      apply(event.object, event.type === 'DELETED');
      resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
    }
  }
  return resourceVersion;
}
