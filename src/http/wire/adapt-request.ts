import type { IncomingMessage } from 'node:http';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Readable } from 'node:stream';
import type { IncomingRequest, RequestBody } from '../exchange.ts';
import type { RequestEnd } from '../request/request-end.ts';

/** Converts Node's HTTP/1.1 request to the request type of the handlers. */
export function adaptRequest(message: IncomingMessage, end: RequestEnd, upgrade?: string): IncomingRequest {
  const { method = 'GET', url = '/' } = message;
  const head: RequestHead = { method, url, headers: joinedHeaders(message.headers), httpVersion: '1.1' };
  const body = new SocketBody(message, undefined, end);
  // The address is read now, because Node no longer returns it after the socket has closed.
  const request = new SocketRequest(head, body, message.socket.remoteAddress ?? '', end);
  if (upgrade === undefined) return request;
  request.upgrade = upgrade;
  request.webSocket = upgrade.toLowerCase() === 'websocket';
  return request;
}

/** An HTTP/2 stream on which a request has arrived. */
export interface IncomingHttp2Stream {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  /** The headers as received: a list of alternating names and values. */
  readonly rawHeaders: readonly string[];
  /** The remote address of the connection. */
  readonly source: string;
}

/** Converts an HTTP/2 stream to the request type of the handlers. */
export function adaptHttp2Stream(arrived: IncomingHttp2Stream, end: RequestEnd): IncomingRequest {
  const { stream } = arrived;
  const { ':method': method = 'GET', ':path': path = '/', ':authority': authority } = arrived.headers;
  const headers = singleHeaders(arrived.rawHeaders) ?? joinedHeaders(arrived.headers);
  // In HTTP/2, `:authority` takes precedence over a Host header.
  if (authority !== undefined) headers.host = authority;
  const head: RequestHead = { method, url: path, headers, httpVersion: '2' };
  const request = new SocketRequest(head, new SocketBody(stream, stream, end), arrived.source, end);
  request.connection = stream.session;
  return request;
}

/**
 * Returns the headers as an object; `undefined` if a header is repeated, which is rare. Reading the raw list takes half
 * as long as iterating over Node's header object, which V8 stores as a dictionary.
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
  /** The request target as the client sent it. Clients of an HTTP proxy send an absolute URL. */
  readonly url: string;
  readonly headers: Record<string, string | undefined>;
  readonly httpVersion: '1.1' | '2';
}

/** A request from a socket. It is a class, because an object literal with a getter is slow in V8. */
class SocketRequest implements IncomingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string | undefined>;
  readonly body: RequestBody;
  remoteAddress: string;
  readonly httpVersion: '1.1' | '2';
  readonly end: RequestEnd;
  connection: object | undefined = undefined;
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

  /** `stream` is `message` for HTTP/2, and `undefined` for HTTP/1.1. */
  constructor(message: Readable, stream: ServerHttp2Stream | undefined, end: RequestEnd) {
    this.#message = message;
    this.#stream = stream;
    this.#end = end;
  }

  /**
   * Returns the body without waiting, because a short body has usually arrived together with the headers. Works only
   * for HTTP/2: each request has a separate stream there, so the end of the body need not be read.
   */
  takeBuffered(announced: number): Uint8Array | undefined {
    const stream = this.#stream;
    if (stream === undefined || this.#end.hasEnded) return undefined;
    if (announced === 0 && stream.endAfterHeaders) return emptyBody;
    const buffered = stream.readableLength;
    const isWhole = announced > 0 ? buffered === announced : buffered > 0 && stream.state.remoteClose === 1;
    if (!isWhole) return undefined;
    // Read exactly the buffered bytes. Reading further would end the stream, and Node destroys an ended stream even if
    // its response is still being sent. Node would then create an error with an expensive stack trace.
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
 * Returns an iterator over the chunks of a body. If the iteration stops early, the message is not destroyed, because
 * destroying it would close an HTTP/1.1 connection before the error response is sent.
 *
 * When a request has ended, Node does not notify the reader of its body. A pending read would never settle, and its
 * memory would not be freed. Therefore, the iterator itself rejects the pending read.
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

/** Calls `take` with each chunk of a body. Node's events are faster than the iterator that `bytesOf` uses. */
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

/** Returns the path and query of a request target. Clients of an HTTP proxy send an absolute URL. */
function pathAndQuery(target: string): string {
  if (target.startsWith('/')) return target;
  const authorityEnd = /^https?:\/\/[^/?#]*/i.exec(target)?.[0].length;
  if (authorityEnd === undefined) return `/${target}`;
  const rest = target.slice(authorityEnd);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
