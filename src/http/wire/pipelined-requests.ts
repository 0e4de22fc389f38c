import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

interface Pipeline {
  latest: ServerResponse;
  /** The number of unanswered requests. */
  length: number;
}

/**
 * Pipelined HTTP/1.1 requests of a connection. Node emits all of them at once and sends their responses in order. This
 * class also executes them in order, because one may depend on the effect of another, and executes none after a request
 * whose response closes the connection.
 */
export class PipelinedRequests {
  readonly #pipelines = new WeakMap<Duplex, Pipeline>();
  readonly #limit: number;

  /**
   * `limit` is the maximum pipeline length; beyond it, the connection is closed. Node reads on while nothing is
   * answered.
   */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The response to the latest request. */
  latestResponse(socket: Duplex): ServerResponse | undefined {
    return this.#pipelines.get(socket)?.latest;
  }

  /**
   * Resolves when all earlier requests have been answered: to true if this one is to be executed. `undefined` if there
   * are none. Without a `response`, this is the last request of the connection.
   */
  waitForPrevious(message: IncomingMessage, response?: ServerResponse): Promise<boolean> | undefined {
    const { socket } = message;
    const pipeline = this.#pipelines.get(socket);
    if (pipeline === undefined || pipeline.latest.closed) {
      if (response !== undefined) this.#pipelines.set(socket, { latest: response, length: 1 });
      return undefined;
    }
    const { latest } = pipeline;
    if (response !== undefined) pipeline.latest = response;
    if (++pipeline.length > this.#limit) socket.destroy();
    return new Promise((resolve) => {
      latest.once('close', () => {
        pipeline.length--;
        resolve(socket.writable);
      });
      // Node does not report a disconnect for responses that are not yet assigned to the socket.
      (response === undefined ? socket : message).once('close', () => resolve(false));
    });
  }
}
