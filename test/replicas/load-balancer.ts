import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A TCP load balancer. Gives each connection to the next server that accepts it, or always to one server after
 * `useOnly`.
 */
export class LoadBalancer {
  readonly #server: Server;
  readonly #targets: readonly URL[];
  readonly #sockets = new Set<Socket>();
  #next = 0;
  #only: number | undefined;

  private constructor(server: Server, targets: readonly URL[]) {
    this.#server = server;
    this.#targets = targets;
    server.on('connection', (incoming) => this.#connect(incoming, this.#targets.length));
  }

  static async start(urls: readonly string[], address: string, port: number): Promise<LoadBalancer> {
    const server = createServer({ pauseOnConnect: true });
    const balancer = new LoadBalancer(
      server,
      urls.map((url) => new URL(url)),
    );
    server.listen(port, address);
    await once(server, 'listening');
    return balancer;
  }

  /** Sends new connections only to the server with this index. `undefined` selects all servers again. */
  useOnly(index: number | undefined): void {
    this.#only = index;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #connect(incoming: Socket, attempts: number): void {
    const target = this.#targets[this.#only ?? this.#next++ % this.#targets.length];
    if (attempts === 0 || target === undefined) {
      incoming.destroy();
      return;
    }
    const outgoing = connect(Number(target.port), target.hostname);
    outgoing.once('connect', () => this.#join(incoming, outgoing));
    outgoing.once('error', () => {
      if (outgoing.bytesWritten === 0 && !this.#sockets.has(outgoing)) this.#connect(incoming, attempts - 1);
    });
  }

  #join(incoming: Socket, outgoing: Socket): void {
    for (const socket of [incoming, outgoing]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        incoming.destroy();
        outgoing.destroy();
      });
    }
    incoming.pipe(outgoing);
    outgoing.pipe(incoming);
    incoming.resume();
  }
}
