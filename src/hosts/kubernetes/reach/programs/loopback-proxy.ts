import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StatusError } from '../../../../api/status.ts';
import { hopByHopHeaders } from '../../../hop-by-hop-headers.ts';
import type { Dial, DialedSocket } from '../open-socket.ts';
import { joinStreams } from './join-streams.ts';
import { LoopbackServer } from './loopback-server.ts';

export interface LoopbackProxyOptions {
  /** The origin of the only server to which the proxy connects. */
  readonly origin: string;
  /** Opens connections to this server, without TLS. */
  readonly dial: Dial;
}

/**
 * An HTTP proxy for programs on this machine, such as helm, that connects to one server only. The programs do not
 * resolve names or choose addresses: this process opens all connections, so it can check their addresses. The proxy
 * refuses requests to other servers, for example after a redirect. The TLS connection is between the program and the
 * server. Requests to the proxy need a password, which is part of the proxy's URL. Without the password, any program on
 * this machine could use connections from this process, which the server may accept although it would not accept the
 * program's own connections.
 */
export class LoopbackProxy {
  readonly #authority: string;
  readonly #origin: string;
  readonly #dial: Dial;
  readonly #password = randomBytes(32).toString('base64url');
  readonly #authorization = Buffer.from(`Basic ${Buffer.from(`program:${this.#password}`).toString('base64')}`);
  readonly #closing = new AbortController();
  readonly #server = new LoopbackServer(() =>
    createServer((incoming, response) => void this.#forward(incoming, response)).on(
      'connect',
      (incoming, client, head) => void this.#connect(incoming, client, head),
    ),
  );

  constructor({ origin, dial }: LoopbackProxyOptions) {
    const { protocol, hostname, port } = new URL(origin);
    this.#origin = origin;
    this.#authority = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
    this.#dial = dial;
  }

  /** Returns the URL of the proxy. It is a secret. Rejects if no port can be opened. */
  async url(): Promise<string> {
    return `http://program:${this.#password}@${await this.#server.address()}`;
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the connection to the cluster is closed'));
    await this.#server.close();
  }

  /** Serves `CONNECT`, the method for servers with TLS. */
  async #connect(incoming: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const refused = this.#refusal(incoming, incoming.url?.toLowerCase() === this.#authority);
    if (refused !== undefined) {
      endWith(client, responseHead(refused.status, refused.reason));
      return;
    }
    let connection: DialedSocket;
    try {
      connection = await this.#dial(this.#closing.signal);
    } catch (error) {
      endWith(client, responseHead(502, reasonOf(error)));
      return;
    }
    client.write(responseHead(200, 'Connection established'));
    if (head.length > 0) client.unshift(head);
    // The error is ignored here: the client program notices that its connection is closed, and reports an error.
    await joinStreams(client, connection).catch(() => {});
  }

  /** Serves the requests for servers without TLS, which contain the whole URL. */
  async #forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '', headers } = incoming;
    const refused = this.#refusal(incoming, URL.canParse(url) && new URL(url).origin === this.#origin);
    if (refused !== undefined) {
      response.writeHead(refused.status, refused.reason).end();
      return;
    }
    try {
      const connection = await this.#dial(this.#closing.signal);
      const { pathname, search } = new URL(url);
      const forwarded = withoutHopByHop(headers);
      const outgoing = request({
        method,
        path: pathname + search,
        headers: forwarded,
        createConnection: () => connection,
      });
      const [answer] = await Promise.all([
        new Promise<IncomingMessage>((resolve, reject) => outgoing.once('response', resolve).once('error', reject)),
        pipeline(incoming, outgoing),
      ]);
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, withoutHopByHop(answer.headers));
      await pipeline(answer, response);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else response.writeHead(502, { 'content-type': 'text/plain' }).end(reasonOf(error));
    }
  }

  #refusal(
    { headers }: IncomingMessage,
    isOwnServer: boolean,
  ): { readonly status: number; readonly reason: string } | undefined {
    const given = Buffer.from(headers['proxy-authorization'] ?? '');
    const isAuthorized = given.length === this.#authorization.length && timingSafeEqual(given, this.#authorization);
    if (!isAuthorized) return { status: 407, reason: 'the proxy password is missing or wrong' };
    if (!isOwnServer) return { status: 403, reason: `this proxy connects only to ${this.#authority}` };
    return undefined;
  }
}

/**
 * Sends the last bytes and closes the connection. Otherwise a program that does not close its end, even one without the
 * password, would use up one of the limited number of connections of the server.
 */
function endWith(client: Duplex, bytes: string): void {
  client.end(bytes, () => client.destroy());
}

function withoutHopByHop(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHopHeaders.includes(name)));
}

/** Returns the text of an error for the program. helm shows the reason phrase of a proxy to the user. */
function reasonOf(error: unknown): string {
  return error instanceof StatusError ? error.message : 'cannot open a connection to the server';
}

function responseHead(status: number, reason: string): string {
  return `HTTP/1.1 ${status} ${reason.replace(/[^\x20-\x7e]/g, '?')}\r\n\r\n`;
}
