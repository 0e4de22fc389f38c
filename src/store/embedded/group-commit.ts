/** A batch with fewer items than this is considered a coincidence. */
const minGroup = 4;
/** More writers than this are not in step: some of them always have an item queued. */
const maxInStep = 12;
/** After this many consecutive batches of at most `maxInStep` items, their writers are considered the only ones. */
const inStepAfter = 8;
/** The share of the expected items that shortens the wait: the remaining ones may take long. */
const nearlyAllShare = 0.8;
/** The share of the expected items that is enough if a batch is cheap. */
const halfShare = 0.5;
/** If a larger share than this was queued during the flush, there are always items to begin with. */
const maxOthersShare = 0.25;
/** The maximum number of items to wait for. With hundreds of writers, a single other client must not wait for all. */
const maxAwaited = 8;
/** Milliseconds in which notified writers usually submit their next item, if they do. */
const maxWaitMs = 4;
/** Milliseconds to wait for the last items once nearly all are queued. */
const lastWaitMs = 1;
/** The maximum number of batches that begin without a wait after repeated timeouts. */
const maxSkipped = 63;

/** Reports whether a batch is expensive, independent of its contents. */
interface Cost {
  isHigh(): boolean;
}

/** Calls back once after the given milliseconds; the returned function cancels. */
type After = (milliseconds: number, callback: () => void) => () => void;

interface Wait {
  /** Ends the wait; `isEnough` is false if it timed out. */
  over(isEnough: boolean): void;
  /** Reports the current number of queued items. */
  came(items: number): void;
}

/**
 * Decides when a group commit begins. Writers that are notified together submit their next items at about the same
 * time. A batch that begins with the first of these items makes all others wait for its flush and then for their own.
 * The batch therefore waits a moment for the expected number of items. If a batch is cheap, half of them are enough:
 * they are written while the other items are prepared, so that neither the disk nor the thread is idle. If the items do
 * not arrive, the next batch expects only as many as arrived, and after each timeout more batches begin without a wait.
 */
export class GroupCommit {
  #expected = 0;
  /** The number of consecutive batches with few items, including items queued meanwhile: these are all the writers. */
  #smallBatches = 0;
  #skipAfterTimeout = 0;
  #batchesToSkip = 0;
  #wait: Wait | undefined;
  #isStopped = false;
  readonly #cost: Cost;
  readonly #after: After;

  /**
   * `after` measures real time, not the program's clock: the milliseconds in which a CPU and a network bring writes.
   */
  constructor(cost: Cost, after: After = afterMilliseconds) {
    this.#cost = cost;
    this.#after = after;
  }

  /** Reports that a batch of `items` items was written while `meanwhile` other items were queued. */
  onWritten(items: number, meanwhile: number): void {
    const all = items + meanwhile;
    this.#smallBatches = all <= maxInStep ? this.#smallBatches + 1 : 0;
    const isInStep = this.#smallBatches >= inStepAfter && all >= minGroup;
    this.#expected = isInStep ? all : itemsToAwait(items, meanwhile);
  }

  /** Reports the current number of queued items. */
  onQueued(items: number): void {
    this.#wait?.came(items);
  }

  /** Resolves when a batch with `items` queued items may begin; `undefined` if it may begin now. */
  waitToBegin(items: number): Promise<void> | undefined {
    const enough = this.#cost.isHigh() ? this.#expected : Math.ceil(this.#expected * halfShare);
    if (items >= enough || this.#isStopped) return undefined;
    if (this.#batchesToSkip > 0) {
      this.#batchesToSkip--;
      return undefined;
    }
    return new Promise((resolve) => this.#waitFor(enough, items, resolve));
  }

  /** Ends the current wait; no more items will arrive. */
  stop(): void {
    this.#isStopped = true;
    this.#wait?.over(false);
  }

  #waitFor(enough: number, items: number, begin: () => void): void {
    const nearly = Math.ceil(this.#expected * nearlyAllShare);
    let isNearlyComplete = false;
    let cancel = this.#after(maxWaitMs, () => wait.over(false));
    const wait: Wait = {
      over: (isEnough) => {
        cancel();
        this.#wait = undefined;
        this.#skipAfterTimeout = isEnough ? 0 : Math.min(2 * this.#skipAfterTimeout + 1, maxSkipped);
        this.#batchesToSkip = this.#skipAfterTimeout;
        begin();
      },
      came: (now) => {
        if (now >= enough) wait.over(true);
        else if (now >= nearly && !isNearlyComplete) {
          isNearlyComplete = true;
          cancel();
          cancel = this.#after(lastWaitMs, () => wait.over(false));
        }
      },
    };
    this.#wait = wait;
    wait.came(items);
  }
}

/** The number of items to wait for if there are other writers too. */
function itemsToAwait(items: number, meanwhile: number): number {
  if (items < minGroup || meanwhile > items * maxOthersShare) return 0;
  return Math.min(Math.ceil(items * nearlyAllShare), maxAwaited);
}

/** The timer keeps the process alive: callers wait for the write. */
function afterMilliseconds(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
}
