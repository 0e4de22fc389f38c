/**
 * A priority queue in which adding, removing and moving an item takes logarithmic time. Callers must call `moved` after
 * the priority of an item has changed.
 */
export class PriorityHeap<T> {
  /** Returns a negative number if the first item has priority over the second. */
  readonly #compare: (one: T, other: T) => number;
  readonly #items: T[] = [];
  readonly #indexes = new Map<T, number>();

  constructor(compare: (one: T, other: T) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  has(item: T): boolean {
    return this.#indexes.has(item);
  }

  add(item: T): void {
    if (this.has(item)) return;
    this.#put(item, this.#items.length);
    this.#rise(this.#items.length - 1);
  }

  remove(item: T): void {
    const index = this.#indexes.get(item);
    if (index === undefined) return;
    this.#indexes.delete(item);
    const last = this.#items.pop() as T;
    if (index === this.#items.length) return;
    this.#put(last, index);
    this.moved(last);
  }

  moved(item: T): void {
    const index = this.#indexes.get(item);
    if (index === undefined) return;
    this.#rise(index);
    this.#sink(this.#indexes.get(item) ?? index);
  }

  #rise(from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #sink(from: number): void {
    let index = from;
    for (;;) {
      const left = 2 * index + 1;
      let least = index;
      if (this.#isBefore(left, least)) least = left;
      if (this.#isBefore(left + 1, least)) least = left + 1;
      if (least === index) return;
      this.#swap(index, least);
      index = least;
    }
  }

  #isBefore(index: number, other: number): boolean {
    if (index >= this.#items.length) return false;
    return this.#compare(this.#items[index] as T, this.#items[other] as T) < 0;
  }

  #swap(index: number, other: number): void {
    const item = this.#items[index] as T;
    this.#put(this.#items[other] as T, index);
    this.#put(item, other);
  }

  #put(item: T, index: number): void {
    this.#items[index] = item;
    this.#indexes.set(item, index);
  }
}
