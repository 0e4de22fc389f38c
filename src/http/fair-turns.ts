import type { Clock } from '../lib/clock.ts';
import { Line } from '../lib/line.ts';
import { PriorityHeap } from '../lib/priority-heap.ts';

export interface FairTurnsOptions {
  readonly clock: Pick<Clock, 'elapsed'>;
  /** Calls back once, after what has come in has been looked at and with nothing of an earlier call left to run. */
  readonly defer?: (callback: () => void) => void;
}

/** One key that waits, works, or has lately had more than others. */
interface Share {
  readonly key: string;
  readonly waiting: Line<Waiting>;
  /** Milliseconds of the processor that it has had, counted from what all had when it came. */
  had: number;
}

interface Waiting {
  /** When it came, in the order of all. */
  readonly number: number;
  begin(): void;
}

/**
 * Milliseconds of work between two looks at what has come in meanwhile. A request waits for several of them: to be
 * read, for its turn, at each step of a write, for its answer to leave. One key alone has longer ones, as writes that
 * begin together are flushed together.
 */
const sharedRound = 0.15;
const loneRound = 4;
/**
 * Rounds are short only where some key has far more to do than others: if for each key that waits so many wait. Where
 * everybody asks for about as much, the order of coming is fair, and short rounds would cost all of them throughput.
 */
const unevenAbove = 8;
/** So long after two keys have been there at a time, more than one is expected. */
const sharedMilliseconds = 1000;
/** Milliseconds that a key can have had ahead of the others, however long a turn took: the past is paid for once. */
const mostDebt = 50;
/** What the shortest turn counts: it costs more than its own time. */
const leastCost = 0.05;
/** Scheduled ahead in one round; more hardly fit into one. */
const mostAhead = 64;
const leastPruned = 1024;

/**
 * Who has the processor next. There is one thread: whatever a thousand requests of one key have to do would be done
 * before the one request of another is even read. So work begins in turns, for a moment at a time, and
 * between those what has come in is read. The turn goes to the key that has had the least of the processor, by the
 * time that its turns took until they waited for something or were over.
 *
 * A turn is not given back; it is over when its work waits. What works for long asks for another turn now and then.
 * What waits here is bounded by those who let it in.
 */
export class FairTurns {
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #defer: (callback: () => void) => void;
  readonly #shares = new Map<string, Share>();
  readonly #next = new PriorityHeap<Share>(
    (one, other) => one.had - other.had || (one.waiting.first?.number ?? 0) - (other.waiting.first?.number ?? 0),
  );
  #waiting = 0;
  #asked = 0;
  #scheduled = 0;
  /** Of those scheduled, the ones that are of the round which goes on. */
  #left = 0;
  #roundBegan = 0;
  /** What the one who began last had had before: nobody who comes now is taken to have had less. */
  #level = 0;
  #running: { readonly share: Share; readonly since: number } | undefined;
  #lastKey = '';
  #sharedUntil = 0;
  #pruneAbove = leastPruned;

  constructor({ clock, defer = setImmediate }: FairTurnsOptions) {
    this.#clock = clock;
    this.#defer = defer;
  }

  /** Resolves when it is that key's turn. Never fails: whoever has lost interest meanwhile lets it pass. */
  take(key: string): Promise<void> {
    return new Promise((resolve) => {
      if (key !== this.#lastKey) this.#sharedUntil = this.#clock.elapsed() + sharedMilliseconds;
      this.#lastKey = key;
      const share = this.#shareOf(key);
      if (share.waiting.length === 0) share.had = Math.max(share.had, this.#level);
      share.waiting.join({ number: this.#asked++, begin: resolve });
      this.#waiting++;
      this.#next.add(share);
      this.#schedule();
    });
  }

  /** One look for each that waits and one more: each is the end of the turn before it, too. */
  #schedule(): void {
    const wanted = this.#waiting === 0 ? 0 : Math.min(this.#waiting, mostAhead) + 1;
    while (this.#scheduled < wanted) {
      this.#scheduled++;
      this.#defer(this.#look);
    }
  }

  /** Between two of them comes all that a turn sets going without waiting. */
  readonly #look = (): void => {
    const now = this.#clock.elapsed();
    if (this.#left === 0) {
      // What is deferred from here on is of the next round.
      this.#left = this.#scheduled;
      this.#roundBegan = now;
    }
    this.#scheduled--;
    this.#left--;
    this.#charge(now);
    const isUneven = now < this.#sharedUntil && this.#waiting > unevenAbove * this.#next.size;
    const roundMilliseconds = isUneven ? sharedRound : loneRound;
    // The last look of a round is an end only: a turn that began there would be charged for what is read before the next.
    if (this.#left > 0 && now - this.#roundBegan < roundMilliseconds) this.#begin(now);
    this.#schedule();
  };

  #begin(now: number): void {
    const share = this.#next.first;
    const waiting = share?.waiting.shift();
    if (share === undefined || waiting === undefined) return;
    this.#waiting--;
    this.#level = Math.max(this.#level, share.had);
    if (share.waiting.length === 0) this.#next.remove(share);
    else this.#next.moved(share);
    this.#running = { share, since: now };
    waiting.begin();
  }

  #charge(now: number): void {
    if (this.#running === undefined) return;
    const { share, since } = this.#running;
    this.#running = undefined;
    const cost = Math.max(leastCost, now - since);
    // At half the pace of those who wait: a key that has had more has its turn again even if new ones keep coming.
    this.#level += cost / (2 * (this.#next.size + 1));
    share.had = Math.min(share.had + cost, this.#level + mostDebt);
    this.#next.moved(share);
    // With nobody else there nobody had too much.
    if (this.#waiting === 0) this.#shares.clear();
  }

  #shareOf(key: string): Share {
    const known = this.#shares.get(key);
    if (known !== undefined) return known;
    if (this.#shares.size >= this.#pruneAbove) this.#prune();
    const share: Share = { key, waiting: new Line(), had: this.#level };
    this.#shares.set(key, share);
    return share;
  }

  /** Those who wait for nothing and have had no more than others are as good as new ones. */
  #prune(): void {
    for (const share of this.#shares.values()) {
      if (share.waiting.length === 0 && share.had <= this.#level) this.#shares.delete(share.key);
    }
    this.#pruneAbove = Math.max(leastPruned, 2 * this.#shares.size);
  }
}
