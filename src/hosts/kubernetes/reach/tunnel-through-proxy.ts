import { request } from 'node:http';
import type { Socket } from 'node:net';
import { badRequest } from '../../../api/status.ts';
import type { OutgoingAddresses } from '../../../lib/outgoing-addresses.ts';
import { NoResponseError, toNoResponseError } from './no-response.ts';
import { connectTcp, type TrackResource, waitForSocket } from './open-socket.ts';
import { createTlsConnector } from './tls-connector.ts';

/**
 * Returns a function that opens connections through an HTTP proxy with the method CONNECT. If the proxy itself uses
 * TLS, a well-known authority must have signed its certificate.
 */
export function tunnelThroughProxy(proxy: URL, timeout: number): typeof connectTcp {
  const isSecure = proxy.protocol === 'https:';
  const address = { host: proxy.hostname.replace(/^\[|\]$/g, ''), port: Number(proxy.port) || (isSecure ? 443 : 80) };
  const secure = isSecure ? createTlsConnector({ name: address.host }) : undefined;
  const credentials = credentialsOf(proxy);

  async function connectToProxy(track: TrackResource, addresses?: OutgoingAddresses): Promise<Socket> {
    try {
      const carrier = await connectTcp(address, track, addresses);
      return secure === undefined ? carrier : await waitForSocket(secure(carrier), 'secureConnect', track);
    } catch (error) {
      throw toNoResponseError(error, { where: `the proxy ${proxy.host}`, timeout });
    }
  }

  return async (target, track, addresses) => {
    // The proxy resolves the name of the target, so only an address can be checked here.
    addresses?.checkLiteral(target.host);
    const carrier = await connectToProxy(track, addresses);
    const authority = `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`;
    return await new Promise<Socket>((resolve, reject) => {
      const connectRequest = request({
        method: 'CONNECT',
        path: authority,
        createConnection: () => carrier,
        headers: { host: authority, ...credentials },
      });
      connectRequest.once('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
        if (statusCode !== 200) {
          reject(new NoResponseError('ProxyRefused', refusalMessage(proxy.host, authority, statusCode)));
          return;
        }
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      connectRequest.once('error', () =>
        reject(new NoResponseError('ProxyRefused', `the proxy ${proxy.host} closed the connection without a response`)),
      );
      connectRequest.end();
    });
  };
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  try {
    const plain = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return { 'proxy-authorization': `Basic ${Buffer.from(plain).toString('base64')}` };
  } catch {
    throw badRequest('the user name or password of the proxy URL contains an invalid URL escape');
  }
}

function refusalMessage(proxy: string, authority: string, status: number): string {
  const reason =
    status === 407
      ? 'it requires a user name and password, or rejected the given ones'
      : `it returned status ${status}`;
  return `the proxy ${proxy} did not connect to ${authority}: ${reason}`;
}
