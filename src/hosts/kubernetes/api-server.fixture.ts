import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { type KeyPairPem, selfSigned } from '../../../test/harness/self-signed.ts';
import type { Kubeconfig } from '../../api/kubeconfig.ts';

/** What a server saw of a request. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  /** Names and values by turns, as they came. */
  readonly rawHeaders: readonly string[];
  /** The common name of the client's certificate, '' without one. */
  readonly certificate: string;
  readonly body: string;
}

export type Answer = (seen: SeenRequest, response: ServerResponse) => void;

let pairs: Promise<{ server: KeyPairPem; client: KeyPairPem; other: KeyPairPem }> | undefined;

/** For all tests of a run: making them takes longer than most of them. */
export function testPairs() {
  pairs ??= Promise.all([selfSigned(), selfSigned('client'), selfSigned('other')]).then(([server, client, other]) => ({
    server,
    client,
    other,
  }));
  return pairs;
}

/** A server in TLS on the loopback that answers as a test says and keeps what it saw. */
export class ApiServerBench {
  readonly seen: SeenRequest[] = [];
  /** Connections that were ever made. */
  connections = 0;
  answer: Answer = (_, response) => response.end('{}');
  onUpgrade: ((message: IncomingMessage, socket: Duplex, head: Buffer) => void) | undefined;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();
  readonly pair: KeyPairPem;

  private constructor(server: Server, pair: KeyPairPem) {
    this.#server = server;
    this.pair = pair;
  }

  static async start(): Promise<ApiServerBench> {
    const { server: pair, client } = await testPairs();
    const server = createServer({ ...pair, ca: client.cert, requestCert: true, rejectUnauthorized: false });
    const bench = new ApiServerBench(server, pair);
    server.on('request', (message, response) => void bench.#receive(message, response));
    server.on('upgrade', (message, socket, head) => {
      bench.#note(message, '');
      bench.onUpgrade?.(message, socket, head);
    });
    server.on('secureConnection', (socket) => {
      bench.connections++;
      bench.#sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => bench.#sockets.delete(socket));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return bench;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get kubeconfig(): Kubeconfig {
    return { server: `https://127.0.0.1:${this.port}`, certificateAuthority: this.pair.cert };
  }

  get open(): number {
    return this.#sockets.size;
  }

  get last(): SeenRequest {
    const last = this.seen.at(-1);
    if (last === undefined) throw new Error('no request has come');
    return last;
  }

  /** Ends the connections that stand, as a server that restarts does. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #receive(message: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    try {
      for await (const chunk of message) body += String(chunk);
    } catch {
      // The client has ended it.
    }
    this.answer(this.#note(message, body), response);
  }

  #note(message: IncomingMessage, body: string): SeenRequest {
    const { method = '', url = '', headers, rawHeaders } = message;
    // Without a certificate Node gives an object without members; without a connection nothing.
    const peer = (message.socket as TLSSocket).getPeerCertificate() as { subject?: { CN?: string } } | null;
    const certificate = peer?.subject?.CN ?? '';
    const seen = { method, url, headers, rawHeaders, certificate, body };
    this.seen.push(seen);
    return seen;
  }
}
