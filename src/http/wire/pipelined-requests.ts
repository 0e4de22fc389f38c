import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

interface Pipeline {
  latest: ServerResponse;
  /** The number of requests that have no response yet. */
  length: number;
}

/**
 * Executes the pipelined HTTP/1.1 requests of a connection one after the other, because a request may depend on the
 * effect of an earlier one. Node itself emits all requests at once. After a response that closes the connection, no
 * further request is executed.
 */
export class PipelinedRequests {
  readonly #pipelines = new WeakMap<Duplex, Pipeline>();
  readonly #limit: number;

  /**
   * `limit` is the maximum number of pipelined requests. If a client sends more, its connection is closed, because Node
   * does not stop reading when requests wait.
   */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns the response to the latest request of the connection; `undefined` if there was none. */
  latestResponse(socket: Duplex): ServerResponse | undefined {
    return this.#pipelines.get(socket)?.latest;
  }

  /**
   * Waits until all earlier requests of the connection have been answered. Resolves with true if this request may be
   * executed, and with false if the connection is closed. Returns `undefined` if there is nothing to wait for.
   * `response` is absent for an upgrade request; no request can follow an upgrade request.
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
      // Node does not report a disconnect on a response that is not yet assigned to the socket. So this code listens to
      // the message, or, for an upgrade, to the socket.
      (response === undefined ? socket : message).once('close', () => resolve(false));
    });
  }
}
