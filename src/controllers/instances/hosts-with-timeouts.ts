import type { Host } from '../../hosts/host.ts';
import { hostWithTimeouts } from '../../hosts/host-with-timeouts.ts';
import type { Clock } from '../../lib/clock.ts';

/**
 * Wraps the connected hosts so that every call has a timeout. Otherwise, a host that does not respond could block a
 * worker forever.
 */
export class HostsWithTimeouts {
  readonly #hostOf: (cluster: string) => Host | undefined;
  readonly #clock: Clock;
  readonly #wrapped = new WeakMap<Host, Host>();

  constructor(hostOf: (cluster: string) => Host | undefined, clock: Clock) {
    this.#hostOf = hostOf;
    this.#clock = clock;
  }

  get(cluster: string): Host | undefined {
    const host = this.#hostOf(cluster);
    if (host === undefined) return undefined;
    const wrapped = this.#wrapped.get(host) ?? hostWithTimeouts(host, cluster, this.#clock);
    this.#wrapped.set(host, wrapped);
    return wrapped;
  }
}
