import { once } from 'node:events';
import { type IncomingMessage, ServerResponse } from 'node:http';
import {
  constants,
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Log } from '../lib/log.ts';
import { adaptRequest } from './adapt-request.ts';
import { refuseBody, refuseConnection, refuseExpectation, refuseLargeHeaders, requireHost } from './client-error.ts';
import { errorReply } from './error-reply.ts';
import { type IncomingRequest, isPassed, isStream, isUpgraded, type Reply } from './exchange.ts';
import { defaultListenLimits, type ListenLimits } from './listen-limits.ts';
import { LiveConnections } from './live-connections.ts';
import { pingSession } from './ping-session.ts';
import { RequestEnd } from './request-end.ts';
import { destroyWhenStalled } from './stalled-reader.ts';
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

/** The reason of every signal that fires at a request's end; made once, see `drainReason`. */
const overReason = new Error('the request is over');

/** Serves HTTP/1.1 and HTTP/2 on one TLS port. Resolves when connections are taken; rejects if the port is not to be had. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const limits = { ...defaultListenLimits, ...options.limits };
  const { log } = options;
  const live = new LiveConnections(limits);
  const webSockets = new WebSocketStreams();
  /** The answer that was begun last on a connection of HTTP/1.1. */
  const answers = new WeakMap<object, ServerResponse>();
  const server = createSecureServer({
    allowHTTP1: true,
    cert: options.tls.cert,
    key: options.tls.key,
    minVersion: 'TLSv1.2',
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

  const answer = async (
    request: IncomingRequest,
    end: RequestEnd,
    run: (request: IncomingRequest) => Promise<Reply>,
    write: (reply: Reply) => Promise<void>,
  ): Promise<void> => {
    const reply = await run(request).catch((error: unknown) => errorReply(request, error, log));
    const lasts = isStream(reply) || isUpgraded(reply) || (isPassed(reply) && reply.body.lasts);
    const streamEnded = lasts ? live.streamBegan(end) : undefined;
    try {
      await write(reply);
    } finally {
      streamEnded?.();
    }
  };

  const onRequest = async (
    message: IncomingMessage | Http2ServerRequest,
    response: (ServerResponse | Http2ServerResponse) & ResponseTarget,
    expectsTheUnknown: boolean,
  ): Promise<void> => {
    const stream = 'stream' in message ? message.stream : undefined;
    const requestEnded =
      stream === undefined
        ? live.requestBegan(message.socket)
        : live.streamRequestBegan(stream.session as ServerHttp2Session | undefined);
    if (stream === undefined) answers.set(message.socket, response as unknown as ServerResponse);
    const end = new RequestEnd();
    let gone = false;
    response.once('close', () => {
      gone = true;
      end.end(overReason);
    });
    // A client that resets its stream without an error leaves it half open while something waits to be written.
    stream?.once('aborted', () => stream.destroy());
    // HTTP/1.1 reads the rest of an unread body itself, inside the request's time. HTTP/2 says that it is enough; the
    // response would not finish before its client does.
    stream?.once('finish', () => {
      if (message.complete || stream.state.remoteClose !== 0) return;
      // Or whoever still reads would take this for the end of the body.
      end.end(overReason);
      // Not at once: closing waits for the very event that is being told now.
      setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR));
    });
    response.on('error', () => end.end(overReason));
    message.on('error', () => end.end(overReason));
    const request = adaptRequest(message, end);
    try {
      const run = async () => {
        if (stream !== undefined) refuseLargeHeaders(message.rawHeaders, limits.headerBytes);
        else if (message.httpVersion === '1.1') requireHost(message.headers.host);
        if (expectsTheUnknown) refuseExpectation(message.headers.expect);
        return await options.handler(request);
      };
      await answer(request, end, run, (reply) =>
        writeReply(request, response, reply, {
          stallMilliseconds: limits.stallMilliseconds,
          closing: live.draining || (stream === undefined && message.headers.host === undefined),
          isGone: () => gone,
        }),
      );
    } catch (error) {
      log.error({ err: error }, 'an answer could not be written to its end');
      response.destroy(brokenOff);
    } finally {
      requestEnded();
    }
  };

  const onUpgrade = async (message: IncomingMessage, socket: Socket, head: Buffer): Promise<void> => {
    const requestEnded = live.requestBegan(socket);
    const end = new RequestEnd();
    socket.once('close', () => end.end(overReason));
    socket.on('error', () => socket.destroy());
    const request = adaptRequest(message, end, message.headers.upgrade ?? '');
    const run = async () => {
      if (message.httpVersion === '1.1') requireHost(message.headers.host);
      refuseBody(message.headers);
      return await options.handler(request);
    };
    try {
      await answer(request, end, run, async (reply) => {
        // Who sends several requests at once is answered in their order.
        const earlier = answers.get(socket);
        if (earlier !== undefined && !earlier.closed) await once(earlier, 'close');
        if (isUpgraded(reply)) {
          await switchProtocols(socket, head, reply, { end, stallMilliseconds: limits.stallMilliseconds });
          return;
        }
        if (request.webSocket && reply.status === 200 && isStream(reply)) {
          const stopWatching = destroyWhenStalled(socket, limits.stallMilliseconds, () => socket.bytesWritten);
          await webSockets.send(message, socket, head, reply).finally(stopWatching);
          return;
        }
        const response = new ServerResponse(message);
        response.assignSocket(socket as never);
        await writeReply(request, response, reply, {
          stallMilliseconds: limits.stallMilliseconds,
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
      requestEnded();
    }
  };

  server.on('request', (message, response) => void onRequest(message, response as never, false));
  // Without somebody who listens Node answers these itself, and without a word why.
  server.on('checkExpectation', (message, response) => void onRequest(message, response as never, true));
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
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => refuseConnection(error, socket));
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
    updateTls: (cert, key) => server.setSecureContext({ cert, key, minVersion: 'TLSv1.2' }),
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
