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
  /** 0: any free one. */
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
  /** New connections are served with these from now on; those that stand go on. */
  updateTls(cert: string, key: string): void;
  /**
   * Takes no new connection, ends streams through their signals, lets requests at work finish, and cuts off whatever
   * is left when the time is up.
   */
  drain(timeoutMilliseconds: number): Promise<void>;
}

/** How long requests that were cut off may take to notice. */
const lastWords = 500;

/** Waits for it, but no longer than so long. The timer holds the process: nothing else may be left that does. */
async function before(milliseconds: number, awaited: Promise<void>): Promise<void> {
  let stop = () => {};
  const over = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    stop = () => clearTimeout(timer);
  });
  await Promise.race([awaited, over]).finally(() => stop());
}

/** What a request comes with besides itself. */
interface Circumstances {
  readonly end: RequestEnd;
  /** Throws what is wrong with it, whatever it asks for. */
  check(): void;
  /** Whether nobody is there any more to be answered. */
  isGone(): boolean;
  /** Whether nothing more is to be read from its connection. */
  readonly isLast: boolean;
  /** The answer is out, or nobody is there for it any more. */
  over(): void;
}

/** The reason of every signal that fires at a request's end; made once, see `drainReason`. */
const overReason = new Error('the request is over');

/**
 * Of the ciphers that Node takes, that of 128 bits comes first, as in Go's servers and in browsers: a busy watch takes a
 * twelfth less of its client's time then, and a twentieth less of ours.
 */
const ciphers = ['TLS_AES_128_GCM_SHA256', ...DEFAULT_CIPHERS.split(':')].join(':');

/** Clients are asked for no certificate. Without `ca` Node would read every authority it knows, in a tenth of a start. */
const tlsTerms: SecureContextOptions = { minVersion: 'TLSv1.2', ca: [], ciphers };

/** Serves HTTP/1.1 and HTTP/2 on one TLS port. Resolves when connections are taken; rejects if the port is not to be had. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const limits = { ...defaultListenLimits, ...options.limits };
  const { log } = options;
  const live = new LiveConnections(limits);
  const webSockets = new WebSocketStreams();
  const stalled = new StalledReaders(limits.stallMilliseconds);
  const order = new AnswersInOrder(limits.streamsPerSession);
  const server = createSecureServer({
    allowHTTP1: true,
    ...tlsTerms,
    cert: options.tls.cert,
    key: options.tls.key,
    handshakeTimeout: limits.handshakeMilliseconds,
    // Or the first answer on a connection waits behind the session tickets until the client's kernel acknowledges them.
    noDelay: true,
    settings: { maxConcurrentStreams: limits.streamsPerSession, maxHeaderListSize: limits.headerBytes },
    maxSessionInvalidFrames: 100,
    // Megabytes. Node's own 10 are soon reached by a few hundred streams, and a session beyond it refuses new ones.
    maxSessionMemory: 128,
  });
  // The typings do not know that an HTTP/2 server that allows HTTP/1.1 reads these as an HTTP/1.1 server does.
  Object.assign(server, {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMilliseconds,
    requestTimeout: limits.requestMilliseconds,
    connectionsCheckingInterval: limits.checkMilliseconds,
    keepAliveTimeout: limits.idleMilliseconds,
    requireHostHeader: false,
  });

  const write = (end: RequestEnd, reply: Reply, writing: () => Promise<void>): Promise<void> => {
    const lasts = isStream(reply) || isUpgraded(reply) || (isPassed(reply) && reply.body.lasts);
    return lasts ? writeLasting(end, writing) : writing();
  };

  const writeLasting = async (end: RequestEnd, writing: () => Promise<void>): Promise<void> => {
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
    { end, check, isGone, isLast, over }: Circumstances,
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
      log.error({ err: error }, 'an answer could not be written to its end');
      response.destroy(brokenOff);
    }
    over();
  };

  const onRequest = async (message: IncomingMessage, response: ServerResponse, expectsTheUnknown: boolean) => {
    const turn = order.turnOf(message, response);
    if (turn !== undefined && !(await turn)) return;
    const { over } = live.requestBegan(message.socket);
    const end = new RequestEnd();
    let gone = false;
    response.once('close', () => {
      gone = true;
      end.end(overReason);
    });
    response.on('error', () => end.end(overReason));
    message.on('error', () => end.end(overReason));
    const problem = hostProblem(message);
    const check = () => {
      refuseHost(problem);
      if (expectsTheUnknown) refuseExpectation(message.headers.expect);
    };
    const isLast = problem !== undefined || message.headers.host === undefined;
    const request = adaptRequest(message, end);
    return serve(request, response, { end, check, isGone: () => gone, isLast, over });
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
    const { source, over } = live.streamRequestBegan(stream.session as ServerHttp2Session | undefined);
    const end = new RequestEnd();
    let gone = false;
    // `on` for what is told once as well: to take listeners off a stream takes its time, and they go with it.
    stream.on('close', () => {
      gone = true;
      end.end(overReason);
    });
    // A client that resets its stream without an error leaves it half open while something waits to be written.
    stream.on('aborted', () => stream.destroy());
    // HTTP/1.1 reads the rest of an unread body itself, inside the request's time. HTTP/2 says that it is enough; the
    // stream would not close before its client does.
    stream.on('finish', () => {
      if (stream.closed || stream.endAfterHeaders || stream.readableEnded) return;
      if (stream.state.remoteClose !== 0) return;
      // Or whoever still reads would take this for the end of the body.
      end.end(overReason);
      // Not at once: closing waits for the very event that is being told now.
      setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR));
    });
    stream.on('error', () => end.end(overReason));
    const { expect } = headers;
    const isAwaited = expect === '100-continue' && !stream.destroyed && !stream.closed;
    if (isAwaited) stream.additionalHeaders({ ':status': constants.HTTP_STATUS_CONTINUE });
    const check = () => {
      refuseLargeHeaders(rawHeaders, limits.headerBytes);
      if (expect !== undefined && expect !== '100-continue') refuseExpectation(expect);
    };
    const request = adaptStream({ stream, headers, rawHeaders, source }, end);
    const response = new StreamResponse(stream, end);
    return serve(request, response, { end, check, isGone: () => gone, isLast: false, over });
  };

  const onUpgrade = async (message: IncomingMessage, socket: Socket, head: Buffer): Promise<void> => {
    const turn = order.turnOf(message);
    if (turn !== undefined && !(await turn)) return;
    const { over } = live.requestBegan(socket);
    const end = new RequestEnd();
    socket.once('close', () => end.end(overReason));
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
      log.error({ err: error }, 'an answer could not be written to its end');
      socket.destroy();
    } finally {
      over();
    }
  };

  server.on('request', (message, response) => void onRequest(message as never, response as never, false));
  // Without somebody who listens Node answers these itself, and without a word why.
  server.on('checkExpectation', (message, response) => void onRequest(message as never, response as never, true));
  // Whoever listens for requests gets those of HTTP/2 as well, as if they were of HTTP/1.1; here they come as they are.
  server.removeAllListeners('stream');
  server.on('stream', (stream, headers, _flags, ...[rawHeaders = []]: (readonly string[])[]) => {
    void onStream(stream, headers, rawHeaders);
  });
  server.on(
    'upgrade',
    (message: IncomingMessage, socket: Socket, head: Buffer) => void onUpgrade(message, socket, head),
  );
  // A session is made while its connection's event is told, and does not say which one that is.
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
    updateTls: (cert, key) => server.setSecureContext({ ...tlsTerms, cert, key }),
    async drain(timeoutMilliseconds) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const idle = live.drain();
      await before(
        timeoutMilliseconds,
        idle.then(() => closed),
      );
      live.destroyAll();
      await closed;
      // Whoever answered a connection that was cut off still has to write down how it ended.
      await before(lastWords, idle);
    },
  };
}
