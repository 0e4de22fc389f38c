/**
 * The newest changes of a kind, so that most watches resume without asking the store. Bounded: beyond the capacity
 * the oldest are forgotten, and `reaches` says how far back it still goes.
 */
export class RecentChanges<T extends { readonly revision: number }> {
  readonly #capacity: number;
  #changes: T[] = [];
  /** Every change after this revision is here. */
  #floor: number;

  constructor(capacity: number, floor: number) {
    this.#capacity = capacity;
    this.#floor = floor;
  }

  push(change: T): void {
    this.#changes.push(change);
    // Cut at twice the capacity, so that a push costs next to nothing on average.
    if (this.#changes.length < this.#capacity * 2) return;
    const cut = this.#changes.length - this.#capacity;
    this.#floor = this.#changes[cut - 1]?.revision ?? this.#floor;
    this.#changes = this.#changes.slice(cut);
  }

  reaches(revision: number): boolean {
    return revision >= this.#floor;
  }

  /** All changes after that revision; to be asked only where it `reaches`. */
  since(revision: number): T[] {
    let low = 0;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#changes[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#changes.slice(low);
  }
}
