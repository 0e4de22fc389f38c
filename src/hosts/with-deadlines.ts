import { serviceUnavailable } from '../api/status.ts';
import type { Clock } from '../lib/clock.ts';
import { within } from '../lib/within.ts';
import type { Host, HostCall } from './host.ts';

/** How long a host may take for each thing it is asked, in milliseconds. */
export interface HostPatience {
  /** What it knows or can look up. */
  readonly look: number;
  /** What it only has to begin. */
  readonly change: number;
  /** What it does from beginning to end: programs that it runs have ends of their own, which come before this one. */
  readonly work: number;
}

export const hostPatience: HostPatience = { look: 30_000, change: 60_000, work: 15 * 60_000 };

/**
 * The same host to whoever does not wait for ever: what takes longer is a 503, whether or not the host heeds the signal
 * that ends it. The way into a virtual cluster (`reach`), logs and what is followed last as long as whoever asked wants.
 */
export function withDeadlines(host: Host, cluster: string, clock: Clock, patience: HostPatience = hostPatience): Host {
  function timed<T>(milliseconds: number, { signal }: HostCall, ask: (call: HostCall) => Promise<T>): Promise<T> {
    const late = () =>
      serviceUnavailable(`the cluster ${cluster} did not answer within ${Math.round(milliseconds / 1000)} seconds`);
    const options = { clock, milliseconds, late, ...(signal === undefined ? {} : { signal }) };
    return within(options, (ending) => ask({ signal: ending }));
  }
  return {
    ...(host.boundRoles === undefined ? {} : { boundRoles: host.boundRoles }),
    discover: (call = {}) => timed(patience.look, call, (timely) => host.discover(timely)),
    install: (wanted, call = {}) => timed(patience.work, call, (timely) => host.install(wanted, timely)),
    observe: (place, call = {}) => timed(patience.look, call, (timely) => host.observe(place, timely)),
    remove: (place, of, call = {}) => timed(patience.work, call, (timely) => host.remove(place, of, timely)),
    sleep: (place, call = {}) => timed(patience.change, call, (timely) => host.sleep(place, timely)),
    wake: (place, call = {}) => timed(patience.change, call, (timely) => host.wake(place, timely)),
    follow: (listener, signal) => host.follow(listener, signal),
    reach: (place) => host.reach(place),
    logs: (place, wanted) => host.logs(place, wanted),
  };
}
