import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errorReply } from '../error-reply.ts';
import type { IncomingRequest } from '../exchange.ts';
import { isStream, isTakenOver, isUpgraded, type Reply } from '../reply.ts';
import { RequestEnd } from '../request/request-end.ts';
import { adaptRequest } from './adapt-request.ts';
import { hostHeaderProblem, refuseHost, refuseUpgradeBody } from './client-error.ts';
import { handOver } from './hand-over.ts';
import { requestEndedError, type ServingContext, writeDrainableReply } from './serve-request.ts';
import { switchProtocols } from './switch-protocols.ts';
import { WebSocketStreams } from './web-socket.ts';
import { writeReply } from './write-reply.ts';

/** An upgrade request and its connection. */
interface UpgradeConnection {
  readonly message: IncomingMessage;
  readonly socket: Socket;
  /** The bytes that the client sent after the request headers. They belong to the upgraded protocol. */
  readonly head: Buffer;
  readonly end: RequestEnd;
  /** Must be called when the request ends. Further calls have no effect. */
  readonly done: () => void;
}

/** Serves HTTP/1.1 requests with an `Upgrade` header. */
export class UpgradeRequests {
  readonly #context: ServingContext;
  readonly #webSockets = new WebSocketStreams();

  constructor(context: ServingContext) {
    this.#context = context;
  }

  async serve(message: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const { pipelinedRequests, live, log } = this.#context;
    const previousDone = pipelinedRequests.waitForPrevious(message);
    if (previousDone !== undefined && !(await previousDone)) return;
    const { done } = live.requestBegan(socket);
    const end = new RequestEnd();
    socket.once('close', () => end.end(requestEndedError));
    socket.on('error', () => socket.destroy());
    const request = adaptRequest(message, end, message.headers.upgrade ?? '');
    try {
      const reply = await this.#reply(message, request);
      await writeDrainableReply(live, end, reply, () =>
        this.#write({ message, socket, head, end, done }, request, reply),
      );
    } catch (error) {
      log.error({ err: error }, 'failed to write the response');
      socket.destroy();
    } finally {
      done();
    }
  }

  async #reply(message: IncomingMessage, request: IncomingRequest): Promise<Reply> {
    try {
      refuseHost(hostHeaderProblem(message));
      refuseUpgradeBody(message.headers);
      return await this.#context.handler(request);
    } catch (error) {
      return errorReply(request, error, this.#context.log);
    }
  }

  async #write(connection: UpgradeConnection, request: IncomingRequest, reply: Reply): Promise<void> {
    const { message, socket, head, end, done } = connection;
    const { stalledReaders, live } = this.#context;
    if (isUpgraded(reply)) {
      await switchProtocols(socket, head, reply, { end, stalled: stalledReaders });
      return;
    }
    if (isTakenOver(reply)) {
      live.takenOver(socket);
      done();
      await handOver({ message, socket, head, isWebSocket: request.webSocket }, reply);
      return;
    }
    if (request.webSocket && reply.status === 200 && isStream(reply)) {
      const stopWatching = stalledReaders.watch(socket, () => socket.bytesWritten);
      await this.#webSockets.send(message, socket, head, reply).finally(stopWatching);
      return;
    }
    const response = new ServerResponse(message);
    response.assignSocket(socket as never);
    await writeReply(request, response, reply, {
      stalledReaders: stalledReaders,
      closing: true,
      isGone: () => socket.destroyed,
    });
    response.detachSocket(socket as never);
    socket.end();
  }
}
