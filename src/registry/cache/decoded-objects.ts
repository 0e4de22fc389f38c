/** A decoded form that is expensive to create and can be recreated at any time. */
export interface DecodedEntry {
  readonly size: number;
  /** True if it was read since the last check. This cache resets it. */
  used: boolean;
  release(): void;
}

/** The limit of the hit counter. This many consecutive hits or misses outweigh all earlier ones. */
const maxHitBalance = 32;

/** An entry of the doubly linked list. */
interface Link {
  readonly object: DecodedEntry;
  before: Link | undefined;
  after: Link | undefined;
}

/**
 * Limits how many objects of a kind are kept in decoded form, which takes several times the memory of their text.
 * Beyond the capacity the oldest entry is evicted, unless it was read since, which gives it a second chance (the CLOCK
 * algorithm).
 *
 * The list is linked by hand: a long-lived iterator over a Set that is being written retains every hash table that the
 * Set ever had, with all their entries.
 */
export class DecodedObjects {
  readonly #capacity: number;
  readonly #links = new Map<DecodedEntry, Link>();
  /** In the order of insertion or second chance. */
  #oldest: Link | undefined;
  #newest: Link | undefined;
  #size = 0;
  /** Incremented for each evicted entry that was read, decremented for each that was not. */
  #hitBalance = 0;

  /** `capacity` is in characters of stored text. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * True if most of the recently evicted entries had been read. If not, caching objects before the first read only
   * creates long-lived garbage, which costs more than decoding the few objects that are read.
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
