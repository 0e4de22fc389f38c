import type { KubeObject } from '../api/meta.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { followChanges } from './follow-changes.ts';
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

  async function begin(): Promise<string> {
    // A list says where the kind stands, however little of it is asked for.
    const { resourceVersion } = await resource.list({ limit: 1, signal });
    onGap();
    markSynced();
    return resourceVersion;
  }

  return { synced, done: followChanges({ resource, clock, log, signal, begin, take: onChange }) };
}
