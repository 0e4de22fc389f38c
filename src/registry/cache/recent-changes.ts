/** The capacity: a number of changes, and a total size of their objects. */
export interface RecentCapacity {
  readonly changes: number;
  readonly size: number;
}

/**
 * The newest changes of a kind, so that most watches resume without reading from the store. Beyond the capacity the
 * oldest changes are evicted; `reaches` reports whether a revision is still covered.
 */
export class RecentChanges<T extends { readonly revision: number; readonly size: number }> {
  readonly #capacity: RecentCapacity;
  #changes: T[] = [];
  #size = 0;
  /** Every change after this revision is present. */
  #floor: number;

  constructor(capacity: RecentCapacity, floor: number) {
    this.#capacity = capacity;
    this.#floor = floor;
  }

  /** The total size of the retained changes. */
  get size(): number {
    return this.#size;
  }

  push(change: T): void {
    this.#changes.push(change);
    this.#size += change.size;
    const { changes, size } = this.#capacity;
    // Trims at twice the capacity, so that the amortized cost of a push is constant.
    if (this.#changes.length < changes * 2 && this.#size <= size * 2) return;
    let cut = Math.max(0, this.#changes.length - changes);
    let remaining = this.#changes.slice(cut).reduce((sum, each) => sum + each.size, 0);
    for (; remaining > size; cut++) remaining -= this.#changes[cut]?.size ?? remaining;
    this.#floor = this.#changes[cut - 1]?.revision ?? this.#floor;
    this.#changes = this.#changes.slice(cut);
    this.#size = remaining;
  }

  reaches(revision: number): boolean {
    return revision >= this.#floor;
  }

  /** Returns all changes after that revision. Call it only if `reaches(revision)` is true. */
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
