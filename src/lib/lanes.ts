/** Runs what has the same name one after the other, and everything else side by side. */
export class Lanes {
  readonly #ends = new Map<string, Promise<unknown>>();

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#ends.get(name) ?? Promise.resolve();
    const own = before.then(work, work);
    this.#ends.set(name, own);
    try {
      return await own;
    } finally {
      if (this.#ends.get(name) === own) this.#ends.delete(name);
    }
  }

  /** How many names have something running or waiting. */
  get size(): number {
    return this.#ends.size;
  }
}
