import type { EventEmitter } from 'node:events';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type IncomingRequest, isStream, type Reply } from './exchange.ts';
import { destroyWhenStalled } from './stalled-reader.ts';

/** The part of Node's two kinds of response that is used here. */
export interface ResponseTarget extends EventEmitter {
  readonly writableLength: number;
  writeHead(status: number, headers: Record<string, string | string[]>): unknown;
  flushHeaders(): void;
  write(chunk: string | Uint8Array): boolean;
  end(chunk?: string | Uint8Array): unknown;
  destroy(): unknown;
}

export interface WriteOptions {
  /** See ListenLimits. */
  readonly stallMilliseconds: number;
  /** Tells the client of HTTP/1.1 that this was the last answer on its connection. */
  readonly closing: boolean;
  /** Whether the response has closed; Node's responses for HTTP/2 do not know it themselves. */
  isGone(): boolean;
}

/** Below this the bytes saved are not worth the work (rule NEG-20). */
const gzipThreshold = 128 * 1024;
const pieceLength = 256 * 1024;
const gzipAsync = promisify(gzip);

/** Headers of HTTP/1.1 connections, which HTTP/2 does not have. */
const connectionHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/** Writes an answer to its end, or until the client is gone. Throws if the answer's stream does. */
export async function writeReply(
  request: IncomingRequest,
  response: ResponseTarget,
  reply: Reply,
  options: WriteOptions,
): Promise<void> {
  const headers = { ...reply.headers };
  if (request.httpVersion === '2') for (const name of connectionHeaders) delete headers[name];
  else if (options.closing) headers.connection = 'close';
  let handedOver = 0;
  const out: Out = {
    response,
    isGone: () => options.isGone(),
    write(chunk) {
      handedOver += chunk.length;
      return response.write(chunk);
    },
    end(chunk) {
      handedOver += chunk?.length ?? 0;
      if (chunk === undefined) response.end();
      else response.end(chunk);
    },
  };
  const stopWatching = destroyWhenStalled(response, options.stallMilliseconds, () => handedOver);
  try {
    if (isStream(reply)) await writeStream(request, out, { ...reply, headers }, reply.body);
    else await writeWhole(request, out, { ...reply, headers });
  } finally {
    stopWatching();
  }
}

/** A response, and the one way to write to it. */
interface Out {
  readonly response: ResponseTarget;
  isGone(): boolean;
  /** False: wait until it has drained. */
  write(chunk: string | Uint8Array): boolean;
  end(chunk?: Uint8Array): void;
}

async function writeWhole(request: IncomingRequest, out: Out, reply: Reply): Promise<void> {
  const { headers, body } = reply;
  let bytes: Uint8Array = typeof body === 'string' ? Buffer.from(body) : new Uint8Array();
  if (body instanceof Uint8Array) bytes = body;
  if (isHeadless(reply.status)) bytes = new Uint8Array();
  else if (takesGzip(request, headers, bytes)) {
    bytes = await gzipAsync(bytes, { level: 1 });
    headers['content-encoding'] = 'gzip';
    headers.vary = 'Accept-Encoding';
  }
  if (!isHeadless(reply.status)) headers['content-length'] = String(bytes.byteLength);
  if (out.isGone()) return;
  out.response.writeHead(reply.status, headers);
  if (request.method === 'HEAD') bytes = new Uint8Array();
  // In pieces: a list of many megabytes handed over at once would count as memory of its HTTP/2 session, and the
  // session would refuse its other streams until the reader has taken it.
  let start = 0;
  for (; bytes.byteLength - start > pieceLength; start += pieceLength) {
    if (!out.write(bytes.subarray(start, start + pieceLength))) await drained(out);
    if (out.isGone()) return;
  }
  await ended(out, start === bytes.byteLength ? undefined : bytes.subarray(start));
}

async function writeStream(
  request: IncomingRequest,
  out: Out,
  reply: Reply,
  body: AsyncIterable<string>,
): Promise<void> {
  if (out.isGone()) return;
  out.response.writeHead(reply.status, reply.headers);
  if (request.method !== 'HEAD') {
    // The client learns that its stream stands before the first event exists (rule WATCH-01).
    out.response.flushHeaders();
    for await (const chunk of body) {
      if (out.isGone()) return;
      if (!out.write(chunk)) await drained(out);
    }
  }
  await ended(out);
}

function isHeadless(status: number): boolean {
  return status === 204 || status === 304;
}

function takesGzip(request: IncomingRequest, headers: Reply['headers'], bytes: Uint8Array): boolean {
  if (bytes.byteLength <= gzipThreshold || request.method === 'HEAD') return false;
  if (headers['content-encoding'] !== undefined) return false;
  const accepted = (request.headers['accept-encoding'] ?? '').split(',');
  return accepted.some((clause) => /^\s*gzip\s*(;\s*q\s*=\s*(?!0(\.0*)?\s*$).*)?$/i.test(clause));
}

/** Resolves when the bytes are out or the client is gone. */
function ended(out: Out, chunk?: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    out.response.once('finish', resolve);
    out.response.once('close', resolve);
    if (out.isGone()) resolve();
    else out.end(chunk);
  });
}

function drained({ response, isGone }: Out): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
    if (isGone()) done();
  });
}
