import type { IncomingMessage } from 'node:http';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Readable } from 'node:stream';
import type { IncomingRequest, RequestBody } from '../exchange.ts';
import type { RequestEnd } from '../request/request-end.ts';

/** Adapts an HTTP/1.1 request from a socket for the handlers. */
export function adaptRequest(message: IncomingMessage, end: RequestEnd, upgrade?: string): IncomingRequest {
  const { method = 'GET', url = '/' } = message;
  const head: RequestHead = { method, url, headers: joinedHeaders(message.headers), httpVersion: '1.1' };
  const body = new SocketBody(message, undefined, end);
  // Read now: the address is not available after the socket has closed.
  const request = new SocketRequest(head, body, message.socket.remoteAddress ?? '', end);
  if (upgrade === undefined) return request;
  request.upgrade = upgrade;
  request.webSocket = upgrade.toLowerCase() === 'websocket';
  return request;
}

/** An HTTP/2 stream with its headers and source. */
export interface IncomingStream {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  /** The headers as received, names and values alternating. */
  readonly rawHeaders: readonly string[];
  /** The remote address of its connection. */
  readonly source: string;
}

/** Adapts an HTTP/2 stream for the handlers. */
export function adaptStream(arrived: IncomingStream, end: RequestEnd): IncomingRequest {
  const { stream } = arrived;
  const { ':method': method = 'GET', ':path': path = '/', ':authority': authority } = arrived.headers;
  const headers = singleHeaders(arrived.rawHeaders) ?? joinedHeaders(arrived.headers);
  // In HTTP/2, `:authority` takes precedence over a Host header.
  if (authority !== undefined) headers.host = authority;
  const head: RequestHead = { method, url: path, headers, httpVersion: '2' };
  return new SocketRequest(head, new SocketBody(stream, stream, end), arrived.source, end);
}

/**
 * Returns the headers if none is repeated, as in nearly all requests; otherwise `undefined`. Node's header object is in
 * dictionary mode, and iterating it takes twice as long.
 */
function singleHeaders(raw: readonly string[]): Record<string, string | undefined> | undefined {
  const headers: Record<string, string | undefined> = {};
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? '';
    if (name.startsWith(':')) continue;
    if (headers[name] !== undefined) return undefined;
    headers[name] = raw[at + 1];
  }
  return headers;
}

function joinedHeaders(sent: NodeJS.Dict<string | string[]>): Record<string, string | undefined> {
  const headers: Record<string, string | undefined> = {};
  for (const name in sent) {
    const value = sent[name];
    if (!name.startsWith(':')) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
}

interface RequestHead {
  readonly method: string;
  /** The request target as sent. HTTP/1.1 clients that use a proxy send an absolute URL. */
  readonly url: string;
  readonly headers: Record<string, string | undefined>;
  readonly httpVersion: '1.1' | '2';
}

/** A class rather than an object literal with a getter, which is slow to create and slow to read. */
class SocketRequest implements IncomingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string | undefined>;
  readonly body: RequestBody;
  readonly remoteAddress: string;
  readonly httpVersion: '1.1' | '2';
  readonly end: RequestEnd;
  webSocket = false;
  declare upgrade?: string;

  constructor(head: RequestHead, body: RequestBody, remoteAddress: string, end: RequestEnd) {
    this.method = head.method;
    this.url = pathAndQuery(head.url);
    this.headers = head.headers;
    this.httpVersion = head.httpVersion;
    this.body = body;
    this.remoteAddress = remoteAddress;
    this.end = end;
  }

  get signal(): AbortSignal {
    return this.end.signal;
  }
}

const emptyBody = new Uint8Array();

class SocketBody implements RequestBody {
  readonly #message: Readable;
  readonly #stream: ServerHttp2Stream | undefined;
  readonly #end: RequestEnd;

  /** `stream` is the same as `message` for HTTP/2, and `undefined` for HTTP/1.1. */
  constructor(message: Readable, stream: ServerHttp2Stream | undefined, end: RequestEnd) {
    this.#message = message;
    this.#stream = stream;
    this.#end = end;
  }

  /**
   * A short body is usually buffered before it is read. Only for HTTP/2: each request has its own stream there, so the
   * end of the body need not be consumed.
   */
  takeBuffered(announced: number): Uint8Array | undefined {
    const stream = this.#stream;
    if (stream === undefined || this.#end.hasEnded) return undefined;
    if (announced === 0 && stream.endAfterHeaders) return emptyBody;
    const buffered = stream.readableLength;
    const isWhole = announced > 0 ? buffered === announced : buffered > 0 && stream.state.remoteClose === 1;
    if (!isWhole) return undefined;
    // Reads exactly the buffered bytes. Reading past them ends the stream, and Node destroys an ended stream while its
    // response is still being sent, which creates an error with a stack trace that is never used.
    const bytes: Uint8Array | null = stream.read(buffered);
    return bytes ?? undefined;
  }

  forEachChunk(take: (chunk: Uint8Array) => void): Promise<void> {
    return eachChunk(this.#message, this.#end, take);
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return bytesOf(this.#message, this.#end);
  }
}

/**
 * Returning early must not destroy the message: for HTTP/1.1 that would close the connection, and the response with
 * the error would be lost.
 *
 * After the end of a request, Node does not notify readers of its body, not even when the connection closes. A pending
 * read is rejected here, or it would never settle and would retain its memory.
 */
function bytesOf(message: Readable, end: RequestEnd): AsyncIterator<Uint8Array> {
  const bytes: AsyncIterator<Uint8Array> = message.iterator({ destroyOnReturn: false });
  let rejectRead: (reason: unknown) => void = () => {};
  end.onEnd((reason) => rejectRead(reason));
  return {
    next: () =>
      new Promise((resolve, reject) => {
        rejectRead = reject;
        if (end.hasEnded) reject(end.reason);
        else bytes.next().then(resolve, reject);
      }),
    return: async () => (await bytes.return?.()) ?? { done: true, value: undefined },
  };
}

/** Calls `take` with each chunk of a body. Node's events are faster than its iterator, which `bytesOf` uses. */
function eachChunk(message: Readable, end: RequestEnd, take: (chunk: Uint8Array) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    if (message.readableEnded) return resolve();
    if (message.destroyed) return reject(new Error('the request was closed'));
    const leave = () => {
      message.off('data', onData);
      message.off('end', onEnd);
      message.off('error', fail);
      message.off('close', onClose);
      stopFollowing();
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
    const onClose = () => fail(new Error('the request ended before its body was complete'));
    let stopFollowing = () => {};
    message.on('end', onEnd);
    message.on('error', fail);
    message.on('close', onClose);
    message.on('data', onData);
    stopFollowing = end.onEnd(fail);
  });
}

/** HTTP/1.1 clients of proxies send an absolute URL. */
function pathAndQuery(target: string): string {
  if (target.startsWith('/')) return target;
  const authorityEnd = /^https?:\/\/[^/?#]*/i.exec(target)?.[0].length;
  if (authorityEnd === undefined) return `/${target}`;
  const rest = target.slice(authorityEnd);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
