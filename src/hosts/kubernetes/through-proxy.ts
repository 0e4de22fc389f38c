import { request } from 'node:http';
import type { Socket } from 'node:net';
import { badRequest } from '../../api/status.ts';
import { NoAnswerError, noAnswer } from './no-answer.ts';
import { type Begun, standing, tcpTo } from './open-socket.ts';
import { tlsOver } from './tls-over.ts';

/**
 * Connections through an HTTP proxy, by CONNECT. The certificate of a proxy that is spoken to in TLS has to be one of the
 * well-known authorities'.
 */
export function throughProxy(proxy: URL, timeout: number): typeof tcpTo {
  const isSecure = proxy.protocol === 'https:';
  const address = { host: proxy.hostname.replace(/^\[|\]$/g, ''), port: Number(proxy.port) || (isSecure ? 443 : 80) };
  const secure = isSecure ? tlsOver({ name: address.host }) : undefined;
  const credentials = credentialsOf(proxy);

  async function toProxy(begun: Begun): Promise<Socket> {
    try {
      const carrier = await tcpTo(address, begun);
      return secure === undefined ? carrier : await standing(secure(carrier), 'secureConnect', begun);
    } catch (error) {
      throw noAnswer(error, { where: `the proxy ${proxy.host}`, timeout });
    }
  }

  return async (target, begun) => {
    const carrier = await toProxy(begun);
    const authority = `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`;
    return await new Promise<Socket>((resolve, reject) => {
      const asked = request({
        method: 'CONNECT',
        path: authority,
        createConnection: () => carrier,
        headers: { host: authority, ...credentials },
      });
      asked.once('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
        if (statusCode !== 200) {
          reject(new NoAnswerError('ProxyRefused', refusal(proxy.host, authority, statusCode)));
          return;
        }
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      asked.once('error', () =>
        reject(new NoAnswerError('ProxyRefused', `the proxy ${proxy.host} has ended the connection without an answer`)),
      );
      asked.end();
    });
  };
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  try {
    const plain = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return { 'proxy-authorization': `Basic ${Buffer.from(plain).toString('base64')}` };
  } catch {
    throw badRequest('the name and the password of the proxy cannot be read: their percent signs stand for nothing');
  }
}

function refusal(proxy: string, authority: string, status: number): string {
  const why = status === 407 ? 'it wants a name and a password, or others than it was given' : `it answered ${status}`;
  return `the proxy ${proxy} does not lead to ${authority}: ${why}`;
}
