/**
 * What was made of texts that come again and again. Bounded: where there are too many all are forgotten, and what is made
 * of longer texts is not kept.
 */
export class Remembered<T> {
  readonly #known = new Map<string, T>();
  readonly #most: number;
  readonly #longest: number;

  constructor({ most, longest }: { readonly most: number; readonly longest: number }) {
    this.#most = most;
    this.#longest = longest;
  }

  get(text: string): T | undefined {
    return this.#known.get(text);
  }

  /** In the place of what was made of that text before. */
  set(text: string, made: T): void {
    if (text.length > this.#longest) return;
    if (this.#known.size >= this.#most) this.#known.clear();
    this.#known.set(text, made);
  }
}
