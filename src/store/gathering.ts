/** Fewer than these at a time have come together by chance. */
const fewest = 4;
/** Of as many as the last batch held, this part is worth waiting for: the last ones of all may be long in coming. */
const worthwhile = 0.8;
/** Where more than this part of them have come while they were written, there are always some to begin with. */
const fewOthers = 0.25;
/** With so many a flush is well used. Where hundreds write, one of another client is not to wait for all of theirs. */
const mostAwaited = 8;
/** Milliseconds until those who were answered have written again, if they do at all. */
const longestWait = 4;
/** Batches that begin at once after many waits in a row were in vain. */
const mostUnasked = 63;

/** Calls back once after so many milliseconds; the function given back cancels it. */
type After = (milliseconds: number, callback: () => void) => () => void;

/**
 * When a batch begins. Those who were told together that their writes are durable write again at about the same time. A
 * batch that begins with the first of them has all others wait for its flush and then for their own, and costs nearly as
 * much as one that holds all of them: so it waits a moment for about as many as there were last. Where they do not come,
 * the next ones expect no more than came, and after each wait in vain more of them expect nobody.
 */
export class Gathering {
  #expected = 0;
  #vain = 0;
  #unasked = 0;
  #wait: { readonly enough: number; over(isEnough: boolean): void } | undefined;
  #isStopped = false;
  readonly #after: After;

  /** Not the program's clock: the milliseconds in which a processor and a wire bring the next writes. */
  constructor(after: After = afterMilliseconds) {
    this.#after = after;
  }

  /** So many have been written together, and so many others have come meanwhile. */
  written(works: number, meanwhile: number): void {
    const isAll = works >= fewest && meanwhile <= works * fewOthers;
    this.#expected = isAll ? Math.min(Math.ceil(works * worthwhile), mostAwaited) : 0;
  }

  /** There are so many now. */
  came(works: number): void {
    if (this.#wait !== undefined && works >= this.#wait.enough) this.#wait.over(true);
  }

  /** With so many there: resolves when a batch may begin; undefined if at once. */
  before(works: number): Promise<void> | undefined {
    if (works >= this.#expected || this.#isStopped) return undefined;
    if (this.#unasked > 0) {
      this.#unasked--;
      return undefined;
    }
    return new Promise((resolve) => {
      const cancel = this.#after(longestWait, () => this.#wait?.over(false));
      this.#wait = {
        enough: this.#expected,
        over: (isEnough) => {
          cancel();
          this.#wait = undefined;
          this.#vain = isEnough ? 0 : Math.min(2 * this.#vain + 1, mostUnasked);
          this.#unasked = this.#vain;
          resolve();
        },
      };
    });
  }

  /** Nobody else will come. */
  stop(): void {
    this.#isStopped = true;
    this.#wait?.over(false);
  }
}

/** Holds the process: somebody waits for what is to be written. */
function afterMilliseconds(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
}
