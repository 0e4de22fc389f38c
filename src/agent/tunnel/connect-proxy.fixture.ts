import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** An HTTP proxy that forwards connections (CONNECT) of clients that send its password. */
export class ConnectProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /**
   * The number of connections that the proxy has forwarded (`accepted`), or refused because the password was missing
   * (`refused`).
   */
  accepted = 0;
  refused = 0;

  private constructor(server: Server, user: string) {
    this.#server = server;
    const authorization = `Basic ${Buffer.from(user).toString('base64')}`;
    server.on('connect', ({ url = '', headers }, client: Socket) => {
      this.#track(client);
      if (headers['proxy-authorization'] === authorization) {
        this.accepted++;
        this.#forward(client, url);
        return;
      }
      this.refused++;
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="proxy"\r\n\r\n');
    });
  }

  /** `user` is `name:password`. */
  static async start(host: string, user: string, port = 0): Promise<ConnectProxy> {
    const server = createServer();
    const proxy = new ConnectProxy(server, user);
    server.listen(port, host);
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }

  #forward(client: Socket, url: string): void {
    const [host = '', port] = url.split(':');
    const target = connect({ host, port: Number(port) }, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(client).pipe(target);
    });
    this.#track(target);
    client.once('close', () => target.destroy());
    target.once('close', () => client.destroy());
  }

  #track(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}
