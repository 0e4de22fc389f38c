import { tooManyRequests } from '../api/status.ts';
import { PriorityHeap } from '../lib/priority-heap.ts';

interface Arriving {
  readonly sender: Sender;
  bytes: number;
  refuse(error: Error): void;
}

/** One key, with its bodies in the order in which they began. */
interface Sender {
  readonly key: string;
  readonly arriving: Set<Arriving>;
  bytes: number;
}

/**
 * Room for bodies that are on their way. Those who send them hold no place among the requests at work, so that it is
 * not the number of places that bounds what they make the server keep. Where there is no more room, a body of the key
 * that takes up most has to go, and of those the one that has been on its way for longest; that of an honest client is
 * soon there.
 */
export class BodyRoom {
  readonly #most: number;
  readonly #senders = new Map<string, Sender>();
  readonly #largest = new PriorityHeap<Sender>((one, other) => other.bytes - one.bytes);
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#most = mostBytes;
  }

  /** `read` tells of the bytes as they come; telling throws once there is no room for them. Throws 429. */
  receive<T>(key: string, read: (tell: (bytes: number) => void) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const arriving: Arriving = { sender: this.#senderOf(key), bytes: 0, refuse: reject };
      arriving.sender.arriving.add(arriving);
      read((bytes) => this.#grow(arriving, bytes)).then(
        (all) => {
          this.#end(arriving);
          resolve(all);
        },
        (error: Error) => {
          this.#end(arriving);
          reject(error);
        },
      );
    });
  }

  #senderOf(key: string): Sender {
    let sender = this.#senders.get(key);
    if (sender === undefined) {
      sender = { key, arriving: new Set(), bytes: 0 };
      this.#senders.set(key, sender);
      this.#largest.add(sender);
    }
    return sender;
  }

  #grow(arriving: Arriving, bytes: number): void {
    const { sender } = arriving;
    if (sender.arriving.has(arriving)) {
      arriving.bytes += bytes;
      this.#weigh(sender, bytes);
      while (this.#bytes > this.#most) {
        const [oldest] = this.#largest.first?.arriving ?? [];
        if (oldest === undefined) break;
        this.#end(oldest);
        oldest.refuse(noRoom());
      }
    }
    if (!sender.arriving.has(arriving)) throw noRoom();
  }

  #weigh(sender: Sender, bytes: number): void {
    this.#bytes += bytes;
    sender.bytes += bytes;
    this.#largest.moved(sender);
  }

  #end(arriving: Arriving): void {
    const { sender } = arriving;
    if (!sender.arriving.delete(arriving)) return;
    this.#weigh(sender, -arriving.bytes);
    if (sender.arriving.size > 0) return;
    this.#largest.remove(sender);
    this.#senders.delete(sender.key);
  }
}

function noRoom(): Error {
  return tooManyRequests('Too many requests, please try again later.', 1);
}
