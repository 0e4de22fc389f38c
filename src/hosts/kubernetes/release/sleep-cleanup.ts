import { StatusError } from '../../../api/status.ts';
import type { ApiClient } from '../../../client/resource-client.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { HostListener, HostLocation } from '../../host.ts';
import type { HostCache } from '../observe/host-cache.ts';
import { deleteSyncedPods } from './scale-workloads.ts';

export interface SleepCleanupOptions {
  readonly hostClient: ApiClient;
  readonly cache: HostCache;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const retryDelayMs = 10_000;

/**
 * Returns a listener that deletes the synced pods of virtual clusters whose control plane sleeps. It continues after a
 * restart of the server.
 */
export function createSleepCleanup({ hostClient, cache, clock, log, signal }: SleepCleanupOptions): HostListener {
  const inProgress = new Set<string>();

  function check(location: HostLocation): void {
    const { workloads, pods } = cache.snapshotOf(location);
    const key = `${location.namespace}/${location.name}`;
    if (!workloads.some(({ isFallingAsleep }) => isFallingAsleep) || pods.length > 0 || inProgress.has(key)) return;
    inProgress.add(key);
    void deleteSyncedPods(hostClient, location, signal)
      .catch((error: unknown) => {
        if (signal.aborted) return;
        const message = error instanceof StatusError ? error.message : String(error);
        log.warn({ ...location, error: message }, 'could not delete the pods of a sleeping virtual cluster; retrying');
        const cancel = clock.after(retryDelayMs, () => check(location));
        signal.addEventListener('abort', cancel, { once: true });
      })
      .finally(() => inProgress.delete(key));
  }

  return {
    onChange({ namespace, name }) {
      if (name !== undefined) check({ namespace, name });
    },
    onGap() {
      for (const location of cache.locations()) check(location);
    },
  };
}
