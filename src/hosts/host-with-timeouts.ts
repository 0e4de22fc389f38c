import { serviceUnavailable } from '../api/status.ts';
import type { Clock } from '../lib/clock.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import type { Host, HostCallOptions, InstanceDriver } from './host.ts';

/** The timeouts of a host's operations, in milliseconds. */
export interface HostTimeouts {
  /** The timeout of operations that only read: `discover`, `observe` and `sleepDataLoss`. */
  readonly read: number;
  /**
   * The timeout of operations that only start a change and do not wait for the end of the change: `sleep` and `wake`.
   */
  readonly change: number;
  /** The timeout of operations that run helm: `install` and `remove`. Each helm process has its own, shorter timeout. */
  readonly run: number;
}

export const defaultHostTimeouts: HostTimeouts = { read: 30_000, change: 60_000, run: 15 * 60_000 };

/**
 * Wraps a host driver. The functions of the result fail with 503 after a timeout, even if the driver ignores the abort
 * signal. `watch`, `logs` and the API of a virtual cluster (`clusterApi`) have no timeout.
 */
export function hostWithTimeouts(
  host: Host,
  cluster: string,
  clock: Clock,
  timeouts: HostTimeouts = defaultHostTimeouts,
): Host {
  const timed = timedCalls(cluster, clock);
  return {
    ...(host.preboundRoles === undefined ? {} : { preboundRoles: host.preboundRoles }),
    ...driverWithTimeouts(host, timed, timeouts),
    spaces: driverWithTimeouts(host.spaces, timed, timeouts),
    discover: (call = {}) => timed(timeouts.read, call, (limited) => host.discover(limited)),
    clusterApi: (location) => host.clusterApi(location),
    logs: (location, request) => host.logs(location, request),
  };
}

type TimedCalls = ReturnType<typeof timedCalls>;

function timedCalls(cluster: string, clock: Clock) {
  return function timed<T>(
    milliseconds: number,
    { signal }: HostCallOptions,
    operation: (call: HostCallOptions) => Promise<T>,
  ): Promise<T> {
    const timeoutError = () =>
      serviceUnavailable(`the cluster ${cluster} did not respond within ${Math.round(milliseconds / 1000)} seconds`);
    const options = { clock, milliseconds, timeoutError, ...(signal === undefined ? {} : { signal }) };
    return withTimeout(options, (ending) => operation({ signal: ending }));
  };
}

function driverWithTimeouts(driver: InstanceDriver, timed: TimedCalls, timeouts: HostTimeouts): InstanceDriver {
  const sleepDataLoss = driver.sleepDataLoss?.bind(driver);
  return {
    ...(driver.isolatesNamespaces === undefined ? {} : { isolatesNamespaces: driver.isolatesNamespaces }),
    install: (request, call = {}) => timed(timeouts.run, call, (limited) => driver.install(request, limited)),
    observe: (location, call = {}) => timed(timeouts.read, call, (limited) => driver.observe(location, limited)),
    remove: (location, of, call = {}) => timed(timeouts.run, call, (limited) => driver.remove(location, of, limited)),
    sleep: (location, call = {}) =>
      timed(timeouts.change, call, (limited) => driver.sleep(location, { ...call, ...limited })),
    ...(sleepDataLoss === undefined
      ? {}
      : {
          sleepDataLoss: (location, call = {}) =>
            timed(timeouts.read, call, (limited) => sleepDataLoss(location, limited)),
        }),
    wake: (location, call = {}) => timed(timeouts.change, call, (limited) => driver.wake(location, limited)),
    watch: (listener, signal) => driver.watch(listener, signal),
  };
}
