/** Members beyond this position are not cached. */
const maxPositions = 64;

/**
 * Caches information about the members of objects by position. Objects of one type usually have their members in the
 * same order, and comparing a name with the last one at that position is much faster than a lookup by name.
 */
export class KeyOrderCache<T> {
  readonly #names: string[] = [];
  readonly #values: T[] = [];

  /** `undefined` if the last member at that position had another name. */
  get(position: number, name: string): T | undefined {
    return this.#names[position] === name ? this.#values[position] : undefined;
  }

  /** Positions must be added in order, starting with the first. */
  set(position: number, name: string, value: T): void {
    if (position >= maxPositions || position > this.#names.length) return;
    this.#names[position] = name;
    this.#values[position] = value;
  }
}
