/** Something that is dear to make and can be made again at any time. */
export interface Decoded {
  readonly size: number;
  /** It was asked for since it was last looked at. Taken back here. */
  used: boolean;
  forget(): void;
}

/** So many of the one sort outweigh whatever was before. */
const longMemory = 32;

/** One that is kept, between the one that came before it and the one after. */
interface Link {
  readonly object: Decoded;
  before: Link | undefined;
  after: Link | undefined;
}

/**
 * Bounds how many objects of a kind are kept in decoded form: several times what their text takes. Beyond that the
 * one that came first is forgotten, unless somebody has asked for it since, which gives it a second round.
 *
 * They are linked by hand: an iterator over a set that stands still while the set is written holds on to every table
 * that the set ever had, with all that was in it.
 */
export class DecodedObjects {
  readonly #capacity: number;
  readonly #links = new Map<Decoded, Link>();
  /** In the order in which they came, or got another round. */
  #oldest: Link | undefined;
  #newest: Link | undefined;
  #size = 0;
  /** Goes up with each that was asked for and down with each that was not. */
  #asked = 0;

  /** In characters of stored text. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Whether those that went lately had been asked for, as a rule. If not, what is kept before anybody asks is only garbage
   * that has grown old, which costs more than to make the few that somebody does ask for.
   */
  get areAskedFor(): boolean {
    return this.#asked >= 0;
  }

  add(object: Decoded): void {
    if (this.#links.has(object)) return;
    const link = { object, before: undefined, after: undefined };
    this.#links.set(object, link);
    this.#append(link);
    this.#size += object.size;
    while (this.#size > this.#capacity && this.#links.size > 1) this.#turn();
  }

  /** Another version has come in its place, or none: nobody will ask for it again. */
  drop(object: Decoded): void {
    const link = this.#links.get(object);
    if (link === undefined) return;
    this.#count(object.used);
    this.#links.delete(object);
    this.#unlink(link);
    this.#size -= object.size;
    object.forget();
  }

  #turn(): void {
    const oldest = this.#oldest;
    if (oldest === undefined) return;
    if (!oldest.object.used) {
      this.drop(oldest.object);
      return;
    }
    this.#count(true);
    oldest.object.used = false;
    this.#unlink(oldest);
    this.#append(oldest);
  }

  #count(wasAskedFor: boolean): void {
    this.#asked = Math.max(-longMemory, Math.min(longMemory, this.#asked + (wasAskedFor ? 1 : -1)));
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
