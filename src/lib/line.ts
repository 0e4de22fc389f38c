/** One place in a line, for leaving it from wherever it is. */
export interface Place<T> {
  readonly item: T;
}

interface Link<T> extends Place<T> {
  before: Link<T> | undefined;
  behind: Link<T> | undefined;
  isIn: boolean;
}

/** A line that is joined at its end and left from anywhere, each at once however long it is. */
export class Line<T> {
  #first: Link<T> | undefined;
  #last: Link<T> | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get first(): T | undefined {
    return this.#first?.item;
  }

  get last(): T | undefined {
    return this.#last?.item;
  }

  join(item: T): Place<T> {
    const link: Link<T> = { item, before: this.#last, behind: undefined, isIn: true };
    if (this.#last === undefined) this.#first = link;
    else this.#last.behind = link;
    this.#last = link;
    this.#length++;
    return link;
  }

  /** Of a place in this line; without effect once it has been left. */
  leave(place: Place<T>): void {
    const link = place as Link<T>;
    if (!link.isIn) return;
    link.isIn = false;
    if (link.before === undefined) this.#first = link.behind;
    else link.before.behind = link.behind;
    if (link.behind === undefined) this.#last = link.before;
    else link.behind.before = link.before;
    this.#length--;
  }

  /** Takes the first out. */
  shift(): T | undefined {
    const first = this.#first;
    if (first === undefined) return undefined;
    this.leave(first);
    return first.item;
  }
}
