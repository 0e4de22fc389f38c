import type { KubeObject } from '../api/meta.ts';
import { StatusError } from '../api/status.ts';
import { type BackoffOptions, backoffDelay } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { wait } from '../lib/wait.ts';
import type { ResourceClient } from './resource-client.ts';

export interface FollowerOptions {
  readonly resource: ResourceClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called for every object that came, changed or went. Must not throw. */
  onChange(object: KubeObject): void;
  /** What happened until now is not told: everything may have changed. Called first of all, too. Must not throw. */
  onGap(): void;
}

export interface Follower {
  /** Resolves when it follows for the first time. */
  readonly synced: Promise<void>;
  /** Settles when the signal has fired and nothing runs any more. */
  readonly done: Promise<void>;
}

const retry: BackoffOptions = { firstMilliseconds: 100, longestMilliseconds: 30_000 };

/**
 * Tells of the changes of a kind and keeps no copy of it: for kinds of which there are very many, where only what
 * changes is of interest.
 */
export function startFollower(options: FollowerOptions): Follower {
  const { resource, clock, log, signal, onChange, onGap } = options;
  let markSynced: () => void = () => {};
  const synced = new Promise<void>((resolve) => {
    markSynced = resolve;
  });

  async function follow(from: string): Promise<string> {
    let resourceVersion = from;
    for await (const event of resource.watch({ resourceVersion, signal })) {
      if (event.type === 'BOOKMARK') {
        resourceVersion = event.resourceVersion;
      } else {
        onChange(event.object);
        resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
      }
    }
    return resourceVersion;
  }

  async function run(): Promise<void> {
    let failures = 0;
    let resourceVersion: string | undefined;
    while (!signal.aborted) {
      try {
        if (resourceVersion === undefined) {
          // A list says where the kind stands, however little of it is asked for.
          resourceVersion = (await resource.list({ limit: 1, signal })).resourceVersion;
          onGap();
          markSynced();
        }
        const reached = await follow(resourceVersion);
        // A stream that ends without having moved is tried again after a pause, as a server may end every watch at once.
        failures = reached === resourceVersion ? failures + 1 : 0;
        resourceVersion = reached;
      } catch (error) {
        if (signal.aborted) break;
        failures += 1;
        if (!(error instanceof StatusError) || error.code !== 410) {
          log.warn({ error: String(error), failures }, 'follower begins again');
        }
        resourceVersion = undefined;
      }
      if (failures > 0) await wait(clock, backoffDelay(failures, retry), signal);
    }
  }

  return { synced, done: run() };
}
