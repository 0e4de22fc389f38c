import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { FairEvictionPool } from '../limits/fair-eviction-pool.ts';
import type { RequestEnd } from '../request/request-end.ts';

interface LiveConnectionsOptions {
  readonly connections: number;
  readonly handshakes: number;
}

/** An HTTP/1.1 connection or HTTP/2 session, and the number of its active requests. */
interface Connection {
  readonly source: string;
  active: number;
  close(): void;
  leaveIdle(): void;
}

/** A request that is being served. */
interface ActiveRequest {
  /** The remote address of the connection. */
  readonly source: string;
  /** Must be called when the request ends. Further calls have no effect. */
  readonly done: () => void;
}

/**
 * The open connections of a listener. They are tracked for shutdown, which treats idle connections, streams and other
 * requests differently. If there are too many connections, an idle connection is evicted, or, if none is idle, a
 * connection that is still in its TLS handshake.
 */
export class LiveConnections {
  readonly #options: LiveConnectionsOptions;
  /** HTTP/1.1 connections by socket. */
  readonly #sockets = new Map<Duplex, Connection>();
  /** HTTP/2 connections by session. */
  readonly #sessions = new Map<ServerHttp2Session, Connection>();
  /** The TCP sockets of all connections, including those during the TLS handshake. */
  readonly #connections = new Set<Duplex>();
  /** Connections that handlers have taken over. A drain closes them after the last request has ended. */
  readonly #takenOver = new Set<Duplex>();
  readonly #handshakes = new FairEvictionPool();
  /**
   * Functions that remove a handshake from the eviction pool, by address and port of the client. The socket cannot be
   * the key, because TLS uses a new socket object.
   */
  readonly #handshaking = new Map<string, () => void>();
  readonly #idle = new FairEvictionPool();
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

  /**
   * Called before the TLS handshake. If there are too many connections, evicts another connection; if no other
   * connection can be evicted, evicts the new one.
   */
  connectionOpened(socket: Socket): void {
    this.#connections.add(socket);
    const peer = peerOf(socket);
    this.#handshaking.set(
      peer,
      this.#handshakes.add(socket.remoteAddress ?? '', () => socket.destroy()),
    );
    socket.once('close', () => {
      this.#connections.delete(socket);
      this.#removeHandshake(peer);
    });
    if (this.#handshakes.size > this.#options.handshakes) this.#handshakes.evictOne();
    if (this.#connections.size > this.#options.connections && !this.#idle.evictOne()) this.#handshakes.evictOne();
  }

  handshakeEnded(socket: Socket): void {
    this.#removeHandshake(peerOf(socket));
  }

  #removeHandshake(peer: string): void {
    this.#handshaking.get(peer)?.();
    this.#handshaking.delete(peer);
  }

  /** Called for an HTTP/1.1 connection after its TLS handshake. */
  socketOpened(socket: Socket): void {
    this.#open(this.#sockets, socket, socket.remoteAddress, () => socket.destroy());
    socket.once('close', () => this.#closed(this.#sockets, socket));
  }

  /** Called for an HTTP/1.1 connection that was not opened to the port of the listener. */
  accepted(connection: Duplex): void {
    this.#connections.add(connection);
    this.#open(this.#sockets, connection, '', () => connection.destroy());
    connection.once('close', () => {
      this.#connections.delete(connection);
      this.#closed(this.#sockets, connection);
    });
  }

  /** Called when a handler takes over an HTTP/1.1 connection. No further requests arrive on the connection. */
  takenOver(socket: Duplex): void {
    this.#closed(this.#sockets, socket);
    this.#takenOver.add(socket);
    socket.once('close', () => this.#takenOver.delete(socket));
  }

  /** Called for a new HTTP/2 session. `socket` is the socket of its connection. */
  sessionOpened(session: ServerHttp2Session, socket: Socket | undefined): void {
    this.#open(this.#sessions, session, socket?.remoteAddress, () => session.close());
    session.once('close', () => this.#closed(this.#sessions, session));
    if (this.#draining) session.close();
  }

  #open<T>(open: Map<T, Connection>, one: T, source: string | undefined, close: () => void): void {
    const connection: Connection = { source: source ?? '', active: 0, close, leaveIdle() {} };
    open.set(one, connection);
    this.#addIdle(connection);
  }

  #closed<T>(open: Map<T, Connection>, one: T): void {
    open.get(one)?.leaveIdle();
    open.delete(one);
  }

  #addIdle(connection: Connection): void {
    connection.leaveIdle = this.#idle.add(connection.source, () => connection.close());
  }

  isIdle(session: ServerHttp2Session): boolean {
    return (this.#sessions.get(session)?.active ?? 0) === 0;
  }

  /** Called at the start of a request on an HTTP/1.1 connection. */
  requestBegan(socket: Duplex): ActiveRequest {
    return this.#beginRequest(this.#sockets, socket, () => {
      if (this.#draining && (this.#sockets.get(socket)?.active ?? 0) === 0) socket.end();
    });
  }

  /** Called at the start of an HTTP/2 request. During a drain, the session closes itself after its last stream. */
  streamRequestBegan(session: ServerHttp2Session | undefined): ActiveRequest {
    return this.#beginRequest(this.#sessions, session, () => {});
  }

  #beginRequest<T>(open: Map<T, Connection>, one: T | undefined, after: () => void): ActiveRequest {
    const connection = one === undefined ? undefined : open.get(one);
    this.#requests++;
    if (connection !== undefined && connection.active++ === 0) connection.leaveIdle();
    let ended = false;
    const done = () => {
      if (ended) return;
      ended = true;
      this.#requests--;
      const isOpen = one !== undefined && open.get(one) === connection;
      if (connection !== undefined && --connection.active === 0 && isOpen) this.#addIdle(connection);
      after();
      if (this.#requests === 0) this.#onIdle?.();
    };
    return { source: connection?.source ?? '', done };
  }

  /** Called at the start of a streaming response, which a drain must end. Returns a function to call at its end. */
  streamBegan(end: RequestEnd): () => void {
    if (this.#draining) end.end(drainReason);
    this.#streams.add(end);
    return () => this.#streams.delete(end);
  }

  /**
   * Ends streams, sends GOAWAY to HTTP/2 clients, and closes idle connections. Resolves when no request is active.
   * Connections that handlers have taken over are closed last, because active requests may use them.
   */
  async drain(): Promise<void> {
    await this.#drainRequests();
    for (const socket of this.#takenOver) socket.destroy();
  }

  #drainRequests(): Promise<void> {
    this.#draining = true;
    for (const session of this.#sessions.keys()) session.close();
    for (const [socket, { active }] of this.#sockets) if (active === 0) socket.destroy();
    for (const end of this.#streams) end.end(drainReason);
    return this.#requests === 0 ? Promise.resolve() : new Promise((resolve) => (this.#onIdle = resolve));
  }

  destroyAll(): void {
    for (const session of this.#sessions.keys()) session.destroy();
    for (const socket of this.#connections) socket.destroy();
  }
}

/** All requests share one error object, because creating a stack trace for each request would be expensive. */
const drainReason = new Error('the server is shutting down');

function peerOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`;
}
