import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

interface Line {
  latest: ServerResponse;
  /** How many have not been answered. */
  length: number;
}

/**
 * Requests that are sent over one connection of HTTP/1.1 without waiting for answers. Node tells of them all at once and
 * sends their answers in order; here they are carried out in order, too, as one may undo what the other does, and none
 * behind the one with whose answer the connection closes.
 */
export class AnswersInOrder {
  readonly #lines = new WeakMap<Duplex, Line>();
  readonly #longest: number;

  /** `longest`: who sends more at a time is cut off. Node reads on as long as nothing is answered. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** The answer to the request that came last. */
  latestOn(socket: Duplex): ServerResponse | undefined {
    return this.#lines.get(socket)?.latest;
  }

  /**
   * Resolves when all before have been answered, to whether this one is to be; undefined: that is so already. Without a
   * `response` it is the last one that is read.
   */
  turnOf(message: IncomingMessage, response?: ServerResponse): Promise<boolean> | undefined {
    const { socket } = message;
    const line = this.#lines.get(socket);
    if (line === undefined || line.latest.closed) {
      if (response !== undefined) this.#lines.set(socket, { latest: response, length: 1 });
      return undefined;
    }
    const { latest } = line;
    if (response !== undefined) line.latest = response;
    if (++line.length > this.#longest) socket.destroy();
    return new Promise((resolve) => {
      latest.once('close', () => {
        line.length--;
        resolve(socket.writable);
      });
      // Of answers whose turn has not come Node does not tell that nobody is there any more.
      (response === undefined ? socket : message).once('close', () => resolve(false));
    });
  }
}
