/**
 * A queue between one who must not wait and one who reads at leisure. It never grows beyond its capacity: `push`
 * says no, and the pusher decides what that means. One reader at a time.
 */
export class BoundedQueue<T> {
  readonly #capacity: number;
  #items: T[] = [];
  /** Items before this index have been taken; the array is cut now and then instead of shifted every time. */
  #head = 0;
  #ended = false;
  #waiting: (() => void) | undefined;

  constructor(capacity: number) {
    this.#capacity = capacity;
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
    const item = this.#items[this.#head];
    this.#head += 1;
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
