/** The maximum number of members that are cached per object, counted from the first member. */
const maxPositions = 64;

/**
 * Caches a value for each member of an object, by the position of the member. Objects of one type usually have their
 * members in the same order. Comparing the name of a member with the cached name at its position is much faster than a
 * lookup by name.
 */
export class KeyOrderCache<T> {
  readonly #names: string[] = [];
  readonly #values: T[] = [];

  /** Returns the cached value; `undefined` if the cached member at this position has another name. */
  get(position: number, name: string): T | undefined {
    return this.#names[position] === name ? this.#values[position] : undefined;
  }

  /** Caches a value. Positions must be added in order, starting with 0. */
  set(position: number, name: string, value: T): void {
    if (position >= maxPositions || position > this.#names.length) return;
    this.#names[position] = name;
    this.#values[position] = value;
  }
}
