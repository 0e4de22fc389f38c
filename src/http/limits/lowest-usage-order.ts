import { PriorityHeap } from '../../lib/queue/priority-heap.ts';

/** A competitor for CPU time, for example a tenant, or a key of a tenant. */
export interface Competitor {
  readonly name: string;
  /** The used CPU time in milliseconds. */
  used: number;
  /**
   * The busy period in which `used` was counted. A busy period ends when no request waits. CPU time that was used in
   * earlier busy periods is ignored.
   */
  period: number;
  /** True for a paused competitor: it is not in the queue, but it is not forgotten either. */
  isPaused?: boolean;
}

export interface LowestUsageOrderOptions<C extends Competitor> {
  create(name: string, used: number, period: number): C;
  /**
   * Returns a number for the arrival of the competitor's first waiting request. Earlier requests have lower numbers.
   */
  firstArrivalOf(competitor: C): number;
  /**
   * The maximum difference in milliseconds between the used CPU time of a competitor and the baseline, even after a
   * very long time slice. Optional; defaults to 50.
   */
  readonly maxDebt?: number | undefined;
}

const defaultMaxDebt = 50;
/**
 * At most this many milliseconds of a time slice raise the baseline. If one long time slice, for example with a garbage
 * collection, raised the baseline above the waiting competitors, a new competitor would wait until all of these have
 * caught up.
 */
const maxBaselineCost = 1;
const minPruneSize = 256;

/**
 * A queue of competitors that wait for CPU time, ordered by the CPU time that they have used. Also remembers a
 * competitor that does not wait, as long as its used CPU time is above the baseline.
 */
export class LowestUsageOrder<C extends Competitor> {
  readonly #options: LowestUsageOrderOptions<C>;
  readonly #known = new Map<string, C>();
  readonly #waiting: PriorityHeap<C>;
  /**
   * The baseline: the used CPU time that a new competitor starts with. It is at least the used CPU time of the competitor that
   * got the last time slice.
   */
  #baseline = 0;
  readonly #maxDebt: number;
  #pruneAbove = minPruneSize;

  constructor(options: LowestUsageOrderOptions<C>) {
    this.#options = options;
    this.#maxDebt = options.maxDebt ?? defaultMaxDebt;
    this.#waiting = new PriorityHeap(
      (one, other) => one.used - other.used || options.firstArrivalOf(one) - options.firstArrivalOf(other),
    );
  }

  /** The number of waiting competitors. */
  get size(): number {
    return this.#waiting.size;
  }

  /** The waiting competitor that gets the next time slice. */
  get first(): C | undefined {
    return this.#waiting.first;
  }

  /** Returns the competitor with this name. `period` is the current busy period. */
  find(name: string, period: number): C {
    let found = this.#known.get(name);
    if (found === undefined) {
      if (this.#known.size >= this.#pruneAbove) this.#prune(period);
      found = this.#options.create(name, this.#baseline, period);
      this.#known.set(name, found);
    } else if (found.period !== period) {
      found.used = this.#baseline;
      found.period = period;
    }
    return found;
  }

  /** Adds a competitor that begins to wait. If the competitor already waits, corrects its place in the queue. */
  add(competitor: C): void {
    if (this.#waiting.has(competitor)) {
      this.#waiting.moved(competitor);
      return;
    }
    competitor.used = Math.max(competitor.used, this.#baseline);
    this.#waiting.add(competitor);
  }

  /** Removes a competitor that must not get a time slice now, even if it waits for a time slice. */
  remove(competitor: C): void {
    this.#waiting.remove(competitor);
  }

  /**
   * Records that the competitor gets a time slice. `isWaiting` is true if the competitor waits for a further time
   * slice.
   */
  begin(competitor: C, isWaiting: boolean): void {
    this.#baseline = Math.max(this.#baseline, competitor.used);
    if (isWaiting) this.#waiting.moved(competitor);
    else this.#waiting.remove(competitor);
  }

  /** Adds to the CPU time of the competitor. */
  charge(competitor: C, milliseconds: number): void {
    // The baseline rises half as fast as the average used CPU time of the waiting competitors. A competitor above the
    // baseline therefore gets a time slice eventually, even if new competitors arrive all the time.
    this.#baseline += Math.min(milliseconds, maxBaselineCost) / (2 * (this.#waiting.size + 1));
    competitor.used = Math.min(competitor.used + milliseconds, this.#baseline + this.#maxDebt);
    this.#waiting.moved(competitor);
  }

  /**
   * Forgets competitors that do not wait and whose used CPU time is not above the baseline. When such a competitor
   * returns, it starts like a new one.
   */
  #prune(period: number): void {
    for (const competitor of this.#known.values()) {
      const isAhead = competitor.period === period && competitor.used > this.#baseline;
      const isIdle = competitor.isPaused !== true && !this.#waiting.has(competitor);
      if (!isAhead && isIdle) this.#known.delete(competitor.name);
    }
    this.#pruneAbove = Math.max(minPruneSize, 2 * this.#known.size);
  }
}
