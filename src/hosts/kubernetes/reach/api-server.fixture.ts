import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { type KeyPairPem, selfSigned } from '../../../../test/harness/self-signed.ts';
import type { Kubeconfig } from '../../../api/kubeconfig.ts';

/** A request as the server received it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  /** Alternating names and values, as received. */
  readonly rawHeaders: readonly string[];
  /** The common name of the client certificate; empty without one. */
  readonly certificate: string;
  readonly body: string;
}

export type RespondFunction = (seen: SeenRequest, response: ServerResponse) => void;

let pairs: Promise<{ server: KeyPairPem; client: KeyPairPem; other: KeyPairPem }> | undefined;

/** Shared by all tests of a run, because generating them takes longer than most tests. */
export function testKeyPairs() {
  pairs ??= Promise.all([selfSigned(), selfSigned('client'), selfSigned('other')]).then(([server, client, other]) => ({
    server,
    client,
    other,
  }));
  return pairs;
}

/** A TLS server on the loopback address that responds as a test defines and records its requests. */
export class ApiServerTestEnv {
  readonly seen: SeenRequest[] = [];
  /** The number of connections ever made. */
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

  /** Closes the open connections, as a restarting server does. */
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
      // The client aborted the request.
    }
    this.respond(this.#note(message, body), response);
  }

  #note(message: IncomingMessage, body: string): SeenRequest {
    const { method = '', url = '', headers, rawHeaders } = message;
    // Without a certificate Node returns an empty object; without a connection, null.
    const peer = (message.socket as TLSSocket).getPeerCertificate() as { subject?: { CN?: string } } | null;
    const certificate = peer?.subject?.CN ?? '';
    const seen = { method, url, headers, rawHeaders, certificate, body };
    this.seen.push(seen);
    return seen;
  }
}
