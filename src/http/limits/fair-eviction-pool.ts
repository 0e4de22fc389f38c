import { LinkedQueue, type QueueEntry } from '../../lib/queue/linked-queue.ts';
import { PriorityHeap } from '../../lib/queue/priority-heap.ts';

interface Source {
  readonly name: string;
  readonly entries: LinkedQueue<() => void>;
}

/**
 * A set of entries, such as connections, that can be evicted to free capacity. `evictOne` evicts the oldest entry of
 * the source that has the most entries, so that one source cannot displace the entries of others.
 */
export class FairEvictionPool {
  readonly #sources = new Map<string, Source>();
  readonly #largest = new PriorityHeap<Source>((one, other) => other.entries.length - one.entries.length);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds an entry. Eviction removes the entry and calls `evict` once. Returns a function that removes the entry. */
  add(sourceName: string, evict: () => void): () => void {
    const source = this.#sources.get(sourceName) ?? { name: sourceName, entries: new LinkedQueue() };
    this.#sources.set(sourceName, source);
    let removed = false;
    const remove = () => {
      if (removed) return;
      removed = true;
      this.#size--;
      this.#remove(source, entry);
    };
    const entry: QueueEntry<() => void> = source.entries.push(() => {
      remove();
      evict();
    });
    this.#size++;
    this.#largest.add(source);
    this.#largest.moved(source);
    return remove;
  }

  /** Evicts one entry. Returns false if the pool is empty. */
  evictOne(): boolean {
    const first = this.#largest.first?.entries.first;
    first?.();
    return first !== undefined;
  }

  #remove(source: Source, entry: QueueEntry<() => void>): void {
    source.entries.remove(entry);
    if (source.entries.length > 0) {
      this.#largest.moved(source);
      return;
    }
    this.#largest.remove(source);
    this.#sources.delete(source.name);
  }
}
