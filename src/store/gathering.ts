/** Fewer than these at a time have come together by chance. */
const fewest = 4;
/** More do not write in step: some of them are there at any time. */
const mostTogether = 12;
/** Batches in a row with no more than these: nobody else writes. */
const knownAfter = 8;
/** Of those who are awaited. The rest may be long in coming. */
const nearlyAll = 0.8;
/** Of them, where a batch costs little. */
const half = 0.5;
/** Where more than this part of them have come while they were written, there are always some to begin with. */
const fewOthers = 0.25;
/** With so many a flush is well used. Where hundreds write, one of another client is not to wait for all of theirs. */
const enoughOfMany = 8;
/** Milliseconds until those who were answered have written again, if they do at all. */
const longestWait = 4;
/** Once nearly all of them are there, the last ones are awaited no longer than so many milliseconds more. */
const lastWait = 1;
/** Batches that begin at once after many waits in a row were in vain. */
const mostUnasked = 63;

/** Whether a batch costs much, whoever is in it. */
interface Cost {
  isHigh(): boolean;
}

/** Calls back once after so many milliseconds; the function given back cancels it. */
type After = (milliseconds: number, callback: () => void) => () => void;

interface Wait {
  /** The batch begins. */
  over(isEnough: boolean): void;
  /** There are so many now. */
  came(works: number): void;
}

/**
 * When a batch begins. Those who were told together that their writes are durable write again at about the same time. A
 * batch that begins with the first of them has all others wait for its flush and then for their own: so it waits a moment
 * for as many as there are. Where a batch costs little, half of them are enough: these are written while the others are
 * dealt with, so that neither the disk nor the thread waits for the other. Where they do not come, the next ones expect
 * no more than came, and after each wait in vain more of them expect nobody.
 */
export class Gathering {
  #expected = 0;
  /** So many batches in a row had few in them, with those who came meanwhile: these are all who write. */
  #few = 0;
  #vain = 0;
  #unasked = 0;
  #wait: Wait | undefined;
  #isStopped = false;
  readonly #cost: Cost;
  readonly #after: After;

  /** Not the program's clock: the milliseconds in which a processor and a wire bring the next writes. */
  constructor(cost: Cost, after: After = afterMilliseconds) {
    this.#cost = cost;
    this.#after = after;
  }

  /** So many have been written together, and so many others have come meanwhile. */
  written(works: number, meanwhile: number): void {
    const all = works + meanwhile;
    this.#few = all <= mostTogether ? this.#few + 1 : 0;
    const areAll = this.#few >= knownAfter && all >= fewest;
    this.#expected = areAll ? all : worthAwaiting(works, meanwhile);
  }

  /** There are so many now. */
  came(works: number): void {
    this.#wait?.came(works);
  }

  /** With so many there: resolves when a batch may begin; undefined if at once. */
  before(works: number): Promise<void> | undefined {
    const enough = this.#cost.isHigh() ? this.#expected : Math.ceil(this.#expected * half);
    if (works >= enough || this.#isStopped) return undefined;
    if (this.#unasked > 0) {
      this.#unasked--;
      return undefined;
    }
    return new Promise((resolve) => this.#waitFor(enough, works, resolve));
  }

  /** Nobody else will come. */
  stop(): void {
    this.#isStopped = true;
    this.#wait?.over(false);
  }

  #waitFor(enough: number, works: number, begin: () => void): void {
    const nearly = Math.ceil(this.#expected * nearlyAll);
    let isNearly = false;
    let cancel = this.#after(longestWait, () => wait.over(false));
    const wait: Wait = {
      over: (isEnough) => {
        cancel();
        this.#wait = undefined;
        this.#vain = isEnough ? 0 : Math.min(2 * this.#vain + 1, mostUnasked);
        this.#unasked = this.#vain;
        begin();
      },
      came: (now) => {
        if (now >= enough) wait.over(true);
        else if (now >= nearly && !isNearly) {
          isNearly = true;
          cancel();
          cancel = this.#after(lastWait, () => wait.over(false));
        }
      },
    };
    this.#wait = wait;
    wait.came(works);
  }
}

/** Where others write as well, after a batch of so many. */
function worthAwaiting(works: number, meanwhile: number): number {
  if (works < fewest || meanwhile > works * fewOthers) return 0;
  return Math.min(Math.ceil(works * nearlyAll), enoughOfMany);
}

/** Holds the process: somebody waits for what is to be written. */
function afterMilliseconds(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
}
