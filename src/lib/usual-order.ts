/** Members beyond this many are looked for by name alone. */
const mostPlaces = 64;

/**
 * What is known of the members of objects, found by where they stand: those of one sort have theirs in the same order as
 * a rule, and to see that a name is the one that stood there last is a fraction of looking for it.
 */
export class UsualOrder<T> {
  readonly #names: string[] = [];
  readonly #known: T[] = [];

  /** Undefined: another one stood there last. */
  at(place: number, name: string): T | undefined {
    return this.#names[place] === name ? this.#known[place] : undefined;
  }

  /** Places are told of from the first on. */
  put(place: number, name: string, known: T): void {
    if (place >= mostPlaces || place > this.#names.length) return;
    this.#names[place] = name;
    this.#known[place] = known;
  }
}
