import type { IncomingMessage } from 'node:http';
import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Log } from '../../lib/log.ts';
import type { IncomingRequest } from '../exchange.ts';
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
  /** 0 picks any free port. */
  readonly port: number;
  readonly tls: ServingCertificate;
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

/** Serves HTTP/1.1 and HTTP/2 on one TLS port. Resolves when it accepts connections; rejects if it cannot bind. */
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
    stalled: new StalledReaderMonitor(limits.stallMilliseconds),
    order: new PipelinedRequests(limits.streamsPerSession),
  };
  serveRequests(server, context);
  trackConnections(server, context);
  await bind(server, options);
  server.on('error', (error: Error) => log.error({ err: error }, 'the listener failed'));
  const { address, port } = server.address() as AddressInfo;
  return {
    address,
    port,
    updateTls: (cert, key) => useCertificate(server, { cert, key }),
    drain: (timeoutMilliseconds) => drain(server, live, timeoutMilliseconds),
  };
}

function serveRequests(server: Http2SecureServer, context: ServingContext): void {
  const upgrades = new UpgradeRequests(context);
  server.on('request', (message, response) => void serveHttp1(context, message as never, response as never, false));
  // Without a listener, Node responds to these itself, without a message.
  server.on('checkExpectation', (message, response) => {
    void serveHttp1(context, message as never, response as never, true);
  });
  // A `request` listener also gets HTTP/2 requests, in HTTP/1.1 form. The `stream` listener handles them natively.
  server.removeAllListeners('stream');
  server.on('stream', (stream, headers, _flags, ...[rawHeaders = []]: (readonly string[])[]) => {
    void serveHttp2(context, stream, headers, rawHeaders);
  });
  server.on('upgrade', (message: IncomingMessage, socket: Socket, head: Buffer) => {
    void upgrades.serve(message, socket, head);
  });
}

function trackConnections(server: Http2SecureServer, { live, limits, log, order }: ServingContext): void {
  // A session is created while its connection's event is emitted, and has no reference to that connection.
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
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) =>
    refuseConnection(error, socket, order.latestResponse(socket)),
  );
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
  // Handlers of destroyed connections still have to record how their request ended.
  await withTimeout(abortGraceMilliseconds, idle);
}
