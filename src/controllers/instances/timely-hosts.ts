import type { Host } from '../../hosts/host.ts';
import { withDeadlines } from '../../hosts/with-deadlines.ts';
import type { Clock } from '../../lib/clock.ts';

/** The connected hosts, to whom does not wait for ever: a host that hangs must give back the worker that asks it. */
export class TimelyHosts {
  readonly #hostOf: (cluster: string) => Host | undefined;
  readonly #clock: Clock;
  readonly #known = new WeakMap<Host, Host>();

  constructor(hostOf: (cluster: string) => Host | undefined, clock: Clock) {
    this.#hostOf = hostOf;
    this.#clock = clock;
  }

  of(cluster: string): Host | undefined {
    const host = this.#hostOf(cluster);
    if (host === undefined) return undefined;
    const timely = this.#known.get(host) ?? withDeadlines(host, cluster, this.#clock);
    this.#known.set(host, timely);
    return timely;
  }
}
