/** What can be seen of an answer on its way out. */
interface Outflow {
  /** What still waits for the reader. */
  readonly writableLength: number;
  destroy(): unknown;
}

/** One that is watched. */
interface Watched {
  readonly response: Outflow;
  readonly handedOver: () => number;
  takenBefore: number | undefined;
  inVain: number;
}

/** So often is looked while one may stall: one is cut off a quarter later than it might be, not as much again. */
const looks = 4;

/**
 * A client that holds its connection and takes nothing of what waits for it would hold the memory for ever: it is cut
 * off when it has taken nothing for so long. One timer looks at all answers: nearly all of them are through before it
 * does, and need none of their own.
 */
export class StalledReaders {
  readonly #milliseconds: number;
  readonly #watched = new Set<Watched>();
  #timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /**
   * `handedOver` is all that was ever written, in the measure of `writableLength`; what of it no longer waits was taken.
   * What waits tells nothing by itself: where bookmarks come as regularly as the looks, the same amount is on its way
   * each time. Returns how to let go.
   */
  watch(response: Outflow, handedOver: () => number): () => void {
    const watched: Watched = { response, handedOver, takenBefore: undefined, inVain: 0 };
    this.#watched.add(watched);
    this.#timer ??= setInterval(() => this.#look(), this.#milliseconds / looks).unref();
    return () => this.#watched.delete(watched);
  }

  #look(): void {
    for (const watched of this.#watched) {
      const waiting = watched.response.writableLength;
      const taken = watched.handedOver() - waiting;
      watched.inVain = waiting > 0 && taken === watched.takenBefore ? watched.inVain + 1 : 0;
      watched.takenBefore = waiting > 0 ? taken : undefined;
      if (watched.inVain < looks) continue;
      this.#watched.delete(watched);
      watched.response.destroy();
    }
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
