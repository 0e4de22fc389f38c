import type { Clock } from '../lib/clock.ts';
import { Line } from '../lib/line.ts';
import { PriorityHeap } from '../lib/priority-heap.ts';

export interface FairSlotsOptions {
  /** At work at a time. */
  readonly slots: number;
  /** Waiting at a time, in all; a newcomer beyond it displaces one of the key that waits most, or is refused. */
  readonly queue: number;
  readonly waitMilliseconds: number;
  readonly clock: Clock;
}

interface Waiting {
  /** When it came, in the order of all. */
  readonly number: number;
  /** Called with true once it is its turn, with false if it is refused. */
  settle(admitted: boolean): void;
}

/** One key that holds slots or waits for some. */
interface Holder {
  readonly key: string;
  held: number;
  readonly waiting: Line<Waiting>;
}

/**
 * A limited number of slots, shared fairly: while there are free ones everybody gets one; when there are none, a slot
 * that comes free goes to the key that holds the fewest, among those to the one that has waited longest. One key that
 * sends a thousand requests delays itself. What is done for one request takes the logarithm of the number of keys.
 */
export class FairSlots {
  readonly #options: FairSlotsOptions;
  readonly #holders = new Map<string, Holder>();
  /** Those who wait: who is next, and who is to be displaced. */
  readonly #fairest = new PriorityHeap<Holder>((one, other) => one.held - other.held || firstOf(one) - firstOf(other));
  readonly #greediest = new PriorityHeap<Holder>((one, other) => other.waiting.length - one.waiting.length);
  #active = 0;
  #waiting = 0;
  #asked = 0;

  constructor(options: FairSlotsOptions) {
    this.#options = options;
  }

  /** Resolves to how the slot is given back, or to undefined if none is to be had in time. */
  async acquire(key: string, signal: AbortSignal): Promise<(() => void) | undefined> {
    const free = this.acquireFree(key);
    if (free !== undefined) return free;
    return (await this.#wait(key, signal)) ? this.#releaseOnce(key) : undefined;
  }

  /** How the slot is given back, or undefined if none is free at this moment. */
  acquireFree(key: string): (() => void) | undefined {
    if (this.#active >= this.#options.slots) return undefined;
    this.#hold(this.#holderOf(key));
    return this.#releaseOnce(key);
  }

  #releaseOnce(key: string): () => void {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#release(this.#holderOf(key));
    };
  }

  #holderOf(key: string): Holder {
    let holder = this.#holders.get(key);
    if (holder === undefined) {
      holder = { key, held: 0, waiting: new Line() };
      this.#holders.set(key, holder);
    }
    return holder;
  }

  #hold(holder: Holder): void {
    this.#active++;
    holder.held++;
    this.#changed(holder);
  }

  #release(holder: Holder): void {
    this.#active--;
    holder.held--;
    this.#changed(holder);
    const next = this.#fairest.first;
    if (next === undefined) return;
    // Taken on behalf of the one who waits: between now and its turn nobody else can slip in.
    const waiting = next.waiting.first;
    this.#hold(next);
    waiting?.settle(true);
  }

  #changed(holder: Holder): void {
    if (holder.waiting.length > 0) {
      for (const heap of [this.#fairest, this.#greediest]) {
        if (heap.has(holder)) heap.moved(holder);
        else heap.add(holder);
      }
      return;
    }
    this.#fairest.remove(holder);
    this.#greediest.remove(holder);
    if (holder.held === 0) this.#holders.delete(holder.key);
  }

  #wait(key: string, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted || !this.#makeRoom(key)) return Promise.resolve(false);
    return new Promise((resolve) => {
      const giveUp = () => waiting.settle(false);
      const stopTimer = this.#options.clock.after(this.#options.waitMilliseconds, giveUp);
      signal.addEventListener('abort', giveUp, { once: true });
      const holder = this.#holderOf(key);
      const waiting: Waiting = {
        number: this.#asked++,
        settle: (admitted) => {
          stopTimer();
          signal.removeEventListener('abort', giveUp);
          holder.waiting.leave(place);
          this.#waiting--;
          this.#changed(holder);
          resolve(admitted);
        },
      };
      const place = holder.waiting.join(waiting);
      this.#waiting++;
      this.#changed(holder);
    });
  }

  /** One who waits no more often than the others makes nobody leave. */
  #makeRoom(key: string): boolean {
    if (this.#waiting < this.#options.queue) return true;
    const greediest = this.#greediest.first;
    const own = this.#holders.get(key)?.waiting.length ?? 0;
    if (greediest === undefined || greediest.waiting.length <= own + 1) return false;
    greediest.waiting.last?.settle(false);
    return true;
  }
}

function firstOf({ waiting }: Holder): number {
  return waiting.first?.number ?? 0;
}
