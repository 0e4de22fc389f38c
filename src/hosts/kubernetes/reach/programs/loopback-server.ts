import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { serviceUnavailable } from '../../../../api/status.ts';

/** helm opens a few connections per run, and only a few runs take place at the same time. */
const maxConnections = 128;

/** A server on a port of the loopback interface, for programs on this machine such as helm. The first use opens the port. */
export class LoopbackServer {
  readonly #create: () => Server | Promise<Server>;
  readonly #clients = new Set<Socket>();
  #server: Promise<Server> | undefined;
  #isClosed = false;

  /** `create` returns a server that does not listen yet. */
  constructor(create: () => Server | Promise<Server>) {
    this.#create = create;
  }

  /** Returns the host and port of the server. Rejects if no port can be opened, or if the server is closed. */
  async address(): Promise<string> {
    this.#throwIfClosed();
    this.#server ??= this.#listen().catch((error: unknown) => {
      // The next use tries again.
      this.#server = undefined;
      throw error;
    });
    const server = await this.#server;
    this.#throwIfClosed();
    const { port } = server.address() as AddressInfo;
    return `127.0.0.1:${port}`;
  }

  /** Closes the port and all connections to it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const server = await this.#server?.catch(() => undefined);
    for (const client of this.#clients) client.destroy();
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }

  #throwIfClosed(): void {
    if (this.#isClosed) throw serviceUnavailable('the connection to the cluster is closed');
  }

  async #listen(): Promise<Server> {
    const server = await this.#create();
    server.on('connection', (client: Socket) => {
      this.#clients.add(client);
      client.once('close', () => this.#clients.delete(client));
      client.on('error', () => client.destroy());
    });
    server.maxConnections = maxConnections;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // Emitted if a connection cannot be accepted, for example because the system has no file handles left. Without a
    // listener, the error would end the process. The client program notices that the connection failed, and reports an
    // error.
    server.on('error', () => {});
    server.unref();
    return server;
  }
}
