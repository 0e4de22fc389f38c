/** The capacity of `RecentChanges`: the maximum number of changes and their maximum total size in characters. */
export interface RecentCapacity {
  readonly changes: number;
  readonly size: number;
}

/**
 * The newest changes of a kind, so that most watches can resume without reading from the store. If the capacity is
 * exceeded, the oldest changes are evicted. `reaches` reports whether all changes after a revision are available.
 */
export class RecentChanges<T extends { readonly revision: number; readonly size: number }> {
  readonly #capacity: RecentCapacity;
  #changes: T[] = [];
  #size = 0;
  #floor: number;

  constructor(capacity: RecentCapacity, floor: number) {
    this.#capacity = capacity;
    this.#floor = floor;
  }

  /** The total size of the changes in the list, in characters. */
  get size(): number {
    return this.#size;
  }

  /** The floor of the list: the list contains every change after this revision. */
  get floor(): number {
    return this.#floor;
  }

  /**
   * True if the list can take this number of changes, with this total size, without evicting any change that it
   * contains.
   */
  hasSpaceFor(changes: number, size: number): boolean {
    return this.#changes.length + changes <= this.#capacity.changes && this.#size + size <= this.#capacity.size;
  }

  /**
   * Adds older changes to the start of the list: every change after revision `floor` up to and including `upTo`. `upTo`
   * must be the revision after which the list is complete now. If that revision has changed in the meantime, or if
   * there is no space, adds nothing and returns false.
   */
  addOlder(older: readonly T[], floor: number, upTo: number): boolean {
    const size = older.reduce((sum, each) => sum + each.size, 0);
    if (upTo !== this.#floor || !this.hasSpaceFor(older.length, size)) return false;
    this.#changes = [...older, ...this.#changes];
    this.#size += size;
    this.#floor = floor;
    return true;
  }

  push(change: T): void {
    this.#changes.push(change);
    this.#size += change.size;
    const { changes, size } = this.#capacity;
    // Evicts changes only when the list has reached twice its capacity, so that the amortized cost of a push is
    // constant.
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

  /** Returns all changes after `revision`. The caller must first check that `reaches(revision)` is true. */
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
