import { constants, performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { keepAlive } from './keep-alive.ts';
import { maxSessionMegabytes, maxStreams, streamWindowBytes } from './tunnel-protocol.ts';
import { TunnelSocket } from './tunnel-socket.ts';

/** The side of a tunnel that accepts and serves connections. */
export interface ServedTunnel {
  /** Resolves as soon as the other side stops opening connections. Never rejects. */
  readonly ending: Promise<void>;
  /** Resolves when the tunnel is closed. Never rejects. */
  readonly closed: Promise<void>;
  /** True after the other end has answered a ping: the network passes the bytes of the tunnel in both directions. */
  readonly hasRoundTrip: boolean;
  /** Stops accepting connections, and closes the tunnel when the open connections have ended. */
  close(): void;
  /** Closes the tunnel and all connections immediately. */
  destroy(): void;
}

export interface ServeTunnelOptions {
  /**
   * Returns the function that serves a connection to `target`, or `undefined` to refuse the connection. The result may
   * be a promise, for example of a request to another server. The signal is aborted if the other side gives up first.
   */
  accept(target: string, signal: AbortSignal): MaybePromise<((connection: TunnelSocket) => void) | undefined>;
  readonly clock: Clock;
  /** Receives the errors of connections that cannot be served. Optional; defaults to none. */
  readonly log?: Log | undefined;
}

/**
 * The time in which the other end must answer the first ping or open a connection. Some proxies pass the response to an
 * upgrade, but not the bytes after it. The regular pings would detect this only after 30 seconds.
 */
const firstAnswerMilliseconds = 5_000;

const [notFound, methodNotAllowed, unavailable] = [404, 405, 503] as const;

/** Serves the connections in a tunnel. `carrier` is the connection after the upgrade. */
export function serveTunnel(carrier: Duplex, { accept, clock, log }: ServeTunnelOptions): ServedTunnel {
  const session: ServerHttp2Session = performServerHandshake(carrier, {
    settings: { initialWindowSize: streamWindowBytes, maxConcurrentStreams: maxStreams },
    maxSessionMemory: maxSessionMegabytes,
  });
  const destroy = () => {
    session.destroy(undefined, constants.NGHTTP2_CANCEL);
    carrier.destroy();
  };
  let hasRoundTrip = false;
  const stopWaiting = clock.after(firstAnswerMilliseconds, destroy);
  session.once('close', stopWaiting);
  session.setLocalWindowSize(streamWindowBytes * 16);
  session.on('stream', (stream, headers) => {
    // A connection counts as an answer: on a slow network, the answer to the ping may wait behind the bytes of the
    // connection.
    stopWaiting();
    // Without a listener, an error of a stream would end the process.
    stream.on('error', () => {});
    if (headers[':method'] !== 'CONNECT') {
      stream.respond({ ':status': methodNotAllowed }, { endStream: true });
      return;
    }
    const target = headers[':authority'] ?? '';
    const onError = (error: unknown) =>
      log?.warn({ target, error: String(error) }, 'cannot serve a connection in a tunnel');
    void serveStream(stream, async (signal) => await accept(target, signal), onError);
  });
  session.on('error', destroy);
  carrier.once('close', destroy);
  const closed = new Promise<void>((resolve) => session.once('close', () => resolve()));
  const ending = Promise.race([closed, new Promise<void>((resolve) => session.once('goaway', () => resolve()))]);
  const onRoundTrip = () => {
    hasRoundTrip = true;
    stopWaiting();
  };
  keepAlive(session, clock, { onRoundTrip, onLost: destroy });
  return {
    ending,
    closed,
    get hasRoundTrip() {
      return hasRoundTrip;
    },
    close: () => session.close(),
    destroy,
  };
}

async function serveStream(
  stream: ServerHttp2Stream,
  accept: (signal: AbortSignal) => Promise<((connection: TunnelSocket) => void) | undefined>,
  onError: (error: unknown) => void,
): Promise<void> {
  const ending = new AbortController();
  const stop = () => ending.abort();
  stream.once('close', stop);
  try {
    const serve = await accept(ending.signal);
    if (stream.destroyed) return;
    stream.respond({ ':status': serve === undefined ? notFound : 200 }, { endStream: serve === undefined });
    if (serve === undefined) return;
    const connection = new TunnelSocket(stream);
    // Without a listener, an error of the connection would end the process.
    connection.on('error', () => {});
    serve(connection);
  } catch (error) {
    // A destroyed stream means that the other side gave up, which often makes `accept` fail too.
    if (stream.destroyed) return;
    onError(error);
    if (stream.headersSent) stream.destroy();
    else stream.respond({ ':status': unavailable }, { endStream: true });
  } finally {
    stream.off('close', stop);
  }
}
