import { type ClientHttp2Session, connect, constants } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { Clock } from '../lib/clock.ts';
import { keepAlive } from './keep-alive.ts';
import { ThroughputMeter } from './throughput-meter.ts';
import { maxSessionMegabytes, maxStreams, streamWindowBytes } from './tunnel-protocol.ts';
import { TunnelSocket } from './tunnel-socket.ts';

/** The end of a tunnel that opens connections. */
export interface Tunnel {
  /**
   * Opens a connection to `target`, whose meaning the other end defines. Rejects with an Error if the other end refuses
   * the connection or does not respond within ten seconds, or if the tunnel is lost. If the tunnel is lost later, the
   * connection fails. The optional signal cancels the attempt, and has no effect on an open connection.
   */
  connect(target: string, signal?: AbortSignal): Promise<TunnelSocket>;
  /** False as soon as no new connections can be opened. */
  readonly isOpen: boolean;
  /** The number of open connections. */
  readonly connections: number;
  /** The latest round trip time in milliseconds; `undefined` before the first measurement. */
  readonly roundTripMilliseconds: number | undefined;
  /**
   * The highest throughput in one direction between two pings, in bytes per second; `undefined` before the first transfer
   * that is large enough to measure.
   */
  readonly peakBytesPerSecond: number | undefined;
  /** Resolves when the tunnel is closed. Never rejects. */
  readonly closed: Promise<void>;
  /** Opens no new connections, waits until the open connections have ended, and closes the tunnel. */
  close(): void;
  /** Closes the tunnel and all connections immediately. */
  destroy(): void;
}

/** The time in which the other end must accept a connection. Otherwise a peer could let requests wait forever. */
const connectMilliseconds = 10_000;

/**
 * Opens this end of a tunnel. `carrier` is the connection after the upgrade. `onMeasured` is called after each measurement of
 * the round trip time and the throughput.
 */
export function openTunnel(carrier: Duplex, clock: Clock, onMeasured: () => void = () => {}): Tunnel {
  return new Http2Tunnel(carrier, clock, onMeasured);
}

function tunnelLost(): Error {
  return Object.assign(new Error('the tunnel was closed'), { code: 'ECONNRESET' });
}

class Http2Tunnel implements Tunnel {
  readonly #session: ClientHttp2Session;
  readonly #carrier: Duplex;
  readonly #clock: Clock;
  readonly closed: Promise<void>;
  #isClosing = false;
  connections = 0;
  roundTripMilliseconds: number | undefined;
  readonly #throughput: ThroughputMeter;

  constructor(carrier: Duplex, clock: Clock, onMeasured: () => void) {
    this.#carrier = carrier;
    this.#clock = clock;
    this.#throughput = new ThroughputMeter(carrier, clock);
    this.#session = connect('http://tunnel', {
      createConnection: () => carrier,
      settings: { initialWindowSize: streamWindowBytes, enablePush: false },
      peerMaxConcurrentStreams: maxStreams,
      maxSessionMemory: maxSessionMegabytes,
    });
    const session = this.#session;
    session.on('error', () => this.destroy());
    session.on('goaway', () => this.close());
    carrier.once('close', () => this.destroy());
    this.closed = new Promise((resolve) => session.once('close', () => resolve()));
    session.once('connect', () => {
      // The tunnel may have been destroyed as soon as it was opened, for example because its credential was revoked.
      if (session.destroyed) return;
      session.setLocalWindowSize(streamWindowBytes * 16);
      keepAlive(session, clock, {
        onRoundTrip: (milliseconds) => {
          this.roundTripMilliseconds = milliseconds;
          this.#throughput.measure();
          onMeasured();
        },
        onLost: () => this.destroy(),
      });
    });
  }

  get peakBytesPerSecond(): number | undefined {
    return this.#throughput.peak;
  }

  get isOpen(): boolean {
    return !this.#isClosing && !this.#session.closed && !this.#session.destroyed;
  }

  async connect(target: string, signal?: AbortSignal): Promise<TunnelSocket> {
    signal?.throwIfAborted();
    if (!this.isOpen) throw tunnelLost();
    const stream = this.#session.request({ ':method': 'CONNECT', ':authority': target });
    this.connections++;
    stream.once('close', () => {
      this.connections--;
    });
    const socket = new TunnelSocket(stream);
    // Without a listener, an error of the connection would end the process.
    socket.on('error', () => {});
    const stop = () => void socket.destroy();
    const cancel = this.#clock.after(connectMilliseconds, stop);
    signal?.addEventListener('abort', stop, { once: true });
    const status = await new Promise<number | undefined>((resolve) => {
      stream.once('response', (headers) => resolve(headers[':status']));
      socket.once('close', () => resolve(undefined));
    });
    cancel();
    signal?.removeEventListener('abort', stop);
    if (status === 200 && !signal?.aborted) return socket;
    socket.destroy();
    signal?.throwIfAborted();
    throw status === undefined
      ? tunnelLost()
      : new Error(`the other end of the tunnel refused the connection (${status})`);
  }

  close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    if (!this.#session.destroyed) this.#session.goaway();
    this.#session.close();
  }

  destroy(): void {
    this.#isClosing = true;
    this.#session.destroy(undefined, constants.NGHTTP2_CANCEL);
    this.#carrier.destroy();
  }
}
