/** An entry of a queue. A caller passes the entry to `remove` to remove the item from any position. */
export interface QueueEntry<T> {
  readonly item: T;
}

interface Node<T> extends QueueEntry<T> {
  previous: Node<T> | undefined;
  next: Node<T> | undefined;
  isQueued: boolean;
}

/** A linked list with constant-time append and removal from any position. */
export class LinkedQueue<T> {
  #first: Node<T> | undefined;
  #last: Node<T> | undefined;
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

  push(item: T): QueueEntry<T> {
    const link: Node<T> = { item, previous: this.#last, next: undefined, isQueued: true };
    if (this.#last === undefined) this.#first = link;
    else this.#last.next = link;
    this.#last = link;
    this.#length++;
    return link;
  }

  /** Removes an entry from the queue. Does nothing if the entry is already removed. */
  remove(entry: QueueEntry<T>): void {
    const link = entry as Node<T>;
    if (!link.isQueued) return;
    link.isQueued = false;
    if (link.previous === undefined) this.#first = link.next;
    else link.previous.next = link.next;
    if (link.next === undefined) this.#last = link.previous;
    else link.next.previous = link.previous;
    this.#length--;
  }

  /** Removes and returns the first item; `undefined` if the queue is empty. */
  shift(): T | undefined {
    const first = this.#first;
    if (first === undefined) return undefined;
    this.remove(first);
    return first.item;
  }
}
