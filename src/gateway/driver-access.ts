import { serviceUnavailable } from '../api/status.ts';
import type { HostedVirtualCluster, HostListener, HostLocation, InstanceDriver } from '../hosts/host.ts';
import { onAbort } from '../http/request/request-end.ts';
import type { Clock } from '../lib/clock.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import type { AccessStatus, GatewayCluster } from './instance-access.ts';

export interface DriverAccessOptions {
  readonly driver: Pick<InstanceDriver, 'observe' | 'wake' | 'watch'>;
  /** The name of the cluster. */
  readonly cluster: string;
  readonly clock: Clock;
}

const observeTimeoutMs = 5_000;

/** Reads the state of instances from their host, and wakes them. */
export function driverAccess({ driver, cluster, clock }: DriverAccessOptions): Pick<
  GatewayCluster,
  'statusAt' | 'wake' | 'whenUsable'
> & {
  statusAt(location: HostLocation): Promise<AccessStatus | undefined>;
} {
  const timeoutError = () => serviceUnavailable(`the cluster ${JSON.stringify(cluster)} did not respond in time`, 1);
  const timeout = { clock, milliseconds: observeTimeoutMs, timeoutError };
  return {
    /** Waits a short time if the cache of the host is not synced yet. */
    async statusAt(location) {
      const found = await withTimeout(timeout, (signal) => driver.observe(location, { signal }));
      return found && { uid: found.uid, owner: found.owner, access: accessOf(found) };
    },
    wake: (location, signal) => driver.wake(location, { signal }),
    whenUsable: (location, signal) => waitUntilUsable(driver, location, signal),
  };
}

function accessOf({ phase }: HostedVirtualCluster): AccessStatus['access'] {
  if (phase === 'Sleeping') return 'asleep';
  return phase === 'Removing' ? 'closing' : phase === 'Pending' ? 'opening' : 'open';
}

/** Resolves when the instance is ready or has failed. Checks the state of the instance again after each change. */
async function waitUntilUsable(
  driver: DriverAccessOptions['driver'],
  location: HostLocation,
  signal: AbortSignal,
): Promise<void> {
  const done = new AbortController();
  await new Promise<void>((resolve, reject) => {
    const unfollow = onAbort(signal, reject);
    const check = () => {
      driver.observe(location, { signal }).then((found) => {
        // A failed instance ends the wait too: requests to it return an error with the cause.
        if (found?.phase === 'Ready' || found?.phase === 'Failed') resolve();
      }, reject);
    };
    void driver.watch(changesOf(location, check), done.signal).finally(unfollow);
  }).finally(() => done.abort());
}

/** Returns a listener for the changes of one instance. */
function changesOf(location: HostLocation, onChange: () => void): HostListener {
  return {
    onChange({ namespace, name = location.name }) {
      if (namespace === location.namespace && name === location.name) onChange();
    },
    onGap: onChange,
  };
}
