import { StatusError } from '../../../api/status.ts';
import type { ApiClient } from '../../../client/resource-client.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { HostLocation } from '../../host.ts';
import type { HostCache } from '../observe/host-cache.ts';
import { deleteSyncedPods } from './scale-workloads.ts';

export interface SleepCleanupOptions {
  readonly hostClient: ApiClient;
  readonly cache: Pick<HostCache, 'snapshotOf' | 'locations' | 'listen'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Throws if another process may run the cleanup now. The cleanup calls this function before each deletion. */
  assertCurrent(): void;
}

/**
 * Runs the sleep cleanup in only one of the processes that use a cluster. `start` starts the cleanup in this process
 * and returns a function that stops the cleanup. The function that the runner returns stops the runner.
 */
export type CleanupRunner = (start: (assertCurrent: () => void) => () => Promise<void>) => () => Promise<void>;

const retryDelayMs = 10_000;

/**
 * Deletes the synced pods of virtual clusters whose control plane sleeps. Continues after a restart of the server. The
 * returned function stops the cleanup and resolves after the last deletion has ended.
 */
export function startSleepCleanup(options: SleepCleanupOptions): () => Promise<void> {
  const { hostClient, cache, clock, log } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const inProgress = new Map<string, Promise<void>>();
  const retries = new Map<string, () => void>();

  function check(location: HostLocation): void {
    const { workloads, pods } = cache.snapshotOf(location);
    const key = `${location.namespace}/${location.name}`;
    if (signal.aborted || inProgress.has(key)) return;
    if (!workloads.some(({ isFallingAsleep }) => isFallingAsleep) || pods.length > 0) return;
    inProgress.set(
      key,
      cleanUp(key, location).finally(() => inProgress.delete(key)),
    );
  }

  async function cleanUp(key: string, location: HostLocation): Promise<void> {
    try {
      await deleteSyncedPods(hostClient, location, signal, () => options.assertCurrent());
    } catch (error) {
      if (signal.aborted) return;
      const message = error instanceof StatusError ? error.message : String(error);
      log.warn({ ...location, error: message }, 'could not delete the pods of a sleeping virtual cluster; retrying');
      retries.get(key)?.();
      retries.set(
        key,
        clock.after(retryDelayMs, () => {
          retries.delete(key);
          check(location);
        }),
      );
    }
  }

  const stopListening = cache.listen({
    onChange({ namespace, name }) {
      if (name !== undefined) check({ namespace, name });
    },
    onGap() {
      for (const location of cache.locations()) check(location);
    },
  });
  return async () => {
    stopListening();
    stopping.abort();
    for (const cancel of retries.values()) cancel();
    await Promise.all(inProgress.values());
  };
}
