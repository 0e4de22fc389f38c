import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { Readable } from 'node:stream';
import type { IncomingRequest } from './exchange.ts';

/** What comes off a socket, in the shape that handlers know. */
export function adaptRequest(
  message: IncomingMessage | Http2ServerRequest,
  signal: AbortSignal,
  webSocket: boolean,
): IncomingRequest {
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(message.headers)) {
    if (!name.startsWith(':')) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  const isHttp2 = message.httpVersionMajor === 2;
  const authority = message.headers[':authority'];
  if (headers.host === undefined && typeof authority === 'string') headers.host = authority;
  return {
    method: message.method ?? 'GET',
    url: pathAndQuery(message.url ?? '/'),
    headers,
    body: { [Symbol.asyncIterator]: () => bytesOf(message) },
    // The address is gone once the socket is; it is read while it is there.
    remoteAddress: message.socket?.remoteAddress ?? '',
    httpVersion: isHttp2 ? '2' : '1.1',
    webSocket,
    signal,
  };
}

/**
 * Leaving the loop early must not destroy the message: for HTTP/1.1 that would take the connection with it, and the
 * answer that says what was wrong.
 */
function bytesOf(message: Readable): AsyncIterator<Uint8Array> {
  return message.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>;
}

/** HTTP/1.1 clients of proxies send the whole URL. */
function pathAndQuery(target: string): string {
  if (target.startsWith('/')) return target;
  const authorityEnd = /^https?:\/\/[^/?#]*/i.exec(target)?.[0].length;
  if (authorityEnd === undefined) return `/${target}`;
  const rest = target.slice(authorityEnd);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
