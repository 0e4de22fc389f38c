import { randomUUID } from 'node:crypto';
import { tooManyRequests } from '../api/status.ts';

/** As many as this server works at by itself; one caller has half of it, so that others get through. */
const mostWaiting = 400;
const mostOfOne = mostWaiting / 2;

/**
 * How many wait for the answers of one cluster. They take no place of those at work here: a cluster that hangs fills its
 * own room, and holds up nobody who wants something else.
 */
export class TargetRoom {
  /** What this server calls itself to those it passes requests on to: one that comes back is known by it. */
  readonly via: string;
  readonly #waiting = new Map<string, number>();
  #total = 0;

  constructor(via: string) {
    this.via = via;
  }

  /** Returns how to leave. Throws 429. */
  enter(share: string): () => void {
    const own = this.#waiting.get(share) ?? 0;
    if (this.#total >= mostWaiting || own >= mostOfOne) {
      throw tooManyRequests('Too many requests wait for that cluster, please try again later.', 1);
    }
    this.#total += 1;
    this.#waiting.set(share, own + 1);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#total -= 1;
      const rest = (this.#waiting.get(share) ?? 1) - 1;
      if (rest === 0) this.#waiting.delete(share);
      else this.#waiting.set(share, rest);
    };
  }

  get isEmpty(): boolean {
    return this.#total === 0;
  }
}

/** The rooms of clusters that somebody waits for. */
export class TargetRooms {
  readonly #rooms = new Map<string, TargetRoom>();
  readonly #via = `flotilla-${randomUUID()}`;

  of(target: string): TargetRoom {
    const known = this.#rooms.get(target);
    if (known !== undefined) return known;
    for (const [name, room] of this.#rooms) if (room.isEmpty) this.#rooms.delete(name);
    const room = new TargetRoom(this.#via);
    this.#rooms.set(target, room);
    return room;
  }
}
