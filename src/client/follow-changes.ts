import type { KubeObject } from '../api/meta.ts';
import { StatusError } from '../api/status.ts';
import { type BackoffOptions, backoffDelay } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { wait } from '../lib/wait.ts';
import type { ListRequest, ResourceClient } from './resource-client.ts';

export interface FollowChangesOptions {
  readonly resource: ResourceClient;
  readonly request?: ListRequest;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Learns how things stand; the answer is the resource version to follow from. Called anew after every gap. */
  begin(): Promise<string>;
  take(object: KubeObject, gone: boolean): void;
}

const retry: BackoffOptions = { firstMilliseconds: 100, longestMilliseconds: 30_000 };

/**
 * Follows a kind until the signal fires. When the server says that the past is gone (410) or the stream breaks, it
 * begins anew. Never rejects.
 */
export async function followChanges(options: FollowChangesOptions): Promise<void> {
  const { clock, log, signal } = options;
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
    } catch (error) {
      if (signal.aborted) break;
      failures += 1;
      if (!(error instanceof StatusError) || error.code !== 410) {
        log.warn({ error: String(error), failures }, 'the changes of a kind are followed anew');
      }
      resourceVersion = undefined;
    }
    if (failures > 0) await wait(clock, backoffDelay(failures, retry), signal);
  }
}

async function watchFrom(from: string, { resource, request, signal, take }: FollowChangesOptions): Promise<string> {
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
