/** The minimum size of a group. Fewer items do not show that their writers will write again at the same time. */
const minGroup = 4;
/**
 * The maximum number of writers that are expected to write in step, that is, to submit their next items at the same
 * time. If there are more writers, some of them always have an item queued, so waiting for all writers is not useful.
 */
const maxInStep = 12;
/**
 * After this many consecutive batches with at most `maxInStep` items, the writers of these items are assumed to be the
 * only writers. The next batch then waits for an item of each of these writers.
 */
const inStepAfter = 8;
/**
 * The share that counts as nearly all items. If this share of the expected items is queued, the rest of the wait is
 * shortened to `lastWaitMs`. If there may be other writers, a batch expects only this share of the previous batch.
 */
const nearlyAllShare = 0.8;
/** The share of the expected items that a batch waits for if the fixed cost of a batch is low. */
const halfShare = 0.5;
/**
 * If more items than this share of a batch were queued during its flush, the next batch begins at once, because enough
 * items arrive without waiting.
 */
const maxOthersShare = 0.25;
/** The maximum number of items to wait for, so that a single client need not wait for hundreds of other writers. */
const maxAwaited = 8;
/** The maximum wait in milliseconds. Writers that continue usually submit their next item within this time. */
const maxWaitMs = 4;
/** The maximum wait in milliseconds for the last items, after `nearlyAllShare` of the items were queued. */
const lastWaitMs = 1;
/** The maximum number of batches that begin without a wait after a wait has timed out. */
const maxSkipped = 63;

/** Reports whether the fixed cost of a batch is high: its flush and the notification of watches. */
interface Cost {
  isHigh(): boolean;
}

/** Calls `callback` after the given number of milliseconds. Returns a function that cancels the call. */
type After = (milliseconds: number, callback: () => void) => () => void;

interface Wait {
  /** Ends the wait. `isEnough` is false if the wait timed out before enough items were queued. */
  end(isEnough: boolean): void;
  /** Called with the new number of queued items. */
  onQueued(items: number): void;
}

/**
 * Decides when a group commit begins. Writers that are notified at the same time submit their next items at about the
 * same time. If a batch began with the first of these items, all other items would wait for this flush and then for
 * their own. A batch therefore briefly waits for the expected number of items. If the fixed cost of a batch is low, the
 * batch waits only for half of the items: these are written while the other items are prepared, so both the disk and
 * the main thread are busy. If the items do not arrive in time, the next batch expects only as many as have arrived. In
 * addition, batches after a timeout begin without a wait: one batch after the first timeout, and about twice as many
 * after each later timeout.
 */
export class GroupCommit {
  #expected = 0;
  /**
   * The number of consecutive batches with at most `maxInStep` items, including the items that were queued during their
   * flush.
   */
  #smallBatches = 0;
  #skipAfterTimeout = 0;
  #batchesToSkip = 0;
  #wait: Wait | undefined;
  #isStopped = false;
  readonly #cost: Cost;
  readonly #after: After;

  /**
   * `after` is a timer in real time. It does not use the store's `Clock`, because the wait depends on how fast the CPU
   * and the network deliver the next writes.
   */
  constructor(cost: Cost, after: After = afterMilliseconds) {
    this.#cost = cost;
    this.#after = after;
  }

  /**
   * Called after a batch of `items` items was written. `meanwhile` is the number of items that were queued during the
   * write.
   */
  onWritten(items: number, meanwhile: number): void {
    const all = items + meanwhile;
    this.#smallBatches = all <= maxInStep ? this.#smallBatches + 1 : 0;
    const isInStep = this.#smallBatches >= inStepAfter && all >= minGroup;
    this.#expected = isInStep ? all : itemsToAwait(items, meanwhile);
  }

  /** Called with the new number of queued items, after an item was queued. */
  onQueued(items: number): void {
    this.#wait?.onQueued(items);
  }

  /**
   * Waits until a batch should begin, given the number of queued items. Returns `undefined` if the batch should begin
   * now.
   */
  waitToBegin(items: number): Promise<void> | undefined {
    const enough = this.#cost.isHigh() ? this.#expected : Math.ceil(this.#expected * halfShare);
    if (items >= enough || this.#isStopped) return undefined;
    if (this.#batchesToSkip > 0) {
      this.#batchesToSkip--;
      return undefined;
    }
    return new Promise((resolve) => this.#waitFor(enough, items, resolve));
  }

  /** Ends the current wait and prevents further waits, because no more items will be queued. */
  stop(): void {
    this.#isStopped = true;
    this.#wait?.end(false);
  }

  #waitFor(enough: number, items: number, begin: () => void): void {
    const nearly = Math.ceil(this.#expected * nearlyAllShare);
    let isNearlyComplete = false;
    let cancel = this.#after(maxWaitMs, () => wait.end(false));
    const wait: Wait = {
      end: (isEnough) => {
        cancel();
        this.#wait = undefined;
        this.#skipAfterTimeout = isEnough ? 0 : Math.min(2 * this.#skipAfterTimeout + 1, maxSkipped);
        this.#batchesToSkip = this.#skipAfterTimeout;
        begin();
      },
      onQueued: (now) => {
        if (now >= enough) wait.end(true);
        else if (now >= nearly && !isNearlyComplete) {
          isNearlyComplete = true;
          cancel();
          cancel = this.#after(lastWaitMs, () => wait.end(false));
        }
      },
    };
    this.#wait = wait;
    wait.onQueued(items);
  }
}

/**
 * Returns the number of items that the next batch waits for, if the writers of the written batch may not be the only
 * writers.
 */
function itemsToAwait(items: number, meanwhile: number): number {
  if (items < minGroup || meanwhile > items * maxOthersShare) return 0;
  return Math.min(Math.ceil(items * nearlyAllShare), maxAwaited);
}

/** Starts a timer. It keeps the process alive, because callers wait for their writes. */
function afterMilliseconds(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
}
