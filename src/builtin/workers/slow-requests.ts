import { tooManyRequests } from '../../api/status.ts';
import type { Exchange } from '../../http/exchange.ts';
import { flowKeyOf } from '../../http/session/caller.ts';
import type { Clock } from '../../lib/clock.ts';

/** A request that its plane has not answered after this time is slow. */
const slowAfterMs = 250;
/**
 * The maximum numbers of slow requests: `maxSlow` for each plane, and `maxSlowPerCaller` for each caller in a plane. If
 * one of them is reached, further requests get 429.
 */
const maxSlow = 400;
const maxSlowPerCaller = maxSlow / 2;

/**
 * A request that waits for its plane. `identity` is absent until the request is authenticated, and `inFlightSlot` is
 * absent until the request is admitted.
 */
export type SlowRequest = Pick<Exchange, 'inFlightSlot' | 'identity'>;

/**
 * Releases the in-flight slots of requests that wait for a slow or stuck worker, or for a webhook of the tenant.
 * Otherwise, requests to one virtual cluster could occupy all slots of the server and block requests to other virtual
 * clusters.
 */
export class SlowRequests {
  readonly #clock: Clock;
  /** The number of slow requests by plane, and by plane and caller. */
  readonly #slow = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins a request. Throws 429 if too many requests wait for the plane. Returns a function that ends the request. */
  begin(planeId: string, { inFlightSlot, identity }: SlowRequest): () => void {
    const caller = `${planeId} ${identity === undefined ? '' : flowKeyOf(identity)}`;
    if (this.#countOf(planeId) >= maxSlow || this.#countOf(caller) >= maxSlowPerCaller)
      throw tooManyRequests('Too many requests are waiting for this cluster, please try again later.', 1);
    let isSlow = false;
    const check = () => {
      if (!isSlow) {
        isSlow = true;
        this.#add(planeId, 1);
        this.#add(caller, 1);
      }
      inFlightSlot?.release();
      // Check repeatedly: a request acquires another slot after its body has arrived, and the body may arrive after the
      // first check.
      cancel = this.#clock.after(slowAfterMs, check);
    };
    let cancel = this.#clock.after(slowAfterMs, check);
    return () => {
      cancel();
      if (!isSlow) return;
      this.#add(planeId, -1);
      this.#add(caller, -1);
    };
  }

  #countOf(key: string): number {
    return this.#slow.get(key) ?? 0;
  }

  #add(key: string, change: 1 | -1): void {
    const count = this.#countOf(key) + change;
    if (count === 0) this.#slow.delete(key);
    else this.#slow.set(key, count);
  }
}
