/** A decoded object, which can be released at any time because it can be decoded again from its stored text. */
export interface DecodedEntry {
  readonly size: number;
  /** The entry sets `used` to true on each read. The cache resets it when it keeps the entry instead of evicting it. */
  used: boolean;
  release(): void;
}

/**
 * The maximum of the absolute value of `#hitBalance`. With this limit, 32 hits or 32 misses in a row outweigh all
 * earlier reads.
 */
const maxHitBalance = 32;

/** An element of the doubly linked list of entries. */
interface Link {
  readonly object: DecodedEntry;
  before: Link | undefined;
  after: Link | undefined;
}

/**
 * Limits how many objects of a kind stay decoded, because a decoded object takes several times the memory of its stored
 * text. If the capacity is exceeded, the oldest entry is evicted. An entry that was read since it was added gets a
 * second chance: it becomes the newest entry (the CLOCK algorithm).
 * This class implements its own linked list. A Set is unsuitable: the cache would need a long-lived iterator over the
 * Set, and such an iterator retains every hash table that the Set ever had, with all entries.
 */
export class DecodedObjects {
  readonly #capacity: number;
  readonly #links = new Map<DecodedEntry, Link>();
  /** The ends of the list. Entries are in the order in which they were added or got their last second chance. */
  #oldest: Link | undefined;
  #newest: Link | undefined;
  #size = 0;
  /**
   * Incremented when an entry turns out to have been read since it was added, decremented when an entry is evicted
   * without having been read.
   */
  #hitBalance = 0;

  /** `capacity` is the maximum total size of the entries, in characters of stored text. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * True if most entries were read before they were evicted. If false, objects should be decoded only when they are
   * read. Decoding all objects early would create long-lived garbage, which costs more time than decoding the few
   * objects that are read.
   */
  get isEffective(): boolean {
    return this.#hitBalance >= 0;
  }

  add(object: DecodedEntry): void {
    if (this.#links.has(object)) return;
    const link = { object, before: undefined, after: undefined };
    this.#links.set(object, link);
    this.#append(link);
    this.#size += object.size;
    while (this.#size > this.#capacity && this.#links.size > 1) this.#evictOldest();
  }

  /** Removes an object that was replaced or deleted and will not be read again. */
  drop(object: DecodedEntry): void {
    const link = this.#links.get(object);
    if (link === undefined) return;
    this.#recordOutcome(object.used);
    this.#links.delete(object);
    this.#unlink(link);
    this.#size -= object.size;
    object.release();
  }

  #evictOldest(): void {
    const oldest = this.#oldest;
    if (oldest === undefined) return;
    if (!oldest.object.used) {
      this.drop(oldest.object);
      return;
    }
    this.#recordOutcome(true);
    oldest.object.used = false;
    this.#unlink(oldest);
    this.#append(oldest);
  }

  #recordOutcome(wasRead: boolean): void {
    this.#hitBalance = Math.max(-maxHitBalance, Math.min(maxHitBalance, this.#hitBalance + (wasRead ? 1 : -1)));
  }

  #append(link: Link): void {
    link.before = this.#newest;
    link.after = undefined;
    if (this.#newest === undefined) this.#oldest = link;
    else this.#newest.after = link;
    this.#newest = link;
  }

  #unlink({ before, after }: Link): void {
    if (before === undefined) this.#oldest = after;
    else before.after = after;
    if (after === undefined) this.#newest = before;
    else after.before = before;
  }
}
