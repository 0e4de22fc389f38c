import type { KubeObject, ObjectMeta } from '../api/meta.ts';
import { StatusError } from '../api/status.ts';
import { type BackoffOptions, backoffDelay } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { wait } from '../lib/wait.ts';
import type { ItemEvent, ListRequest, WatchRequest } from './resource-client.ts';

/** What is followed: objects of a kind, or something made of them, like the rows of a table. */
export interface Followed<Item> {
  watch(request: WatchRequest): AsyncIterable<ItemEvent<Item>>;
}

export interface FollowChangesOptions<Item extends { metadata: ObjectMeta } = KubeObject> {
  readonly resource: Followed<Item>;
  readonly request?: ListRequest;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Learns how things stand; the answer is the resource version to follow from. Called anew after every gap. */
  begin(): Promise<string>;
  take(object: Item, gone: boolean): void;
  /** Called when a stream has ended or failed, before it is tried again. `error`: absent where it merely ended. */
  onInterruption?(error?: unknown): void;
  /** Between tries, at most. Absent: half a minute. */
  readonly longestPause?: number;
}

const firstPause = 100;
const usualLongestPause = 30_000;

/**
 * Follows a kind until the signal fires. When the server says that the past is gone (410) or the stream breaks, it
 * begins anew. Never rejects.
 */
export async function followChanges<Item extends { metadata: ObjectMeta } = KubeObject>(
  options: FollowChangesOptions<Item>,
): Promise<void> {
  const { clock, log, signal, longestPause = usualLongestPause } = options;
  const retry: BackoffOptions = { firstMilliseconds: firstPause, longestMilliseconds: longestPause };
  let failures = 0;
  let resourceVersion: string | undefined;
  while (!signal.aborted) {
    try {
      resourceVersion ??= await options.begin();
      const reached = await watchFrom(resourceVersion, options);
      // A stream that ends without having moved is tried again after a pause, so that a server that ends every
      // watch at once is not asked in a tight loop.
      failures = reached === resourceVersion ? failures + 1 : 0;
      resourceVersion = reached;
      if (!signal.aborted) options.onInterruption?.();
    } catch (error) {
      if (signal.aborted) break;
      failures += 1;
      if (!(error instanceof StatusError) || error.code !== 410) {
        log.warn({ error: String(error), failures }, 'the changes of a kind are followed anew');
      }
      resourceVersion = undefined;
      options.onInterruption?.(error);
    }
    if (failures > 0) await wait(clock, backoffDelay(failures, retry), signal);
  }
}

async function watchFrom<Item extends { metadata: ObjectMeta }>(
  from: string,
  { resource, request, signal, take }: FollowChangesOptions<Item>,
): Promise<string> {
  let resourceVersion = from;
  for await (const event of resource.watch({ ...request, resourceVersion, signal })) {
    if (event.type === 'BOOKMARK') {
      resourceVersion = event.resourceVersion;
    } else {
      take(event.object, event.type === 'DELETED');
      resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
    }
  }
  return resourceVersion;
}
