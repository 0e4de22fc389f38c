import { request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent, type AgentOptions, request as httpsRequest, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import { CliError } from '../cli-error.ts';

/** An agent that connects through a proxy with CONNECT. TLS is end-to-end, so the proxy never sees an access key. */
export class ProxyAgent extends Agent {
  readonly #proxy: URL;

  constructor(proxy: URL, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(
    options: RequestOptions,
    connected?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const { host, port } = options;
    const target = { host: host ?? '', port: Number(port ?? 443) };
    tunnel(this.#proxy, target).then(
      (socket) => connected?.(null, connectTls({ ...(options as ConnectionOptions), socket })),
      // Node ignores the second argument if there is an error.
      (error: Error) => connected?.(error, undefined as unknown as Duplex),
    );
    return undefined;
  }
}

/** Opens a TLS connection to the server through the proxy. */
export async function connectThroughProxy(
  proxy: URL,
  options: ConnectionOptions & { host: string; port: number },
): Promise<TLSSocket> {
  return connectTls({ ...options, socket: await tunnel(proxy, options) });
}

function tunnel(proxy: URL, { host, port }: { host: string; port: number }): Promise<Socket> {
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const send = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = send({
      host: proxy.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: target,
      agent: false,
      headers: {
        Host: target,
        ...(proxy.username === ''
          ? {}
          : { 'Proxy-Authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }),
      },
    });
    outgoing.once('connect', (response: IncomingMessage, socket: Socket) => {
      if (response.statusCode === 200) {
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(new CliError(`proxy ${proxy.host} returned ${response.statusCode} for a connection to ${target}`));
    });
    outgoing.once('error', (error) => {
      reject(new CliError(`cannot reach the proxy ${proxy.host} (${error.message})`, { cause: error }));
    });
    outgoing.end();
  });
}
