import { type IncomingMessage, ServerResponse } from 'node:http';
import {
  constants,
  createSecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { DEFAULT_CIPHERS, type SecureContextOptions } from 'node:tls';
import type { Log } from '../lib/log.ts';
import { adaptRequest, adaptStream } from './adapt-request.ts';
import { AnswersInOrder } from './answers-in-order.ts';
import {
  hostProblem,
  refuseBody,
  refuseConnection,
  refuseExpectation,
  refuseHost,
  refuseLargeHeaders,
} from './client-error.ts';
import { errorReply } from './error-reply.ts';
import { type IncomingRequest, isPassed, isStream, isUpgraded, type Reply } from './exchange.ts';
import { defaultListenLimits, type ListenLimits } from './listen-limits.ts';
import { LiveConnections } from './live-connections.ts';
import { pingSession } from './ping-session.ts';
import { RequestEnd } from './request-end.ts';
import { StalledReaders } from './stalled-reader.ts';
import { StreamResponse } from './stream-response.ts';
import { switchProtocols } from './switch-protocols.ts';
import { WebSocketStreams } from './web-socket.ts';
import { brokenOff, type ResponseTarget, writeReply } from './write-reply.ts';

export interface ListenOptions {
  readonly host: string;
  /** 0 picks any free port. */
  readonly port: number;
  /** PEM. */
  readonly tls: { readonly cert: string; readonly key: string };
  handler(request: IncomingRequest): Promise<Reply>;
  readonly log: Log;
  readonly limits?: Partial<ListenLimits>;
}

export interface Listener {
  readonly address: string;
  readonly port: number;
  /** Uses a new certificate for new connections. Existing connections are kept. */
  updateTls(cert: string, key: string): void;
  /**
   * Stops accepting connections, ends streams through their signals, lets running requests finish, and destroys the
   * remaining connections after the timeout.
   */
  drain(timeoutMilliseconds: number): Promise<void>;
}

/** The time that requests on destroyed connections get to finish. */
const abortGraceMilliseconds = 500;

/** Waits for `awaited`, up to a timeout. The timer keeps the process alive: nothing else might. */
async function withTimeout(milliseconds: number, awaited: Promise<void>): Promise<void> {
  let stop = () => {};
  const timedOut = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    stop = () => clearTimeout(timer);
  });
  await Promise.race([awaited, timedOut]).finally(() => stop());
}

/** The connection-related state of a request. */
interface ConnectionState {
  readonly end: RequestEnd;
  /** Throws a StatusError if the request must be rejected, whatever its path. */
  check(): void;
  /** True if the client has disconnected. */
  isGone(): boolean;
  /** True if no further request is read from the connection. */
  readonly isLast: boolean;
  /** Called when the response is written or the client has disconnected. */
  done(): void;
}

/** The abort reason at the end of every request. Created once, see `drainReason`. */
const requestEnded = new Error('the request has ended');

/**
 * Prefers the 128-bit cipher, as Go's servers and browsers do: it saves a client of a busy watch a twelfth of its CPU
 * time, and this server a twentieth.
 */
const ciphers = ['TLS_AES_128_GCM_SHA256', ...DEFAULT_CIPHERS.split(':')].join(':');

/**
 * No client certificates are requested. Without `ca`, Node loads every known CA, which takes a tenth of the startup.
 */
const tlsOptions: SecureContextOptions = { minVersion: 'TLSv1.2', ca: [], ciphers };

/** Serves HTTP/1.1 and HTTP/2 on one TLS port. Resolves when it accepts connections; rejects if it cannot bind. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const limits = { ...defaultListenLimits, ...options.limits };
  const { log } = options;
  const live = new LiveConnections(limits);
  const webSockets = new WebSocketStreams();
  const stalled = new StalledReaders(limits.stallMilliseconds);
  const order = new AnswersInOrder(limits.streamsPerSession);
  const server = createSecureServer({
    allowHTTP1: true,
    ...tlsOptions,
    cert: options.tls.cert,
    key: options.tls.key,
    handshakeTimeout: limits.handshakeMilliseconds,
    // Otherwise the first response on a connection waits until the client's kernel acknowledges the session tickets.
    noDelay: true,
    settings: { maxConcurrentStreams: limits.streamsPerSession, maxHeaderListSize: limits.headerBytes },
    maxSessionInvalidFrames: 100,
    // In megabytes. A few hundred streams exceed Node's default of 10, and the session then refuses new streams.
    maxSessionMemory: 128,
  });
  // The typings lack these, but an HTTP/2 server that allows HTTP/1.1 reads them as an HTTP/1.1 server does.
  Object.assign(server, {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMilliseconds,
    requestTimeout: limits.requestMilliseconds,
    connectionsCheckingInterval: limits.checkMilliseconds,
    keepAliveTimeout: limits.idleMilliseconds,
    requireHostHeader: false,
  });

  const write = (end: RequestEnd, reply: Reply, writing: () => Promise<void>): Promise<void> => {
    const isLongRunning = isStream(reply) || isUpgraded(reply) || (isPassed(reply) && reply.body.lasts);
    return isLongRunning ? writeLongRunning(end, writing) : writing();
  };

  const writeLongRunning = async (end: RequestEnd, writing: () => Promise<void>): Promise<void> => {
    const streamEnded = live.streamBegan(end);
    try {
      await writing();
    } finally {
      streamEnded();
    }
  };

  const serve = async (
    request: IncomingRequest,
    response: ResponseTarget,
    { end, check, isGone, isLast, done }: ConnectionState,
  ): Promise<void> => {
    try {
      let reply: Reply;
      try {
        check();
        reply = await options.handler(request);
      } catch (error) {
        reply = errorReply(request, error, log);
      }
      const closing = live.draining || isLast;
      await write(end, reply, () => writeReply(request, response, reply, { stalled, closing, isGone }));
    } catch (error) {
      log.error({ err: error }, 'failed to write the response');
      response.destroy(brokenOff);
    }
    done();
  };

  const onRequest = async (message: IncomingMessage, response: ServerResponse, hasUnknownExpectation: boolean) => {
    const turn = order.turnOf(message, response);
    if (turn !== undefined && !(await turn)) return;
    const { done } = live.requestBegan(message.socket);
    const end = new RequestEnd();
    let gone = false;
    response.once('close', () => {
      gone = true;
      end.end(requestEnded);
    });
    response.on('error', () => end.end(requestEnded));
    message.on('error', () => end.end(requestEnded));
    const problem = hostProblem(message);
    const check = () => {
      refuseHost(problem);
      if (hasUnknownExpectation) refuseExpectation(message.headers.expect);
    };
    const isLast = problem !== undefined || message.headers.host === undefined;
    const request = adaptRequest(message, end);
    return serve(request, response, { end, check, isGone: () => gone, isLast, done });
  };

  const onStream = (
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    rawHeaders: readonly string[],
  ): Promise<void> | undefined => {
    if (headers[':method'] === 'CONNECT') {
      stream.on('error', () => {});
      if (!stream.destroyed) stream.respond({ ':status': 405 }, { endStream: true });
      return undefined;
    }
    const { source, done } = live.streamRequestBegan(stream.session as ServerHttp2Session | undefined);
    const end = new RequestEnd();
    let gone = false;
    // `on` also for one-time events: removing listeners from a stream is slow, and they are freed with the stream.
    stream.on('close', () => {
      gone = true;
      end.end(requestEnded);
    });
    // If a client resets its stream without an error, the stream stays half open while data waits to be written.
    stream.on('aborted', () => stream.destroy());
    // With HTTP/1.1, Node reads the rest of an unread body itself, within the request timeout. With HTTP/2, the server
    // must close the stream, or it stays open until the client closes it.
    stream.on('finish', () => {
      if (stream.closed || stream.endAfterHeaders || stream.readableEnded) return;
      if (stream.state.remoteClose !== 0) return;
      // Otherwise a handler that still reads would mistake the close for the end of the body.
      end.end(requestEnded);
      // Deferred, because closing waits for the event that is being emitted now.
      setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR));
    });
    stream.on('error', () => end.end(requestEnded));
    const { expect } = headers;
    const isAwaited = expect === '100-continue' && !stream.destroyed && !stream.closed;
    if (isAwaited) stream.additionalHeaders({ ':status': constants.HTTP_STATUS_CONTINUE });
    const check = () => {
      refuseLargeHeaders(rawHeaders, limits.headerBytes);
      if (expect !== undefined && expect !== '100-continue') refuseExpectation(expect);
    };
    const request = adaptStream({ stream, headers, rawHeaders, source }, end);
    const response = new StreamResponse(stream, end);
    return serve(request, response, { end, check, isGone: () => gone, isLast: false, done });
  };

  const onUpgrade = async (message: IncomingMessage, socket: Socket, head: Buffer): Promise<void> => {
    const turn = order.turnOf(message);
    if (turn !== undefined && !(await turn)) return;
    const { done } = live.requestBegan(socket);
    const end = new RequestEnd();
    socket.once('close', () => end.end(requestEnded));
    socket.on('error', () => socket.destroy());
    const request = adaptRequest(message, end, message.headers.upgrade ?? '');
    try {
      let reply: Reply;
      try {
        refuseHost(hostProblem(message));
        refuseBody(message.headers);
        reply = await options.handler(request);
      } catch (error) {
        reply = errorReply(request, error, log);
      }
      await write(end, reply, async () => {
        if (isUpgraded(reply)) {
          await switchProtocols(socket, head, reply, { end, stalled });
          return;
        }
        if (request.webSocket && reply.status === 200 && isStream(reply)) {
          const stopWatching = stalled.watch(socket, () => socket.bytesWritten);
          await webSockets.send(message, socket, head, reply).finally(stopWatching);
          return;
        }
        const response = new ServerResponse(message);
        response.assignSocket(socket as never);
        await writeReply(request, response, reply, {
          stalled,
          closing: true,
          isGone: () => socket.destroyed,
        });
        response.detachSocket(socket as never);
        socket.end();
      });
    } catch (error) {
      log.error({ err: error }, 'failed to write the response');
      socket.destroy();
    } finally {
      done();
    }
  };

  server.on('request', (message, response) => void onRequest(message as never, response as never, false));
  // Without a listener, Node responds to these itself, without a message.
  server.on('checkExpectation', (message, response) => void onRequest(message as never, response as never, true));
  // A `request` listener also gets HTTP/2 requests, in HTTP/1.1 form. The `stream` listener handles them natively.
  server.removeAllListeners('stream');
  server.on('stream', (stream, headers, _flags, ...[rawHeaders = []]: (readonly string[])[]) => {
    void onStream(stream, headers, rawHeaders);
  });
  server.on(
    'upgrade',
    (message: IncomingMessage, socket: Socket, head: Buffer) => void onUpgrade(message, socket, head),
  );
  // A session is created while its connection's event is emitted, and has no reference to that connection.
  let connected: Socket | undefined;
  server.prependListener('secureConnection', (socket) => {
    live.handshakeEnded(socket);
    connected = socket;
  });
  server.on('session', (session) => {
    live.sessionOpened(session, connected);
    if (connected !== undefined) pingSession(session, connected, limits.pingMilliseconds);
    session.setTimeout(limits.idleMilliseconds, () => {
      if (live.isIdle(session)) session.close();
    });
    session.on('error', (error) => log.debug({ err: error }, 'session ended'));
  });
  server.on('connection', (socket: Socket) => live.connectionOpened(socket));
  server.on('secureConnection', (socket) => {
    socket.setKeepAlive(true, 30_000);
    socket.on('error', (error: Error) => log.debug({ err: error }, 'connection ended'));
    if (socket.alpnProtocol !== 'h2') live.socketOpened(socket);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) =>
    refuseConnection(error, socket, order.latestOn(socket)),
  );
  server.on('sessionError', (error: Error) => log.debug({ err: error }, 'session ended'));

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  server.on('error', (error: Error) => log.error({ err: error }, 'the listener failed'));
  const { address, port } = server.address() as AddressInfo;

  return {
    address,
    port,
    updateTls: (cert, key) => server.setSecureContext({ ...tlsOptions, cert, key }),
    async drain(timeoutMilliseconds) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const idle = live.drain();
      await withTimeout(
        timeoutMilliseconds,
        idle.then(() => closed),
      );
      live.destroyAll();
      await closed;
      // Handlers of destroyed connections still have to record how their request ended.
      await withTimeout(abortGraceMilliseconds, idle);
    },
  };
}
