/** What all items of a queue may weigh together, where counting them is not enough. */
export interface WeightLimit<T> {
  readonly most: number;
  weightOf(item: T): number;
}

export interface BoundedQueueOptions<T> {
  readonly limit?: WeightLimit<T>;
  /** Called at once whenever something came in or it ended. Must not throw. */
  onChange?(): void;
}

/**
 * A queue between one who must not wait and one who reads at leisure. It never grows beyond its capacity: `push`
 * says no, and the pusher decides what that means. An empty queue takes any one item, however heavy.
 */
export class BoundedQueue<T> {
  readonly #capacity: number;
  readonly #limit: WeightLimit<T> | undefined;
  readonly #onChange: (() => void) | undefined;
  #weight = 0;
  /** Items before the head have been taken and forgotten; the array is cut now and then instead of shifted every time. */
  #items: (T | undefined)[] = [];
  #head = 0;
  #ended = false;

  constructor(capacity: number, options: BoundedQueueOptions<T> = {}) {
    this.#capacity = capacity;
    this.#limit = options.limit;
    this.#onChange = options.onChange;
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
    this.#onChange?.();
    return true;
  }

  /** Nothing more goes in; what is inside can still be taken. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onChange?.();
  }

  /** Ends it at once: what is inside is forgotten. */
  drop(): void {
    this.#items = [];
    this.#head = 0;
    this.#weight = 0;
    if (this.#ended) this.#onChange?.();
    else this.end();
  }

  /** The next item; undefined: there is none. */
  take(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#head] as T;
    this.#items[this.#head] = undefined;
    this.#head += 1;
    this.#weight -= this.#limit?.weightOf(item) ?? 0;
    if (this.#head === this.#items.length) {
      this.#items.length = 0;
      this.#head = 0;
    } else if (this.#head * 2 > this.#items.length && this.#head >= cutAfter) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}

/** Fewer are not worth a new array. */
const cutAfter = 32;
