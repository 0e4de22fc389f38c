import type { Clock } from '../lib/clock.ts';

export interface FairSlotsOptions {
  /** At work at a time. */
  readonly slots: number;
  /** Waiting at a time, in all; a newcomer beyond it displaces one of the key that waits most, or is refused. */
  readonly queue: number;
  readonly waitMilliseconds: number;
  readonly clock: Clock;
}

interface Waiting {
  readonly key: string;
  /** Called with true once it is its turn, with false if it is refused. */
  settle(admitted: boolean): void;
}

/**
 * A limited number of slots, shared fairly: while there are free ones everybody gets one; when there are none, a slot
 * that comes free goes to the key that holds the fewest. One key that sends a thousand requests delays itself.
 */
export class FairSlots {
  readonly #options: FairSlotsOptions;
  readonly #held = new Map<string, number>();
  #active = 0;
  #waiting: Waiting[] = [];

  constructor(options: FairSlotsOptions) {
    this.#options = options;
  }

  /** Resolves to how the slot is given back, or to undefined if none is to be had in time. */
  async acquire(key: string, signal: AbortSignal): Promise<(() => void) | undefined> {
    if (this.#active < this.#options.slots) this.#take(key);
    else if (!(await this.#wait(key, signal))) return undefined;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#release(key);
    };
  }

  #take(key: string): void {
    this.#active++;
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
  }

  #release(key: string): void {
    this.#active--;
    const held = (this.#held.get(key) ?? 1) - 1;
    if (held === 0) this.#held.delete(key);
    else this.#held.set(key, held);
    const next = this.#fairest();
    if (next === undefined) return;
    // Taken on behalf of the one who waits: between now and its turn nobody else can slip in.
    this.#take(next.key);
    next.settle(true);
  }

  #wait(key: string, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted || !this.#makeRoom(key)) return Promise.resolve(false);
    return new Promise((resolve) => {
      const giveUp = () => waiting.settle(false);
      const stopTimer = this.#options.clock.after(this.#options.waitMilliseconds, giveUp);
      signal.addEventListener('abort', giveUp, { once: true });
      const waiting: Waiting = {
        key,
        settle: (admitted) => {
          stopTimer();
          signal.removeEventListener('abort', giveUp);
          this.#waiting = this.#waiting.filter((other) => other !== waiting);
          resolve(admitted);
        },
      };
      this.#waiting.push(waiting);
    });
  }

  /** The longest waiting of the key that holds least. */
  #fairest(): Waiting | undefined {
    let best: Waiting | undefined;
    for (const candidate of this.#waiting) {
      if (best === undefined || this.#heldBy(candidate) < this.#heldBy(best)) best = candidate;
    }
    return best;
  }

  #heldBy(waiting: Waiting): number {
    return this.#held.get(waiting.key) ?? 0;
  }

  #makeRoom(key: string): boolean {
    if (this.#waiting.length < this.#options.queue) return true;
    const counts = new Map<string, number>();
    for (const { key: other } of this.#waiting) counts.set(other, (counts.get(other) ?? 0) + 1);
    let greediest: string | undefined;
    for (const [other, count] of counts) {
      if (greediest === undefined || count > (counts.get(greediest) ?? 0)) greediest = other;
    }
    if (greediest === undefined || (counts.get(greediest) ?? 0) <= (counts.get(key) ?? 0) + 1) return false;
    this.#waiting.findLast((waiting) => waiting.key === greediest)?.settle(false);
    return true;
  }
}
