import type { EventEmitter } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { systemClock } from '../../lib/clock.ts';
import { lazyValue } from '../../lib/lazy-value.ts';
import type { Log } from '../../lib/log.ts';
import type { IncomingRequest } from '../exchange.ts';
import { FairArrivals } from '../limits/fair-arrivals.ts';
import type { Reply } from '../reply.ts';
import { refuseConnection } from './client-error.ts';
import { defaultListenLimits, type ListenLimits } from './listen-limits.ts';
import { LiveConnections } from './live-connections.ts';
import { pingSession } from './ping-session.ts';
import { PipelinedRequests } from './pipelined-requests.ts';
import { type ServingCertificate, secureServer, useCertificate } from './secure-server.ts';
import { serveHttp1 } from './serve-http1.ts';
import { serveHttp2 } from './serve-http2.ts';
import type { ServingContext } from './serve-request.ts';
import { UpgradeRequests } from './serve-upgrade.ts';
import { StalledReaderMonitor } from './stalled-reader-monitor.ts';

export interface ListenOptions {
  readonly host: string;
  /** The TCP port; 0 selects any free port. */
  readonly port: number;
  readonly tls: ServingCertificate;
  handler(request: IncomingRequest): Promise<Reply>;
  /** Serves the requests on connections that were passed to `Listener.accept`. Optional; by default `handler` does. */
  acceptedHandler?(request: IncomingRequest): Promise<Reply>;
  readonly log: Log;
  readonly limits?: Partial<ListenLimits>;
}

export interface Listener {
  readonly address: string;
  readonly port: number;
  /**
   * Serves HTTP/1.1 on a connection that was not opened to the port of the listener, such as a connection in a tunnel.
   */
  accept(connection: Duplex): void;
  /** Sets the certificate for new connections. Existing connections are not affected. */
  updateTls(cert: string, key: string): void;
  /**
   * Shuts the listener down: stops accepting connections, ends long-running requests, and waits for other requests.
   * After the timeout, all remaining connections are destroyed.
   */
  drain(timeoutMilliseconds: number): Promise<void>;
}

/** The time for which to wait for handlers after their connections were destroyed. */
const abortGraceMilliseconds = 500;

/** Waits for `awaited`, but not longer than the timeout. During the wait, the timer keeps the process alive. */
async function withTimeout(milliseconds: number, awaited: Promise<void>): Promise<void> {
  let stop = () => {};
  const timedOut = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    stop = () => clearTimeout(timer);
  });
  await Promise.race([awaited, timedOut]).finally(() => stop());
}

/** Serves HTTP/1.1 and HTTP/2 on one TLS port. Resolves when it accepts connections. Rejects if it cannot bind. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const limits = { ...defaultListenLimits, ...options.limits };
  const { log } = options;
  const live = new LiveConnections(limits);
  const server = secureServer(options.tls, limits);
  const context: ServingContext = {
    handler: (request) => options.handler(request),
    log,
    limits,
    live,
    arrivals: new FairArrivals({ clock: systemClock }),
    stalledReaders: new StalledReaderMonitor(limits.stallMilliseconds),
    pipelinedRequests: new PipelinedRequests(limits.streamsPerSession),
  };
  serveRequests(server, context);
  trackConnections(server, context);
  await bind(server, options);
  server.on('error', (error: Error) => log.error({ err: error }, 'the listener failed'));
  const { address, port } = server.address() as AddressInfo;
  return {
    address,
    port,
    accept: acceptConnections({ ...context, handler: options.acceptedHandler ?? context.handler }),
    updateTls: (cert, key) => useCertificate(server, { cert, key }),
    drain: (timeoutMilliseconds) => drain(server, live, timeoutMilliseconds),
  };
}

function serveRequests(server: Http2SecureServer, context: ServingContext): void {
  serveHttp1Requests(server, context);
  // Node's own `stream` listener converts HTTP/2 requests to the form of HTTP/1.1 requests. Another listener replaces
  // it and serves HTTP/2 requests directly.
  server.removeAllListeners('stream');
  server.on('stream', (stream, headers, _flags, ...[rawHeaders = []]: (readonly string[])[]) => {
    serveHttp2(context, stream, headers, rawHeaders);
  });
}

function serveHttp1Requests(server: EventEmitter, context: ServingContext): void {
  const upgrades = new UpgradeRequests(context);
  server.on('request', (message, response) => void serveHttp1(context, message, response, false));
  // Handles requests with an Expect header. Without this listener, Node would respond to them without an error message.
  server.on('checkExpectation', (message, response) => {
    void serveHttp1(context, message, response, true);
  });
  server.on('upgrade', (message: IncomingMessage, socket: Socket, head: Buffer) => {
    void upgrades.serve(message, socket, head);
  });
}

/**
 * Returns a function that serves HTTP/1.1 on connections that were not opened to the port of the listener. The HTTP/1.1
 * server is created when the first such connection arrives.
 */
function acceptConnections(context: ServingContext): (connection: Duplex) => void {
  const { live, limits, pipelinedRequests } = context;
  const plainServer = lazyValue(() => {
    const server = createServer({ maxHeaderSize: limits.headerBytes, requireHostHeader: false });
    server.keepAliveTimeout = limits.idleMilliseconds;
    serveHttp1Requests(server, context);
    refuseInvalidRequests(server, pipelinedRequests);
    return server;
  });
  return (connection) => {
    if (live.draining) {
      connection.destroy();
      return;
    }
    connection.on('error', () => connection.destroy());
    live.accepted(connection);
    plainServer.get().emit('connection', connection);
  };
}

function refuseInvalidRequests(server: EventEmitter, pipelinedRequests: PipelinedRequests): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) =>
    refuseConnection(error, socket, pipelinedRequests.latestResponse(socket)),
  );
}

function trackConnections(server: Http2SecureServer, { live, limits, log, pipelinedRequests }: ServingContext): void {
  // Node emits `session` during `secureConnection`, and a session has no reference to its socket. So this variable
  // holds the socket until `session` is emitted.
  let connected: Socket | undefined;
  server.prependListener('secureConnection', (socket) => {
    live.handshakeEnded(socket);
    connected = socket;
  });
  server.on('session', (session: ServerHttp2Session) => {
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
  refuseInvalidRequests(server, pipelinedRequests);
  server.on('sessionError', (error: Error) => log.debug({ err: error }, 'session ended'));
}

function bind(server: Http2SecureServer, { host, port }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function drain(server: Http2SecureServer, live: LiveConnections, timeoutMilliseconds: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const idle = live.drain();
  await withTimeout(
    timeoutMilliseconds,
    idle.then(() => closed),
  );
  live.destroyAll();
  await closed;
  // Handlers of destroyed connections must still be able to write their audit events and metrics.
  await withTimeout(abortGraceMilliseconds, idle);
}
