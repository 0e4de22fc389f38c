import type { Host } from '../../hosts/host.ts';
import { withDeadlines } from '../../hosts/with-deadlines.ts';
import type { Clock } from '../../lib/clock.ts';

/** The connected hosts with a timeout on every call, so that a host that hangs does not block a worker forever. */
export class TimelyHosts {
  readonly #hostOf: (cluster: string) => Host | undefined;
  readonly #clock: Clock;
  readonly #wrapped = new WeakMap<Host, Host>();

  constructor(hostOf: (cluster: string) => Host | undefined, clock: Clock) {
    this.#hostOf = hostOf;
    this.#clock = clock;
  }

  of(cluster: string): Host | undefined {
    const host = this.#hostOf(cluster);
    if (host === undefined) return undefined;
    const wrapped = this.#wrapped.get(host) ?? withDeadlines(host, cluster, this.#clock);
    this.#wrapped.set(host, wrapped);
    return wrapped;
  }
}
