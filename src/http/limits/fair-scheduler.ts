import type { Clock } from '../../lib/clock.ts';
import { LinkedQueue } from '../../lib/queue/linked-queue.ts';
import { PriorityHeap } from '../../lib/queue/priority-heap.ts';

export interface FairSchedulerOptions {
  readonly clock: Pick<Clock, 'elapsed'>;
  /** Calls back once, after pending input has been read and after all earlier callbacks and their microtasks. */
  readonly defer?: (callback: () => void) => void;
}

/** One key that waits, runs, or has recently used more CPU time than others. */
interface KeyUsage {
  readonly key: string;
  readonly waiting: LinkedQueue<Waiting>;
  /** The CPU time used in milliseconds. New keys start at the common level. */
  used: number;
}

interface Waiting {
  /** The global arrival number. */
  readonly number: number;
  begin(): void;
}

/**
 * Milliseconds of work between two polls for input. A request waits for several rounds: to be read, for its time slice,
 * at each step of a write, and until its response is sent. A single key gets longer rounds, because writes that begin
 * together share a group commit.
 */
const shortRound = 0.15;
const longRound = 4;
/**
 * Rounds are short only if the load is uneven: more than this many waiting requests per waiting key. If all keys send
 * about the same number of requests, first come, first served is fair, and short rounds would cost all of them
 * throughput.
 */
const unevenAbove = 8;
/** After two keys have been active, short rounds are possible for this time. */
const sharedMilliseconds = 1000;
/** The maximum number of milliseconds that a key can be ahead of the others, even after a very long time slice. */
const maxDebt = 50;
/** The minimum charge for a time slice, because scheduling it also takes time. */
const minCost = 0.05;
/** The number of callbacks scheduled ahead; more hardly fit into one round. */
const maxAhead = 64;
const minPruneSize = 1024;

/**
 * Schedules CPU time fairly between keys. There is one thread: without scheduling, the work of a thousand requests of
 * one key would finish before the single request of another key is even read. So work starts in time slices, in short
 * rounds, and input is read between the rounds. The next time slice goes to the key that has used the least CPU time,
 * measured until its work awaits something or ends.
 *
 * A time slice is not returned; it ends when its work awaits something. Long work requests further time slices. The
 * callers bound the number of waiting requests.
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
  /** The scheduled callbacks that belong to the current round. */
  #leftInRound = 0;
  #roundBegan = 0;
  /** The usage of the key that started last. A new key cannot have used less. */
  #level = 0;
  #running: { readonly usage: KeyUsage; readonly since: number } | undefined;
  #lastKey = '';
  #sharedUntil = 0;
  #pruneAbove = minPruneSize;

  constructor({ clock, defer = setImmediate }: FairSchedulerOptions) {
    this.#clock = clock;
    this.#defer = defer;
  }

  /** Resolves with a time slice for the key. Never rejects: a caller that no longer needs it ignores it. */
  waitForTimeSlice(key: string): Promise<void> {
    return new Promise((resolve) => {
      if (key !== this.#lastKey) this.#sharedUntil = this.#clock.elapsed() + sharedMilliseconds;
      this.#lastKey = key;
      const usage = this.#usageOf(key);
      if (usage.waiting.length === 0) usage.used = Math.max(usage.used, this.#level);
      usage.waiting.push({ number: this.#sequence++, begin: resolve });
      this.#waiting++;
      this.#next.add(usage);
      this.#schedule();
    });
  }

  /** Schedules one callback for each waiting request and one more: each callback also ends the previous time slice. */
  #schedule(): void {
    const wanted = this.#waiting === 0 ? 0 : Math.min(this.#waiting, maxAhead) + 1;
    while (this.#scheduled < wanted) {
      this.#scheduled++;
      this.#defer(this.#tick);
    }
  }

  /** Everything that a time slice starts without waiting runs between two of these callbacks. */
  readonly #tick = (): void => {
    const now = this.#clock.elapsed();
    if (this.#leftInRound === 0) {
      // Callbacks deferred from here on belong to the next round.
      this.#leftInRound = this.#scheduled;
      this.#roundBegan = now;
    }
    this.#scheduled--;
    this.#leftInRound--;
    this.#charge(now);
    const isUneven = now < this.#sharedUntil && this.#waiting > unevenAbove * this.#next.size;
    const roundMilliseconds = isUneven ? shortRound : longRound;
    // The last callback of a round starts no time slice: it would be charged for reading input after the round.
    if (this.#leftInRound > 0 && now - this.#roundBegan < roundMilliseconds) this.#begin(now);
    this.#schedule();
  };

  #begin(now: number): void {
    const usage = this.#next.first;
    const waiting = usage?.waiting.shift();
    if (usage === undefined || waiting === undefined) return;
    this.#waiting--;
    this.#level = Math.max(this.#level, usage.used);
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
    // The level rises at half the pace of the waiting keys, so that a key that is ahead gets a time slice again even if
    // new keys keep coming.
    this.#level += cost / (2 * (this.#next.size + 1));
    usage.used = Math.min(usage.used + cost, this.#level + maxDebt);
    this.#next.moved(usage);
    // No other key waits, so no usage needs to be compared.
    if (this.#waiting === 0) this.#usages.clear();
  }

  #usageOf(key: string): KeyUsage {
    const known = this.#usages.get(key);
    if (known !== undefined) return known;
    if (this.#usages.size >= this.#pruneAbove) this.#prune();
    const usage: KeyUsage = { key, waiting: new LinkedQueue(), used: this.#level };
    this.#usages.set(key, usage);
    return usage;
  }

  /** Drops keys that do not wait and are not ahead: they are equivalent to new ones. */
  #prune(): void {
    for (const usage of this.#usages.values()) {
      if (usage.waiting.length === 0 && usage.used <= this.#level) this.#usages.delete(usage.key);
    }
    this.#pruneAbove = Math.max(minPruneSize, 2 * this.#usages.size);
  }
}
