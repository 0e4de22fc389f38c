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
  /** In the order in which they came, or got another round. */
  readonly #kept = new Set<Decoded>();
  /** Goes through them in that order, past what was dropped meanwhile. */
  #oldest = this.#kept.values();
  #size = 0;

  /** In characters of stored text. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#size;
  }

  add(object: Decoded): void {
    if (this.#kept.has(object)) return;
    this.#kept.add(object);
    this.#size += object.size;
    while (this.#size > this.#capacity && this.#kept.size > 1) this.#turn();
  }

  /** Another version has come in its place, or none: nobody will ask for it again. */
  drop(object: Decoded): void {
    if (!this.#kept.delete(object)) return;
    this.#size -= object.size;
    object.forget();
  }

  #turn(): void {
    const { value: oldest, done } = this.#oldest.next();
    if (done === true) {
      this.#oldest = this.#kept.values();
      return;
    }
    if (!oldest.used) {
      this.drop(oldest);
      return;
    }
    oldest.used = false;
    this.#kept.delete(oldest);
    this.#kept.add(oldest);
  }
}
