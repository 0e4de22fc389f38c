import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { Readable } from 'node:stream';
import type { IncomingRequest } from './exchange.ts';
import type { RequestEnd } from './request-end.ts';

/** What comes off a socket, in the shape that handlers know. */
export function adaptRequest(
  message: IncomingMessage | Http2ServerRequest,
  end: RequestEnd,
  upgrade?: string,
): IncomingRequest {
  const headers: Record<string, string | undefined> = {};
  for (const name in message.headers) {
    const value = message.headers[name];
    if (!name.startsWith(':')) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  const isHttp2 = message.httpVersionMajor === 2;
  const authority = message.headers[':authority'];
  if (headers.host === undefined && typeof authority === 'string') headers.host = authority;
  return {
    method: message.method ?? 'GET',
    url: pathAndQuery(message.url ?? '/'),
    headers,
    body: {
      each: (take) => eachChunk(message, end, take),
      [Symbol.asyncIterator]: () => bytesOf(message, end),
    },
    // The address is gone once the socket is; it is read while it is there.
    remoteAddress: message.socket?.remoteAddress ?? '',
    httpVersion: isHttp2 ? '2' : '1.1',
    webSocket: upgrade?.toLowerCase() === 'websocket',
    ...(upgrade === undefined ? {} : { upgrade }),
    end,
    get signal() {
      return end.signal;
    },
  };
}

/**
 * Leaving the loop early must not destroy the message: for HTTP/1.1 that would take the connection with it, and the
 * answer that says what was wrong.
 *
 * Once the request is over, Node tells those who still wait for more of its body nothing, not even that the connection
 * has gone. Whoever waits there must not wait for ever with all that it holds.
 */
function bytesOf(message: Readable, end: RequestEnd): AsyncIterator<Uint8Array> {
  const bytes: AsyncIterator<Uint8Array> = message.iterator({ destroyOnReturn: false });
  let giveUp: (reason: unknown) => void = () => {};
  end.follow((reason) => giveUp(reason));
  return {
    next: () =>
      new Promise((resolve, reject) => {
        giveUp = reject;
        if (end.isOver) reject(end.reason);
        else bytes.next().then(resolve, reject);
      }),
    return: async () => (await bytes.return?.()) ?? { done: true, value: undefined },
  };
}

/** The same for one who takes all of it: Node's iterator asks several times what events tell by themselves. */
function eachChunk(message: Readable, end: RequestEnd, take: (chunk: Uint8Array) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    if (message.readableEnded) return resolve();
    if (message.destroyed) return reject(new Error('the request has gone'));
    const leave = () => {
      message.off('data', onData);
      message.off('end', onEnd);
      message.off('error', fail);
      message.off('close', onClose);
      letGo();
    };
    const fail = (reason: unknown) => {
      leave();
      message.pause();
      reject(reason);
    };
    const onData = (chunk: Uint8Array) => {
      try {
        take(chunk);
      } catch (error) {
        fail(error);
      }
    };
    const onEnd = () => {
      leave();
      resolve();
    };
    const onClose = () => fail(new Error('the request ended before its body did'));
    let letGo = () => {};
    message.on('end', onEnd);
    message.on('error', fail);
    message.on('close', onClose);
    message.on('data', onData);
    letGo = end.follow(fail);
  });
}

/** HTTP/1.1 clients of proxies send the whole URL. */
function pathAndQuery(target: string): string {
  if (target.startsWith('/')) return target;
  const authorityEnd = /^https?:\/\/[^/?#]*/i.exec(target)?.[0].length;
  if (authorityEnd === undefined) return `/${target}`;
  const rest = target.slice(authorityEnd);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
