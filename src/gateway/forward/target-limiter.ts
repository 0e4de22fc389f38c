import { randomUUID } from 'node:crypto';
import { tooManyRequests } from '../../api/status.ts';

/**
 * Maximum number of requests that wait for one cluster, equal to this server's in-flight limit. One caller may use half
 * of this number, so that other callers can reach the cluster too.
 */
const maxWaiting = 400;
const maxPerCaller = maxWaiting / 2;

/**
 * Limits the requests that wait for a response of one cluster. These requests do not count toward this server's
 * in-flight limit, so a cluster that does not respond blocks only its own requests.
 */
export class TargetLimiter {
  /**
   * This server's name in the `Via` header of forwarded requests. A request that arrives with this name in the header
   * has been in a loop.
   */
  readonly via: string;
  readonly #waiting = new Map<string, number>();
  #total = 0;

  constructor(via: string) {
    this.via = via;
  }

  /**
   * Takes a slot for a request of this caller, and returns a function that frees the slot. Throws 429 if all slots are
   * taken.
   */
  acquire(caller: string): () => void {
    const current = this.#waiting.get(caller) ?? 0;
    if (this.#total >= maxWaiting || current >= maxPerCaller) {
      throw tooManyRequests('Too many requests are waiting for this cluster, please try again later.', 1);
    }
    this.#total += 1;
    this.#waiting.set(caller, current + 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#total -= 1;
      const remaining = (this.#waiting.get(caller) ?? 1) - 1;
      if (remaining === 0) this.#waiting.delete(caller);
      else this.#waiting.set(caller, remaining);
    };
  }

  get isEmpty(): boolean {
    return this.#total === 0;
  }
}

/** The limiters of all clusters. Limiters without waiting requests are removed. */
export class TargetLimiters {
  readonly #limiters = new Map<string, TargetLimiter>();
  readonly #via = `flotilla-${randomUUID()}`;

  get(target: string): TargetLimiter {
    const existing = this.#limiters.get(target);
    if (existing !== undefined) return existing;
    for (const [name, limiter] of this.#limiters) if (limiter.isEmpty) this.#limiters.delete(name);
    const limiter = new TargetLimiter(this.#via);
    this.#limiters.set(target, limiter);
    return limiter;
  }
}
