import type { Clock } from '../../lib/clock.ts';
import { FixedDelayQueue } from '../../lib/queue/fixed-delay-queue.ts';
import { LinkedQueue } from '../../lib/queue/linked-queue.ts';
import { PriorityHeap } from '../../lib/queue/priority-heap.ts';
import type { RequestEnd } from '../request/request-end.ts';

export interface FairSlotsOptions {
  /** The number of requests that may hold a slot at the same time. */
  readonly slots: number;
  /**
   * The limit on waiting requests of all keys together. If it is reached, a new request displaces a waiting request of
   * the key with the most waiting requests. If the new request belongs to that key, the new request is refused.
   */
  readonly maxWaiting: number;
  readonly waitMilliseconds: number;
  readonly clock: Clock;
}

/** The end of a waiting request, which then leaves the queue. */
export type WaitingRequestEnd = Pick<RequestEnd, 'hasEnded' | 'onEnd'>;

interface Waiting {
  /** The position in the order of arrival, counted across all keys. */
  readonly number: number;
  /** Called with true when the request gets a slot, and with false if the request is refused. */
  settle(admitted: boolean): void;
}

/** A key, that is a caller, whose requests hold slots or wait for slots. */
interface Holder {
  readonly key: string;
  held: number;
  readonly waiting: LinkedQueue<Waiting>;
}

/**
 * A limited number of slots that callers share fairly. A request gets a free slot immediately. If there is none, it
 * waits. A released slot goes to the key that holds the fewest slots; if several keys hold equally few, it goes to the
 * key whose first request has waited longest. A key that sends a thousand requests delays only itself. The cost per
 * request is logarithmic in the number of keys.
 */
export class FairSlots {
  readonly #options: FairSlotsOptions;
  readonly #holders = new Map<string, Holder>();
  /**
   * The keys with waiting requests, in two orders. The first key in `#byNextSlot` gets the next slot. The first key in
   * `#byMostWaiting` loses a waiting request if the queue is full.
   */
  readonly #byNextSlot = new PriorityHeap<Holder>(
    (one, other) => one.held - other.held || firstOf(one) - firstOf(other),
  );
  readonly #byMostWaiting = new PriorityHeap<Holder>((one, other) => other.waiting.length - one.waiting.length);
  readonly #timeouts: FixedDelayQueue;
  #active = 0;
  #waiting = 0;
  #sequence = 0;

  constructor(options: FairSlotsOptions) {
    this.#options = options;
    this.#timeouts = new FixedDelayQueue(options.clock, options.waitMilliseconds);
  }

  /** Waits for a slot. Resolves with a function that releases it, or with `undefined` if the request is refused. */
  async acquire(key: string, end: WaitingRequestEnd): Promise<(() => void) | undefined> {
    const free = this.tryAcquire(key);
    if (free !== undefined) return free;
    return (await this.#wait(key, end)) ? this.#releaseOnce(key) : undefined;
  }

  /** Acquires a free slot. Returns a function that releases it, or `undefined` if no slot is free. */
  tryAcquire(key: string): (() => void) | undefined {
    if (this.#active >= this.#options.slots) return undefined;
    this.#hold(this.#holderOf(key));
    return this.#releaseOnce(key);
  }

  /**
   * Returns the number of seconds after which a refused client should retry: a random number up to the longest wait, so
   * that clients that were refused together do not return together.
   */
  retryAfterSeconds(): number {
    return Math.max(1, Math.ceil((Math.random() * this.#options.waitMilliseconds) / 1000));
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
    const next = this.#byNextSlot.first;
    if (next === undefined) return;
    // Give the slot to the waiting request now, before its code continues, so that no other request can get the slot in
    // between.
    const waiting = next.waiting.first;
    this.#hold(next);
    waiting?.settle(true);
  }

  #changed(holder: Holder): void {
    if (holder.waiting.length > 0) {
      for (const heap of [this.#byNextSlot, this.#byMostWaiting]) {
        if (heap.has(holder)) heap.moved(holder);
        else heap.add(holder);
      }
      return;
    }
    this.#byNextSlot.remove(holder);
    this.#byMostWaiting.remove(holder);
    if (holder.held === 0) this.#holders.delete(holder.key);
  }

  #wait(key: string, end: WaitingRequestEnd): Promise<boolean> {
    if (end.hasEnded || !this.#makeQueueSpace(key)) return Promise.resolve(false);
    return new Promise((resolve) => {
      const refuse = () => waiting.settle(false);
      const stopTimer = this.#timeouts.after(refuse);
      const holder = this.#holderOf(key);
      const waiting: Waiting = {
        number: this.#sequence++,
        settle: (admitted) => {
          stopTimer();
          stopFollowing();
          holder.waiting.remove(entry);
          this.#waiting--;
          this.#changed(holder);
          resolve(admitted);
        },
      };
      const entry = holder.waiting.push(waiting);
      this.#waiting++;
      this.#changed(holder);
      const stopFollowing = end.onEnd(refuse);
    });
  }

  /**
   * Makes space in a full queue for a request of the key `key`, by refusing a request of the key with the most waiting
   * requests. Returns false if that key has hardly more waiting requests than `key`.
   */
  #makeQueueSpace(key: string): boolean {
    if (this.#waiting < this.#options.maxWaiting) return true;
    const busiest = this.#byMostWaiting.first;
    const own = this.#holders.get(key)?.waiting.length ?? 0;
    if (busiest === undefined || busiest.waiting.length <= own + 1) return false;
    busiest.waiting.last?.settle(false);
    return true;
  }
}

function firstOf({ waiting }: Holder): number {
  return waiting.first?.number ?? 0;
}
