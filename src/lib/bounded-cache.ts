/**
 * A bounded cache with text keys, for values that are computed again if they are missing. A full cache is emptied
 * before the next value is added. Values with very long keys are not cached.
 */
export class BoundedCache<T> {
  readonly #values = new Map<string, T>();
  readonly #maxEntries: number;
  readonly #maxKeyLength: number;

  constructor({ most, longest }: { readonly most: number; readonly longest: number }) {
    this.#maxEntries = most;
    this.#maxKeyLength = longest;
  }

  get(text: string): T | undefined {
    return this.#values.get(text);
  }

  /** Adds a value, or replaces the existing value of this key. */
  set(text: string, value: T): void {
    if (text.length > this.#maxKeyLength) return;
    if (this.#values.size >= this.#maxEntries) this.#values.clear();
    this.#values.set(text, value);
  }
}
