/** The maximum total weight of all items, where their number is not a sufficient limit. */
export interface WeightLimit<T> {
  readonly max: number;
  weightOf(item: T): number;
}

export interface BoundedQueueOptions<T> {
  readonly limit?: WeightLimit<T>;
  /** Called synchronously when an item was added or the queue ended. Must not throw. */
  onChange?(): void;
}

/**
 * A queue between a producer that must not wait and a slower consumer. It never grows beyond its capacity: `push`
 * returns false, and the producer decides what to do. An empty queue accepts any single item, whatever its weight.
 */
export class BoundedQueue<T> {
  readonly #capacity: number;
  readonly #limit: WeightLimit<T> | undefined;
  readonly #onChange: (() => void) | undefined;
  #weight = 0;
  /** Items before the head were taken. The array is compacted occasionally instead of shifted for every item. */
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

  /** Returns false if the queue is full or has ended; the item is not added then. */
  push(item: T): boolean {
    if (this.#ended || this.length >= this.#capacity) return false;
    const weight = this.#limit?.weightOf(item) ?? 0;
    if (this.#limit !== undefined && this.length > 0 && this.#weight + weight > this.#limit.max) return false;
    this.#weight += weight;
    this.#items.push(item);
    this.#onChange?.();
    return true;
  }

  /** Ends the queue: no more items are added, but the remaining ones can be taken. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onChange?.();
  }

  /** Ends the queue and discards the remaining items. */
  drop(): void {
    this.#items = [];
    this.#head = 0;
    this.#weight = 0;
    if (this.#ended) this.#onChange?.();
    else this.end();
  }

  /** The next item; `undefined` if there is none. */
  take(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#head] as T;
    this.#items[this.#head] = undefined;
    this.#head += 1;
    this.#weight -= this.#limit?.weightOf(item) ?? 0;
    if (this.#head === this.#items.length) {
      this.#items.length = 0;
      this.#head = 0;
    } else if (this.#head * 2 > this.#items.length && this.#head >= compactAfter) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}

/** Compacting fewer items is not worth a new array. */
const compactAfter = 32;
