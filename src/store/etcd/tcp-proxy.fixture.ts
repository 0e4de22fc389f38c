import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/**
 * A proxy between a store and etcd. Tests can cut its connections, so responses are lost although etcd has executed the
 * requests.
 */
export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** The connections to etcd. */
  readonly #outgoing = new Set<Socket>();
  /** The delay of the responses of etcd, in milliseconds. */
  latencyMs = 0;
  #isCut = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(target: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(target);
    const server = createServer();
    const proxy = new TcpProxy(server);
    server.on('connection', (incoming) => proxy.#join(incoming, connect(Number(port), hostname)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Breaks all connections. If `refuse` is true, also breaks new connections until `restore`. */
  cut(refuse = false): void {
    this.#isCut = refuse;
    for (const socket of this.#sockets) socket.destroy();
  }

  restore(): void {
    this.#isCut = false;
  }

  /** Delivers requests to etcd, but no responses of etcd on the existing connections. */
  holdResponses(): void {
    for (const socket of this.#outgoing) {
      socket.unpipe();
      socket.resume();
    }
  }

  async stop(): Promise<void> {
    this.cut(true);
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Returns a stream that delivers each chunk after `latencyMs`. */
  #delay(): Transform {
    const stream: Transform = new Transform({
      transform: (chunk, _encoding, done) => {
        done();
        if (this.latencyMs === 0) stream.push(chunk);
        else setTimeout(() => void (stream.writable && stream.push(chunk)), this.latencyMs);
      },
    });
    return stream;
  }

  #join(incoming: Socket, outgoing: Socket): void {
    this.#outgoing.add(outgoing);
    for (const socket of [incoming, outgoing]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        this.#outgoing.delete(socket);
        incoming.destroy();
        outgoing.destroy();
      });
    }
    if (this.#isCut) {
      incoming.destroy();
      return;
    }
    incoming.pipe(outgoing);
    outgoing.pipe(this.#delay()).pipe(incoming);
  }
}
