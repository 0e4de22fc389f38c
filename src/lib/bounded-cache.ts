/**
 * A bounded cache of values computed from recurring texts. When it is full, it is emptied; values of texts that are too
 * long are not cached.
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

  /** Replaces an earlier value for the text. */
  set(text: string, value: T): void {
    if (text.length > this.#maxKeyLength) return;
    if (this.#values.size >= this.#maxEntries) this.#values.clear();
    this.#values.set(text, value);
  }
}
