import { randomUUID } from 'node:crypto';
import { tooManyRequests } from '../../api/status.ts';

/** Equal to this server's own in-flight limit. One caller may use half of it, so that others get through. */
const maxWaiting = 400;
const maxPerCaller = maxWaiting / 2;

/**
 * Limits the requests that wait for one cluster. They do not count against this server's in-flight limit, so a cluster
 * that hangs exhausts only its own limit.
 */
export class TargetLimiter {
  /** This server's name in the `Via` header of forwarded requests. It reveals a request loop. */
  readonly via: string;
  readonly #waiting = new Map<string, number>();
  #total = 0;

  constructor(via: string) {
    this.via = via;
  }

  /** Returns the function that frees the slot. Throws 429. */
  acquire(share: string): () => void {
    const current = this.#waiting.get(share) ?? 0;
    if (this.#total >= maxWaiting || current >= maxPerCaller) {
      throw tooManyRequests('Too many requests are waiting for this cluster, please try again later.', 1);
    }
    this.#total += 1;
    this.#waiting.set(share, current + 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#total -= 1;
      const remaining = (this.#waiting.get(share) ?? 1) - 1;
      if (remaining === 0) this.#waiting.delete(share);
      else this.#waiting.set(share, remaining);
    };
  }

  get isEmpty(): boolean {
    return this.#total === 0;
  }
}

/** The limiters of all clusters that requests wait for. */
export class TargetLimiters {
  readonly #rooms = new Map<string, TargetLimiter>();
  readonly #via = `flotilla-${randomUUID()}`;

  get(target: string): TargetLimiter {
    const existing = this.#rooms.get(target);
    if (existing !== undefined) return existing;
    for (const [name, room] of this.#rooms) if (room.isEmpty) this.#rooms.delete(name);
    const room = new TargetLimiter(this.#via);
    this.#rooms.set(target, room);
    return room;
  }
}
