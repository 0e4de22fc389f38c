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

/** Deletes the synced pods of virtual clusters whose control plane sleeps, also after a restart of the server. */
export function createSleepCleanup({ hostClient, cache, clock, log, signal }: SleepCleanupOptions): HostListener {
  const inProgress = new Set<string>();

  function check(place: HostLocation): void {
    const { workloads, pods } = cache.snapshotOf(place);
    const key = `${place.namespace}/${place.name}`;
    if (!workloads.some(({ isFallingAsleep }) => isFallingAsleep) || pods.length > 0 || inProgress.has(key)) return;
    inProgress.add(key);
    void deleteSyncedPods(hostClient, place, signal)
      .catch((error: unknown) => {
        if (signal.aborted) return;
        const message = error instanceof StatusError ? error.message : String(error);
        log.warn({ ...place, error: message }, 'could not delete the pods of a sleeping virtual cluster; retrying');
        const cancel = clock.after(retryDelayMs, () => check(place));
        signal.addEventListener('abort', cancel, { once: true });
      })
      .finally(() => inProgress.delete(key));
  }

  return {
    onChange({ namespace, name }) {
      if (name !== undefined) check({ namespace, name });
    },
    onGap() {
      for (const place of cache.locations()) check(place);
    },
  };
}
