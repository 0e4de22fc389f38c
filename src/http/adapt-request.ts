import type { IncomingMessage } from 'node:http';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Readable } from 'node:stream';
import type { IncomingRequest, RequestBody } from './exchange.ts';
import type { RequestEnd } from './request-end.ts';

/** What comes off a socket by HTTP/1.1, in the shape that handlers know. */
export function adaptRequest(message: IncomingMessage, end: RequestEnd, upgrade?: string): IncomingRequest {
  const { method = 'GET', url = '/' } = message;
  const headers = joinedHeaders(message.headers);
  const body = new SocketBody(message, undefined, end);
  // The address is gone once the socket is; it is read while it is there.
  const request = new SocketRequest(method, url, headers, '1.1', body, message.socket.remoteAddress ?? '', end);
  if (upgrade === undefined) return request;
  request.upgrade = upgrade;
  request.webSocket = upgrade.toLowerCase() === 'websocket';
  return request;
}

/** A stream of HTTP/2, and what is known of it. */
export interface ArrivedStream {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  /** The same as they came, name and value by turns. */
  readonly rawHeaders: readonly string[];
  /** The address at the other end of its connection. */
  readonly source: string;
}

/** The same for a stream of HTTP/2. */
export function adaptStream(arrived: ArrivedStream, end: RequestEnd): IncomingRequest {
  const { stream } = arrived;
  const { ':method': method = 'GET', ':path': path = '/', ':authority': authority } = arrived.headers;
  const headers = singleHeaders(arrived.rawHeaders) ?? joinedHeaders(arrived.headers);
  // Where HTTP/2 says whom the request is for, nothing else does.
  if (authority !== undefined) headers.host = authority;
  return new SocketRequest(method, path, headers, '2', new SocketBody(stream, stream, end), arrived.source, end);
}

/**
 * Headers of which none came twice, as nearly always; undefined: one did. To go through Node's object of headers, which
 * is a dictionary, takes twice as long.
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

/** A class, and no object that is written down with a getter in it: those are slow to make and slow to read. */
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

  constructor(
    method: string,
    url: string,
    headers: Record<string, string | undefined>,
    httpVersion: '1.1' | '2',
    body: RequestBody,
    remoteAddress: string,
    end: RequestEnd,
  ) {
    this.method = method;
    this.url = pathAndQuery(url);
    this.headers = headers;
    this.httpVersion = httpVersion;
    this.body = body;
    this.remoteAddress = remoteAddress;
    this.end = end;
  }

  get signal(): AbortSignal {
    return this.end.signal;
  }
}

const nothing = new Uint8Array();

class SocketBody implements RequestBody {
  readonly #message: Readable;
  readonly #stream: ServerHttp2Stream | undefined;
  readonly #end: RequestEnd;

  /** `stream`: the message, where it came by HTTP/2. */
  constructor(message: Readable, stream: ServerHttp2Stream | undefined, end: RequestEnd) {
    this.#message = message;
    this.#stream = stream;
    this.#end = end;
  }

  /**
   * A short body has come before anybody asks for it. Of HTTP/2 alone: there what follows has a stream of its own, and
   * the end of this one may be left to its closing.
   */
  takeWhole(announced: number): Uint8Array | undefined {
    const stream = this.#stream;
    if (stream === undefined || this.#end.isOver) return undefined;
    if (announced === 0 && stream.endAfterHeaders) return nothing;
    const there = stream.readableLength;
    const isWhole = announced > 0 ? there === announced : there > 0 && stream.state.remoteClose === 1;
    if (!isWhole) return undefined;
    // Not a byte more than there is. Who reads beyond the end has the stream ended, and one that has ended is destroyed
    // while its answer is still on its way out, for which Node makes an error, with its stack, for nobody.
    const bytes: Uint8Array | null = stream.read(there);
    return bytes ?? undefined;
  }

  each(take: (chunk: Uint8Array) => void): Promise<void> {
    return eachChunk(this.#message, this.#end, take);
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return bytesOf(this.#message, this.#end);
  }
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
