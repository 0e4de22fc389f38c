import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { type KeyPairPem, selfSigned } from '../../../../test/harness/self-signed.ts';
import type { Kubeconfig } from '../../../api/kubeconfig.ts';

/** A request that the test server received. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  /** The headers as an array in which names and values alternate. */
  readonly rawHeaders: readonly string[];
  /** The common name of the client certificate; empty if the client sent none. */
  readonly certificate: string;
  readonly body: string;
}

export type RespondFunction = (seen: SeenRequest, response: ServerResponse) => void;

let pairs: Promise<{ server: KeyPairPem; client: KeyPairPem; other: KeyPairPem }> | undefined;

/** Returns TLS key pairs. All tests of a process share them, because generating them takes longer than most tests. */
export function testKeyPairs() {
  pairs ??= Promise.all([selfSigned(), selfSigned('client'), selfSigned('other')]).then(([server, client, other]) => ({
    server,
    client,
    other,
  }));
  return pairs;
}

/** A TLS server for tests. A test defines its responses, and the server records the requests. */
export class ApiServerTestEnv {
  readonly seen: SeenRequest[] = [];
  /** The number of connections that the server has accepted so far. */
  connections = 0;
  respond: RespondFunction = (_, response) => response.end('{}');
  onUpgrade: ((message: IncomingMessage, socket: Duplex, head: Buffer) => void) | undefined;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();
  readonly pair: KeyPairPem;

  private constructor(server: Server, pair: KeyPairPem) {
    this.#server = server;
    this.pair = pair;
  }

  static async start(): Promise<ApiServerTestEnv> {
    const { server: pair, client } = await testKeyPairs();
    const server = createServer({ ...pair, ca: client.cert, requestCert: true, rejectUnauthorized: false });
    const env = new ApiServerTestEnv(server, pair);
    server.on('request', (message, response) => void env.#receive(message, response));
    server.on('upgrade', (message, socket, head) => {
      env.#note(message, '');
      env.onUpgrade?.(message, socket, head);
    });
    server.on('secureConnection', (socket) => {
      env.connections++;
      env.#sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => env.#sockets.delete(socket));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return env;
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
    if (last === undefined) throw new Error('no request has arrived');
    return last;
  }

  /** Closes all open connections, like a server that restarts. */
  closeConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.closeConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #receive(message: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    try {
      for await (const chunk of message) body += String(chunk);
    } catch {
      // The client aborted the request before it had sent the whole body.
    }
    this.respond(this.#note(message, body), response);
  }

  #note(message: IncomingMessage, body: string): SeenRequest {
    const { method = '', url = '', headers, rawHeaders } = message;
    // Node returns an empty object if the client sent no certificate, and null if the connection is closed.
    const peer = (message.socket as TLSSocket).getPeerCertificate() as { subject?: { CN?: string } } | null;
    const certificate = peer?.subject?.CN ?? '';
    const seen = { method, url, headers, rawHeaders, certificate, body };
    this.seen.push(seen);
    return seen;
  }
}
