import { connect as connectTcp, type Socket } from 'node:net';
import type { ApiCaller } from './api-caller.ts';
import { connectTls } from './raw-connection.ts';

/** The first bytes of a TLS handshake that is never continued. */
const halfHello = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01]);

/** A client that keeps a connection open and sends almost nothing. */
export class SlowClient {
  readonly #socket: Socket;
  readonly #more: string;
  /** The bytes received from the server. */
  received = '';
  closed = false;

  private constructor(socket: Socket, more: string) {
    this.#socket = socket;
    this.#more = more;
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => {
      this.received += bytes;
    });
    socket.on('close', () => {
      this.closed = true;
    });
  }

  static async halfOpen({ url }: ApiCaller): Promise<SlowClient> {
    const { hostname, port } = new URL(url);
    const socket = await new Promise<Socket>((resolve, reject) => {
      const made = connectTcp({ host: hostname, port: Number(port) }, () => resolve(made));
      made.once('error', reject);
    });
    socket.write(halfHello);
    return new SlowClient(socket, '\0');
  }

  /** Endless headers, a few characters at a time. */
  static async slowHeaders(caller: ApiCaller): Promise<SlowClient> {
    const socket = await connectTls(caller);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nX-Endless: ');
    return new SlowClient(socket, 'x');
  }

  static async slowBody(caller: ApiCaller, path: string): Promise<SlowClient> {
    const socket = await connectTls(caller);
    const headers = `Host: x\r\nAuthorization: Bearer ${caller.key}\r\nContent-Type: application/json\r\n`;
    socket.write(`POST ${path} HTTP/1.1\r\n${headers}Content-Length: 100000\r\n\r\n{`);
    return new SlowClient(socket, ' ');
  }

  /** Sends a little more. */
  trickle(): void {
    if (!this.closed && this.#socket.writable) this.#socket.write(this.#more);
  }

  close(): void {
    this.#socket.destroy();
  }
}
