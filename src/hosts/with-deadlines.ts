import { serviceUnavailable } from '../api/status.ts';
import type { Clock } from '../lib/clock.ts';
import { within } from '../lib/within.ts';
import type { Host, HostCall } from './host.ts';

/** The timeouts of a host's operations, in milliseconds. */
export interface HostPatience {
  /** For reads. */
  readonly look: number;
  /** For operations that only start something. */
  readonly change: number;
  /** For operations that run to completion; the programs that they run have shorter timeouts of their own. */
  readonly work: number;
}

export const hostPatience: HostPatience = { look: 30_000, change: 60_000, work: 15 * 60_000 };

/**
 * The same host with timeouts: a slower call is a 503, even if the host ignores the signal that aborts it. The API of a
 * virtual cluster (`clusterApi`), logs and `watch` have no timeout.
 */
export function withDeadlines(host: Host, cluster: string, clock: Clock, timeouts: HostPatience = hostPatience): Host {
  function timed<T>(milliseconds: number, { signal }: HostCall, ask: (call: HostCall) => Promise<T>): Promise<T> {
    const late = () =>
      serviceUnavailable(`the cluster ${cluster} did not respond within ${Math.round(milliseconds / 1000)} seconds`);
    const options = { clock, milliseconds, late, ...(signal === undefined ? {} : { signal }) };
    return within(options, (ending) => ask({ signal: ending }));
  }
  return {
    ...(host.boundRoles === undefined ? {} : { boundRoles: host.boundRoles }),
    discover: (call = {}) => timed(timeouts.look, call, (limited) => host.discover(limited)),
    install: (wanted, call = {}) => timed(timeouts.work, call, (limited) => host.install(wanted, limited)),
    observe: (place, call = {}) => timed(timeouts.look, call, (limited) => host.observe(place, limited)),
    remove: (place, of, call = {}) => timed(timeouts.work, call, (limited) => host.remove(place, of, limited)),
    sleep: (place, call = {}) => timed(timeouts.change, call, (limited) => host.sleep(place, limited)),
    wake: (place, call = {}) => timed(timeouts.change, call, (limited) => host.wake(place, limited)),
    follow: (listener, signal) => host.follow(listener, signal),
    reach: (place) => host.reach(place),
    logs: (place, wanted) => host.logs(place, wanted),
  };
}
