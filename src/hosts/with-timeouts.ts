import { serviceUnavailable } from '../api/status.ts';
import type { Clock } from '../lib/clock.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import type { Host, HostCallOptions } from './host.ts';

/** The timeouts of a host's operations, in milliseconds. */
export interface HostTimeouts {
  /** The timeout of reads. */
  readonly read: number;
  /** The timeout of operations that only start something. */
  readonly change: number;
  /** The timeout of operations that run to completion. The programs that they run have shorter timeouts. */
  readonly run: number;
}

export const hostTimeouts: HostTimeouts = { read: 30_000, change: 60_000, run: 15 * 60_000 };

/**
 * The same host with timeouts: a slower call is a 503, even if the host ignores the signal that aborts it. The API of a
 * virtual cluster (`clusterApi`), logs and `watch` have no timeout.
 */
export function withTimeouts(host: Host, cluster: string, clock: Clock, timeouts: HostTimeouts = hostTimeouts): Host {
  function timed<T>(
    milliseconds: number,
    { signal }: HostCallOptions,
    ask: (call: HostCallOptions) => Promise<T>,
  ): Promise<T> {
    const timeoutError = () =>
      serviceUnavailable(`the cluster ${cluster} did not respond within ${Math.round(milliseconds / 1000)} seconds`);
    const options = { clock, milliseconds, timeoutError, ...(signal === undefined ? {} : { signal }) };
    return withTimeout(options, (ending) => ask({ signal: ending }));
  }
  return {
    ...(host.preboundRoles === undefined ? {} : { preboundRoles: host.preboundRoles }),
    discover: (call = {}) => timed(timeouts.read, call, (limited) => host.discover(limited)),
    install: (wanted, call = {}) => timed(timeouts.run, call, (limited) => host.install(wanted, limited)),
    observe: (place, call = {}) => timed(timeouts.read, call, (limited) => host.observe(place, limited)),
    remove: (place, of, call = {}) => timed(timeouts.run, call, (limited) => host.remove(place, of, limited)),
    sleep: (place, call = {}) => timed(timeouts.change, call, (limited) => host.sleep(place, limited)),
    wake: (place, call = {}) => timed(timeouts.change, call, (limited) => host.wake(place, limited)),
    watch: (listener, signal) => host.watch(listener, signal),
    clusterApi: (place) => host.clusterApi(place),
    logs: (place, wanted) => host.logs(place, wanted),
  };
}
