/** Lets one at a time go on, in the order in which they ask. */
export class Turns {
  #isTaken = false;
  #waiting = [];

  /** Whether somebody else would like to go on. */
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
