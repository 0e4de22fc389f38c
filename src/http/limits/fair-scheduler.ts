import type { Clock } from '../../lib/clock.ts';
import { LinkedQueue } from '../../lib/queue/linked-queue.ts';
import { PriorityHeap } from '../../lib/queue/priority-heap.ts';

export interface FairSchedulerOptions {
  readonly clock: Pick<Clock, 'elapsed'>;
  /** Runs the callback after pending input was read and earlier callbacks were run. Optional; default: setImmediate. */
  readonly defer?: (callback: () => void) => void;
}

/** The CPU time that one key has used. The entry exists only while the key waits, runs, or is above `#baseline`. */
interface KeyUsage {
  readonly key: string;
  readonly waiting: LinkedQueue<Waiting>;
  /** The used CPU time in milliseconds. A new key starts at the baseline. */
  used: number;
}

interface Waiting {
  /** The position in the order of arrival, counted across all keys. */
  readonly number: number;
  begin(): void;
}

/**
 * The two lengths of a round in milliseconds. Input is read only between rounds. A request waits for the next round
 * several times: to be read, for its time slice, at each step of a write, and to send its response. Rounds are long
 * while only one key is active, because writes that start together can share a group commit.
 */
const shortRound = 0.15;
const longRound = 4;
/**
 * Rounds are short only if there are more waiting requests per waiting key than this. If all keys send about the same
 * number of requests, first come, first served is fair, and short rounds would only reduce throughput.
 */
const unevenAbove = 8;
/**
 * Rounds are short only within this many milliseconds after two successive requests came from different keys. If no
 * such requests arrive for this time, only one key is active.
 */
const sharedMilliseconds = 1000;
/**
 * The used CPU time of a key exceeds the baseline by at most this many milliseconds, even after a very long time slice.
 */
const maxDebt = 50;
/** The minimum CPU time in milliseconds that is charged for a time slice, because scheduling also takes time. */
const minCost = 0.05;
/** The maximum number of callbacks to schedule in advance. One round rarely runs more of them. */
const maxAhead = 64;
const minPruneSize = 1024;

/**
 * Schedules CPU time fairly between keys. A key identifies a caller. There is only one thread: without scheduling, a
 * thousand requests of one key would be finished before the single request of another key is read from its socket.
 * Therefore, work starts in time slices. Time slices are grouped in short rounds, and input is read between rounds. The
 * next time slice goes to the key that has used the least CPU time.
 *
 * A time slice ends when its work awaits something or is finished. Long work must request further time slices. The
 * scheduler does not limit the number of waiting requests; the code that uses it must.
 */
export class FairScheduler {
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #defer: (callback: () => void) => void;
  readonly #usages = new Map<string, KeyUsage>();
  readonly #next = new PriorityHeap<KeyUsage>(
    (one, other) => one.used - other.used || (one.waiting.first?.number ?? 0) - (other.waiting.first?.number ?? 0),
  );
  #waiting = 0;
  #sequence = 0;
  #scheduled = 0;
  /** The number of scheduled callbacks that remain in the current round. */
  #leftInRound = 0;
  #roundBegan = 0;
  /**
   * The baseline: the used CPU time that a new key starts with. It is at least the used CPU time of the key that got
   * the last time slice.
   */
  #baseline = 0;
  #running: { readonly usage: KeyUsage; readonly since: number } | undefined;
  #lastKey = '';
  #sharedUntil = 0;
  #pruneAbove = minPruneSize;

  constructor({ clock, defer = setImmediate }: FairSchedulerOptions) {
    this.#clock = clock;
    this.#defer = defer;
  }

  /** Resolves when the key gets a time slice, even if the request has ended in the meantime. Never rejects. */
  waitForTimeSlice(key: string): Promise<void> {
    return new Promise((resolve) => {
      if (key !== this.#lastKey) this.#sharedUntil = this.#clock.elapsed() + sharedMilliseconds;
      this.#lastKey = key;
      const usage = this.#usageOf(key);
      if (usage.waiting.length === 0) usage.used = Math.max(usage.used, this.#baseline);
      usage.waiting.push({ number: this.#sequence++, begin: resolve });
      this.#waiting++;
      this.#next.add(usage);
      this.#schedule();
    });
  }

  /**
   * Schedules a callback per waiting request, and one more, because each callback ends the time slice that the previous
   * callback began.
   */
  #schedule(): void {
    const wanted = this.#waiting === 0 ? 0 : Math.min(this.#waiting, maxAhead) + 1;
    while (this.#scheduled < wanted) {
      this.#scheduled++;
      this.#defer(this.#tick);
    }
  }

  /** Ends the current time slice and starts the next one. The work of a time slice runs before the next callback. */
  readonly #tick = (): void => {
    const now = this.#clock.elapsed();
    if (this.#leftInRound === 0) {
      // A new round begins. Callbacks that are scheduled from now on belong to the round after it.
      this.#leftInRound = this.#scheduled;
      this.#roundBegan = now;
    }
    this.#scheduled--;
    this.#leftInRound--;
    this.#charge(now);
    const isUneven = now < this.#sharedUntil && this.#waiting > unevenAbove * this.#next.size;
    const roundMilliseconds = isUneven ? shortRound : longRound;
    // The last callback of a round starts no time slice, because the time for reading input would be charged to it.
    if (this.#leftInRound > 0 && now - this.#roundBegan < roundMilliseconds) this.#begin(now);
    this.#schedule();
  };

  #begin(now: number): void {
    const usage = this.#next.first;
    const waiting = usage?.waiting.shift();
    if (usage === undefined || waiting === undefined) return;
    this.#waiting--;
    this.#baseline = Math.max(this.#baseline, usage.used);
    if (usage.waiting.length === 0) this.#next.remove(usage);
    else this.#next.moved(usage);
    this.#running = { usage, since: now };
    waiting.begin();
  }

  #charge(now: number): void {
    if (this.#running === undefined) return;
    const { usage, since } = this.#running;
    this.#running = undefined;
    const cost = Math.max(minCost, now - since);
    // The baseline rises half as fast as the average CPU time of the waiting keys. A key above the baseline therefore
    // gets a time slice eventually, even if new keys arrive all the time.
    this.#baseline += cost / (2 * (this.#next.size + 1));
    usage.used = Math.min(usage.used + cost, this.#baseline + maxDebt);
    this.#next.moved(usage);
    // No key waits, so the used CPU times need not be compared.
    if (this.#waiting === 0) this.#usages.clear();
  }

  #usageOf(key: string): KeyUsage {
    const known = this.#usages.get(key);
    if (known !== undefined) return known;
    if (this.#usages.size >= this.#pruneAbove) this.#prune();
    const usage: KeyUsage = { key, waiting: new LinkedQueue(), used: this.#baseline };
    this.#usages.set(key, usage);
    return usage;
  }

  /** Forgets keys that do not wait and are not above the baseline: if they return, they start like new keys. */
  #prune(): void {
    for (const usage of this.#usages.values()) {
      if (usage.waiting.length === 0 && usage.used <= this.#baseline) this.#usages.delete(usage.key);
    }
    this.#pruneAbove = Math.max(minPruneSize, 2 * this.#usages.size);
  }
}
