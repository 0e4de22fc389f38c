/** What all items of a queue may weigh together, where counting them is not enough. */
export interface WeightLimit<T> {
  readonly most: number;
  weightOf(item: T): number;
}

/**
 * A queue between one who must not wait and one who reads at leisure. It never grows beyond its capacity: `push`
 * says no, and the pusher decides what that means. An empty queue takes any one item, however heavy. One reader at a
 * time.
 */
export class BoundedQueue<T> {
  readonly #capacity: number;
  readonly #limit: WeightLimit<T> | undefined;
  #weight = 0;
  #items: T[] = [];
  /** Items before this index have been taken; the array is cut now and then instead of shifted every time. */
  #head = 0;
  #ended = false;
  #waiting: (() => void) | undefined;

  constructor(capacity: number, limit?: WeightLimit<T>) {
    this.#capacity = capacity;
    this.#limit = limit;
  }

  get length(): number {
    return this.#items.length - this.#head;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** False: it is full or has ended, and the item was not taken in. */
  push(item: T): boolean {
    if (this.#ended || this.length >= this.#capacity) return false;
    const weight = this.#limit?.weightOf(item) ?? 0;
    if (this.#limit !== undefined && this.length > 0 && this.#weight + weight > this.#limit.most) return false;
    this.#weight += weight;
    this.#items.push(item);
    this.#wake();
    return true;
  }

  /** Nothing more goes in; what is inside can still be read. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** Ends it at once: what is inside is forgotten. */
  drop(): void {
    this.#items = [];
    this.#head = 0;
    this.#weight = 0;
    this.end();
  }

  /** The next item, as soon as there is one; undefined once it has ended and is empty. */
  async next(): Promise<T | undefined> {
    while (this.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
    return this.#take();
  }

  #take(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#head] as T;
    this.#head += 1;
    this.#weight -= this.#limit?.weightOf(item) ?? 0;
    if (this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.();
  }
}
