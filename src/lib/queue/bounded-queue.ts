/** A limit for the total weight of all queued items, for items of very different sizes. */
export interface WeightLimit<T> {
  readonly max: number;
  weightOf(item: T): number;
}

export interface BoundedQueueOptions<T> {
  readonly limit?: WeightLimit<T>;
  /** Called synchronously after an item is added or the queue ends. Must not throw. */
  onChange?(): void;
}

/**
 * A queue between a producer that must not wait and a slower consumer. If the queue is full, `push` returns false, and
 * the producer decides what to do. An empty queue accepts one item of any weight.
 */
export class BoundedQueue<T> {
  readonly #capacity: number;
  readonly #limit: WeightLimit<T> | undefined;
  readonly #onChange: (() => void) | undefined;
  #weight = 0;
  /**
   * The items. The items before `#head` were taken. Taken items are removed in batches, because removing each with
   * `shift` is slow.
   */
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

  /** Adds an item. Returns false without adding it if the queue is full or has ended. */
  push(item: T): boolean {
    if (this.#ended || this.length >= this.#capacity) return false;
    const weight = this.#limit?.weightOf(item) ?? 0;
    if (this.#limit !== undefined && this.length > 0 && this.#weight + weight > this.#limit.max) return false;
    this.#weight += weight;
    this.#items.push(item);
    this.#onChange?.();
    return true;
  }

  /** Ends the queue. No more items can be added, but the queued items can be taken. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onChange?.();
  }

  /** Ends the queue and discards the queued items. */
  drop(): void {
    this.#items = [];
    this.#head = 0;
    this.#weight = 0;
    if (this.#ended) this.#onChange?.();
    else this.end();
  }

  /** Removes and returns the next item; `undefined` if the queue is empty. */
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

/**
 * After this many items were taken, the array is compacted. For fewer items, creating a new array is not worth the
 * time.
 */
const compactAfter = 32;
