import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Requests that are sent over one connection of HTTP/1.1 without waiting for answers. Node tells of them all at once and
 * sends their answers in order; here they are carried out in order, too, as one may undo what the other does, and none
 * behind the one with whose answer the connection closes.
 */
export class AnswersInOrder {
  readonly #latest = new WeakMap<Duplex, ServerResponse>();

  /** The answer to the request that came last. */
  latestOn(socket: Duplex): ServerResponse | undefined {
    return this.#latest.get(socket);
  }

  /**
   * Resolves when all before have been answered, to whether this one is to be; undefined: that is so already. Without a
   * `response` it is the last one that is read.
   */
  turnOf(message: IncomingMessage, response?: ServerResponse): Promise<boolean> | undefined {
    const { socket } = message;
    const earlier = this.#latest.get(socket);
    if (response !== undefined) this.#latest.set(socket, response);
    if (earlier === undefined || earlier.closed) return undefined;
    return new Promise((resolve) => {
      earlier.once('close', () => resolve(socket.writable));
      // Of answers whose turn has not come Node does not tell that nobody is there any more.
      (response === undefined ? socket : message).once('close', () => resolve(false));
    });
  }
}
