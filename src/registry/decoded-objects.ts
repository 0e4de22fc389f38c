/** Something that is dear to make and can be made again at any time. */
export interface Decoded {
  readonly size: number;
  /** It was asked for since it was last looked at. Taken back here. */
  used: boolean;
  forget(): void;
}

/**
 * Bounds how many objects of a kind are kept in decoded form: several times what their text takes. Beyond that the
 * one that came first is forgotten, unless somebody has asked for it since, which gives it a second round.
 */
export class DecodedObjects {
  readonly #capacity: number;
  #queue: Decoded[] = [];
  #head = 0;
  #size = 0;

  /** In characters of stored text. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#size;
  }

  add(object: Decoded): void {
    this.#queue.push(object);
    this.#size += object.size;
    while (this.#size > this.#capacity && this.#queue.length - this.#head > 1) this.#turn();
  }

  #turn(): void {
    const oldest = this.#queue[this.#head++];
    if (oldest?.used === true) {
      oldest.used = false;
      this.#queue.push(oldest);
    } else if (oldest !== undefined) {
      this.#size -= oldest.size;
      oldest.forget();
    }
    // Cut at half, so that a turn costs next to nothing on average.
    if (this.#head * 2 < this.#queue.length) return;
    this.#queue = this.#queue.slice(this.#head);
    this.#head = 0;
  }
}
