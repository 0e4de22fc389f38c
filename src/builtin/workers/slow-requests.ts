import { tooManyRequests } from '../../api/status.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Clock } from '../../lib/clock.ts';

/** A request that its worker has not answered after this time is slow. */
const slowAfterMs = 250;
/** The maximum number of slow requests of one plane. Beyond it, further requests to the plane get 429. */
const maxSlow = 400;

/**
 * Releases the in-flight slots of requests that wait for a slow or stuck worker. Otherwise requests to one virtual cluster
 * could hold all slots of the server, and requests to others would have to wait for its worker too.
 */
export class SlowRequests {
  readonly #clock: Clock;
  readonly #slowByPlane = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins a request. Throws 429 if too many requests wait for the plane. Returns a function that ends the request. */
  begin(planeId: string, { inFlightSlot }: Pick<Exchange, 'inFlightSlot'>): () => void {
    if ((this.#slowByPlane.get(planeId) ?? 0) >= maxSlow)
      throw tooManyRequests('Too many requests are waiting for this cluster, please try again later.', 1);
    let isSlow = false;
    const cancel = this.#clock.after(slowAfterMs, () => {
      isSlow = true;
      this.#add(planeId, 1);
      inFlightSlot?.release();
    });
    return () => {
      if (isSlow) this.#add(planeId, -1);
      else cancel();
    };
  }

  #add(planeId: string, change: 1 | -1): void {
    const count = (this.#slowByPlane.get(planeId) ?? 0) + change;
    if (count === 0) this.#slowByPlane.delete(planeId);
    else this.#slowByPlane.set(planeId, count);
  }
}
