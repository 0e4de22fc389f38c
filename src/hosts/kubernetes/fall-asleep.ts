import { StatusError } from '../../api/status.ts';
import type { ApiClient } from '../../client/resource-client.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { HostListener, HostPlace } from '../host.ts';
import type { HostCopies } from './host-copies.ts';
import { endInnerPods } from './scale-workloads.ts';

export interface FallAsleepOptions {
  readonly hostClient: ApiClient;
  readonly copies: HostCopies;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const againMilliseconds = 10_000;

/** Ends what still runs of virtual clusters whose control plane has gone to sleep, also after a restart of the server. */
export function fallAsleep({ hostClient, copies, clock, log, signal }: FallAsleepOptions): HostListener {
  const atWork = new Set<string>();

  function look(place: HostPlace): void {
    const { workloads, pods } = copies.factsOf(place);
    const key = `${place.namespace}/${place.name}`;
    if (!workloads.some(({ isFallingAsleep }) => isFallingAsleep) || pods.length > 0 || atWork.has(key)) return;
    atWork.add(key);
    void endInnerPods(hostClient, place, signal)
      .catch((error: unknown) => {
        if (signal.aborted) return;
        const words = error instanceof StatusError ? error.message : String(error);
        log.warn({ ...place, error: words }, 'the pods of a virtual cluster that sleeps could not be ended');
        const cancel = clock.after(againMilliseconds, () => look(place));
        signal.addEventListener('abort', cancel, { once: true });
      })
      .finally(() => atWork.delete(key));
  }

  return {
    onChange({ namespace, name }) {
      if (name !== undefined) look({ namespace, name });
    },
    onGap() {
      for (const place of copies.places()) look(place);
    },
  };
}
