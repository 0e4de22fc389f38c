/**
 * Items in the order in which they are wanted, the first at hand; adding, removing and moving one takes the logarithm
 * of their number. Whoever changes what an item is compared by says so with `moved`.
 */
export class PriorityHeap<T> {
  /** Negative: the one comes before the other. */
  readonly #compare: (one: T, other: T) => number;
  readonly #items: T[] = [];
  readonly #places = new Map<T, number>();

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
    return this.#places.has(item);
  }

  add(item: T): void {
    if (this.has(item)) return;
    this.#put(item, this.#items.length);
    this.#rise(this.#items.length - 1);
  }

  remove(item: T): void {
    const place = this.#places.get(item);
    if (place === undefined) return;
    this.#places.delete(item);
    const last = this.#items.pop() as T;
    if (place === this.#items.length) return;
    this.#put(last, place);
    this.moved(last);
  }

  moved(item: T): void {
    const place = this.#places.get(item);
    if (place === undefined) return;
    this.#rise(place);
    this.#sink(this.#places.get(item) ?? place);
  }

  #rise(from: number): void {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.#isBefore(place, parent)) return;
      this.#swap(place, parent);
      place = parent;
    }
  }

  #sink(from: number): void {
    let place = from;
    for (;;) {
      const left = 2 * place + 1;
      let least = place;
      if (this.#isBefore(left, least)) least = left;
      if (this.#isBefore(left + 1, least)) least = left + 1;
      if (least === place) return;
      this.#swap(place, least);
      place = least;
    }
  }

  #isBefore(place: number, other: number): boolean {
    if (place >= this.#items.length) return false;
    return this.#compare(this.#items[place] as T, this.#items[other] as T) < 0;
  }

  #swap(place: number, other: number): void {
    const item = this.#items[place] as T;
    this.#put(this.#items[other] as T, place);
    this.#put(item, other);
  }

  #put(item: T, place: number): void {
    this.#items[place] = item;
    this.#places.set(item, place);
  }
}
