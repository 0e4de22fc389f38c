import type { ServerHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';

/** Everything that a listener has open, so that draining can tell what is idle, what streams and what is at work. */
export class LiveConnections {
  /** HTTP/1.1 connections with the number of requests at work on them. */
  readonly #sockets = new Map<Duplex, number>();
  /** HTTP/2 sessions, likewise. */
  readonly #sessions = new Map<ServerHttp2Session, number>();
  /** Every connection, also those whose handshake is still under way. */
  readonly #raw = new Set<Duplex>();
  readonly #streams = new Set<AbortController>();
  #requests = 0;
  #draining = false;
  #onIdle: (() => void) | undefined;

  get draining(): boolean {
    return this.#draining;
  }

  connectionOpened(socket: Duplex): void {
    this.#raw.add(socket);
    socket.once('close', () => this.#raw.delete(socket));
  }

  socketOpened(socket: Duplex): void {
    this.#sockets.set(socket, 0);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  sessionOpened(session: ServerHttp2Session): void {
    this.#sessions.set(session, 0);
    session.once('close', () => this.#sessions.delete(session));
    if (this.#draining) session.close();
  }

  isIdle(session: ServerHttp2Session): boolean {
    return (this.#sessions.get(session) ?? 0) === 0;
  }

  /** A request came in on an HTTP/1.1 connection. Returns how it ends. */
  requestBegan(socket: Duplex): () => void {
    return this.#began(this.#sockets, socket, () => {
      if (this.#draining && (this.#sockets.get(socket) ?? 0) === 0) socket.end();
    });
  }

  /** The same on an HTTP/2 session, which closes by itself once its GOAWAY is out and its last stream is done. */
  streamRequestBegan(session: ServerHttp2Session | undefined): () => void {
    return this.#began(this.#sessions, session, () => {});
  }

  #began<T>(counts: Map<T, number>, connection: T | undefined, after: () => void): () => void {
    const count = (change: number) => {
      const active = connection === undefined ? undefined : counts.get(connection);
      if (connection !== undefined && active !== undefined) counts.set(connection, active + change);
    };
    this.#requests++;
    count(1);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#requests--;
      count(-1);
      after();
      if (this.#requests === 0) this.#onIdle?.();
    };
  }

  /** An answer goes out as a stream; a drain ends it through its request's signal. Returns how it ends by itself. */
  streamBegan(controller: AbortController): () => void {
    if (this.#draining) controller.abort(drainReason);
    this.#streams.add(controller);
    return () => this.#streams.delete(controller);
  }

  /** Ends streams, sends GOAWAY, closes what is idle; resolves once no request is at work any more. */
  drain(): Promise<void> {
    this.#draining = true;
    for (const session of this.#sessions.keys()) session.close();
    for (const [socket, active] of this.#sockets) if (active === 0) socket.destroy();
    for (const controller of this.#streams) controller.abort(drainReason);
    return this.#requests === 0 ? Promise.resolve() : new Promise((resolve) => (this.#onIdle = resolve));
  }

  destroyAll(): void {
    for (const session of this.#sessions.keys()) session.destroy();
    for (const socket of this.#raw) socket.destroy();
  }
}

/** Made once: a new error with its stack for every request that ends would cost more than many requests do. */
const drainReason = new Error('the server is shutting down');
