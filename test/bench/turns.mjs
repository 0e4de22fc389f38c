/** A mutex: one holder at a time, in the order of the requests. */
export class Turns {
  #isTaken = false;
  #waiting = [];

  /** True if the other side is waiting for its turn. */
  get isAwaited() {
    return this.#waiting.length > 0;
  }

  async begin() {
    if (this.#isTaken) await new Promise((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
  }

  end() {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}
