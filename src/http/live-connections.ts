import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { FairRoom } from './fair-room.ts';
import type { RequestEnd } from './request-end.ts';

interface LiveConnectionsOptions {
  readonly connections: number;
  readonly handshakes: number;
}

/** One connection with the number of requests at work on it. */
interface Connection {
  readonly source: string;
  active: number;
  close(): void;
  leaveIdle(): void;
}

/** A request at work. */
interface AtWork {
  /** The address at the other end of its connection. */
  readonly source: string;
  /** It is no longer; may be called again. */
  readonly over: () => void;
}

/**
 * Everything that a listener has open, so that draining can tell what is idle, what streams and what is at work, and so
 * that there is room for who comes: when it is full, one who is idle goes, or one whose handshake is under way.
 */
export class LiveConnections {
  readonly #options: LiveConnectionsOptions;
  /** HTTP/1.1 connections. */
  readonly #sockets = new Map<Duplex, Connection>();
  /** HTTP/2 sessions. */
  readonly #sessions = new Map<ServerHttp2Session, Connection>();
  /** Every connection, also those whose handshake is still under way. */
  readonly #raw = new Set<Duplex>();
  readonly #handshakes = new FairRoom();
  /** How they leave those, by the peer: the socket that comes out of a handshake is not the one that went in. */
  readonly #handshaking = new Map<string, () => void>();
  readonly #idle = new FairRoom();
  readonly #streams = new Set<RequestEnd>();
  #requests = 0;
  #draining = false;
  #onIdle: (() => void) | undefined;

  constructor(options: LiveConnectionsOptions) {
    this.#options = options;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Before its handshake. The newcomer goes if it is the only one who can. */
  connectionOpened(socket: Socket): void {
    this.#raw.add(socket);
    const peer = peerOf(socket);
    this.#handshaking.set(
      peer,
      this.#handshakes.enter(socket.remoteAddress ?? '', () => socket.destroy()),
    );
    socket.once('close', () => {
      this.#raw.delete(socket);
      this.#handshakeOver(peer);
    });
    if (this.#handshakes.size > this.#options.handshakes) this.#handshakes.sendOneAway();
    if (this.#raw.size > this.#options.connections && !this.#idle.sendOneAway()) this.#handshakes.sendOneAway();
  }

  handshakeEnded(socket: Socket): void {
    this.#handshakeOver(peerOf(socket));
  }

  #handshakeOver(peer: string): void {
    this.#handshaking.get(peer)?.();
    this.#handshaking.delete(peer);
  }

  /** An HTTP/1.1 connection, after its handshake. */
  socketOpened(socket: Socket): void {
    this.#open(this.#sockets, socket, socket.remoteAddress, () => socket.destroy());
    socket.once('close', () => this.#closed(this.#sockets, socket));
  }

  /** An HTTP/2 session, on this socket. */
  sessionOpened(session: ServerHttp2Session, socket: Socket | undefined): void {
    this.#open(this.#sessions, session, socket?.remoteAddress, () => session.close());
    session.once('close', () => this.#closed(this.#sessions, session));
    if (this.#draining) session.close();
  }

  #open<T>(open: Map<T, Connection>, one: T, source: string | undefined, close: () => void): void {
    const connection: Connection = { source: source ?? '', active: 0, close, leaveIdle() {} };
    open.set(one, connection);
    this.#becameIdle(connection);
  }

  #closed<T>(open: Map<T, Connection>, one: T): void {
    open.get(one)?.leaveIdle();
    open.delete(one);
  }

  #becameIdle(connection: Connection): void {
    connection.leaveIdle = this.#idle.enter(connection.source, () => connection.close());
  }

  isIdle(session: ServerHttp2Session): boolean {
    return (this.#sessions.get(session)?.active ?? 0) === 0;
  }

  /** A request came in on an HTTP/1.1 connection. */
  requestBegan(socket: Duplex): AtWork {
    return this.#began(this.#sockets, socket, () => {
      if (this.#draining && (this.#sockets.get(socket)?.active ?? 0) === 0) socket.end();
    });
  }

  /** The same on an HTTP/2 session, which closes by itself once its GOAWAY is out and its last stream is done. */
  streamRequestBegan(session: ServerHttp2Session | undefined): AtWork {
    return this.#began(this.#sessions, session, () => {});
  }

  #began<T>(open: Map<T, Connection>, one: T | undefined, after: () => void): AtWork {
    const connection = one === undefined ? undefined : open.get(one);
    this.#requests++;
    if (connection !== undefined && connection.active++ === 0) connection.leaveIdle();
    let ended = false;
    const over = () => {
      if (ended) return;
      ended = true;
      this.#requests--;
      const isOpen = one !== undefined && open.get(one) === connection;
      if (connection !== undefined && --connection.active === 0 && isOpen) this.#becameIdle(connection);
      after();
      if (this.#requests === 0) this.#onIdle?.();
    };
    return { source: connection?.source ?? '', over };
  }

  /** An answer goes out as a stream; a drain ends it through its request. Returns how it ends by itself. */
  streamBegan(end: RequestEnd): () => void {
    if (this.#draining) end.end(drainReason);
    this.#streams.add(end);
    return () => this.#streams.delete(end);
  }

  /** Ends streams, sends GOAWAY, closes what is idle; resolves once no request is at work any more. */
  drain(): Promise<void> {
    this.#draining = true;
    for (const session of this.#sessions.keys()) session.close();
    for (const [socket, { active }] of this.#sockets) if (active === 0) socket.destroy();
    for (const end of this.#streams) end.end(drainReason);
    return this.#requests === 0 ? Promise.resolve() : new Promise((resolve) => (this.#onIdle = resolve));
  }

  destroyAll(): void {
    for (const session of this.#sessions.keys()) session.destroy();
    for (const socket of this.#raw) socket.destroy();
  }
}

/** Made once: a new error with its stack for every request that ends would cost more than many requests do. */
const drainReason = new Error('the server is shutting down');

function peerOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`;
}
