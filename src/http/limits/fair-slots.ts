import type { Clock } from '../../lib/clock.ts';
import { LinkedQueue } from '../../lib/queue/linked-queue.ts';
import { PriorityHeap } from '../../lib/queue/priority-heap.ts';

export interface FairSlotsOptions {
  /** The number of slots. */
  readonly slots: number;
  /** The total number of waiting requests. One more displaces a request of the key that waits most, or is refused. */
  readonly maxWaiting: number;
  readonly waitMilliseconds: number;
  readonly clock: Clock;
}

interface Waiting {
  /** The global arrival number. */
  readonly number: number;
  /** Called with true when the request gets a slot, and with false if the request is refused. */
  settle(admitted: boolean): void;
}

/** A key whose requests hold slots or wait for slots. */
interface Holder {
  readonly key: string;
  held: number;
  readonly waiting: LinkedQueue<Waiting>;
}

/**
 * A limited number of slots, shared fairly. Every request gets a slot while one is free. Otherwise a released slot goes
 * to the key that holds the fewest, and among those to the one that has waited longest. A key that sends a thousand
 * requests delays only itself. The cost per request is logarithmic in the number of keys.
 */
export class FairSlots {
  readonly #options: FairSlotsOptions;
  readonly #holders = new Map<string, Holder>();
  /** The waiting keys: the next to get a slot, and the next to be displaced. */
  readonly #fairest = new PriorityHeap<Holder>((one, other) => one.held - other.held || firstOf(one) - firstOf(other));
  readonly #greediest = new PriorityHeap<Holder>((one, other) => other.waiting.length - one.waiting.length);
  #active = 0;
  #waiting = 0;
  #sequence = 0;

  constructor(options: FairSlotsOptions) {
    this.#options = options;
  }

  /** Resolves to a function that releases the slot, or to `undefined` if none is available in time. */
  async acquire(key: string, signal: AbortSignal): Promise<(() => void) | undefined> {
    const free = this.tryAcquire(key);
    if (free !== undefined) return free;
    return (await this.#wait(key, signal)) ? this.#releaseOnce(key) : undefined;
  }

  /** Returns a function that releases the slot, or `undefined` if none is free. */
  tryAcquire(key: string): (() => void) | undefined {
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
      holder = { key, held: 0, waiting: new LinkedQueue() };
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
    // The slot is taken on behalf of the waiting request, so no other request can take it in between.
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
      const refuse = () => waiting.settle(false);
      const stopTimer = this.#options.clock.after(this.#options.waitMilliseconds, refuse);
      signal.addEventListener('abort', refuse, { once: true });
      const holder = this.#holderOf(key);
      const waiting: Waiting = {
        number: this.#sequence++,
        settle: (admitted) => {
          stopTimer();
          signal.removeEventListener('abort', refuse);
          holder.waiting.remove(entry);
          this.#waiting--;
          this.#changed(holder);
          resolve(admitted);
        },
      };
      const entry = holder.waiting.push(waiting);
      this.#waiting++;
      this.#changed(holder);
    });
  }

  /** Makes room in the queue. A key that has as many waiting requests as the others displaces none. */
  #makeRoom(key: string): boolean {
    if (this.#waiting < this.#options.maxWaiting) return true;
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
