import { tooManyRequests } from '../../api/status.ts';
import { PriorityHeap } from '../../lib/queue/priority-heap.ts';

interface IncomingBody {
  readonly sender: Sender;
  bytes: number;
  refuse(error: Error): void;
}

/** A caller, identified by its fair queueing key, and the bodies that it is sending, oldest first. */
interface Sender {
  readonly key: string;
  readonly bodies: Set<IncomingBody>;
  bytes: number;
}

/**
 * The memory budget for request bodies that are being received. The in-flight limit does not cover this memory, because
 * a request holds no slot while its body arrives. If the budget is exceeded, the caller that uses the most memory loses
 * its oldest body, because well-behaved clients send a body quickly.
 */
export class BodyBudget {
  readonly #maxBytes: number;
  readonly #senders = new Map<string, Sender>();
  readonly #largest = new PriorityHeap<Sender>((one, other) => other.bytes - one.bytes);
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Runs `read` to receive a body for the caller `key`. `read` must report received bytes by calling its parameter,
   * which throws if the body has been evicted from the budget. `receive` then throws 429.
   */
  receive<T>(key: string, read: (report: (bytes: number) => void) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const body: IncomingBody = { sender: this.#senderOf(key), bytes: 0, refuse: reject };
      body.sender.bodies.add(body);
      read((bytes) => this.#grow(body, bytes)).then(
        (all) => {
          this.#end(body);
          resolve(all);
        },
        (error: Error) => {
          this.#end(body);
          reject(error);
        },
      );
    });
  }

  #senderOf(key: string): Sender {
    let sender = this.#senders.get(key);
    if (sender === undefined) {
      sender = { key, bodies: new Set(), bytes: 0 };
      this.#senders.set(key, sender);
      this.#largest.add(sender);
    }
    return sender;
  }

  #grow(body: IncomingBody, bytes: number): void {
    const { sender } = body;
    if (sender.bodies.has(body)) {
      body.bytes += bytes;
      this.#addBytes(sender, bytes);
      while (this.#bytes > this.#maxBytes) {
        const [oldest] = this.#largest.first?.bodies ?? [];
        if (oldest === undefined) break;
        this.#end(oldest);
        oldest.refuse(budgetExceeded());
      }
    }
    if (!sender.bodies.has(body)) throw budgetExceeded();
  }

  #addBytes(sender: Sender, bytes: number): void {
    this.#bytes += bytes;
    sender.bytes += bytes;
    this.#largest.moved(sender);
  }

  #end(body: IncomingBody): void {
    const { sender } = body;
    if (!sender.bodies.delete(body)) return;
    this.#addBytes(sender, -body.bytes);
    if (sender.bodies.size > 0) return;
    this.#largest.remove(sender);
    this.#senders.delete(sender.key);
  }
}

function budgetExceeded(): Error {
  return tooManyRequests('Too many requests, please try again later.', 1);
}
