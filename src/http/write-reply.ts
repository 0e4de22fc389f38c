import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import { nextTurn } from '../lib/divided-work.ts';
import {
  type IncomingRequest,
  isFeed,
  isPassed,
  isPieced,
  isStream,
  type PassedBody,
  type Reply,
  type StreamBody,
  type Turn,
} from './exchange.ts';
import type { StalledReaders } from './stalled-reader.ts';
import { writeFeed } from './write-feed.ts';

/** Tells `drain`, `finish` and `close`. */
export interface Told {
  on(event: string, listener: () => void): unknown;
  once(event: string, listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
}

/** What an answer is written to, whichever protocol it goes out by. */
export interface ResponseTarget extends Told {
  readonly writableLength: number;
  /** `headers` are its own from now on. */
  writeHead(status: number, headers: Record<string, string | string[]>): unknown;
  flushHeaders(): void;
  write(chunk: string | Uint8Array, written?: () => void): boolean;
  end(chunk?: string | Uint8Array): unknown;
  /** Ends it and resolves when all of it is out, or the client is gone. Absent: `finish` and `close` tell. */
  readonly endFully?: (chunk?: Uint8Array) => Promise<void>;
  /** With an error, or HTTP/2 takes what was sent so far for the whole. */
  destroy(error?: Error): unknown;
}

export interface WriteOptions {
  /** Lets go of clients that take nothing of their answers. */
  readonly stalled: StalledReaders;
  /** Tells the client of HTTP/1.1 that this was the last answer on its connection. */
  readonly closing: boolean;
  /** Whether the response has closed; Node's responses for HTTP/2 do not know it themselves. */
  isGone(): boolean;
}

/** Below this the bytes saved are not worth the work (rule NEG-20). */
const gzipThreshold = 128 * 1024;
const pieceLength = 256 * 1024;
/** What a socket takes without asking anybody to wait, headers and all. */
const lastPieceLength = 8 * 1024;
/** What the packer gives at a time; less would be many small writes. */
const packedLength = 64 * 1024;
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
  const { headers } = reply;
  if (request.httpVersion !== '2') {
    if (options.closing) headers.connection = 'close';
  } else for (const name of connectionHeaders) if (headers[name] !== undefined) delete headers[name];
  const out = new Out(response, options);
  const stopWatching = options.stalled.watch(response, () => out.handedOver);
  try {
    if (isStream(reply)) await writeStream(request, out, reply, reply.body);
    else if (isPassed(reply)) await writePassed(request, out, reply, reply.body);
    else if (isPieced(reply)) await writePieces(request, out, reply, reply.body.pieces);
    else await writeWhole(request, out, reply);
  } finally {
    if (isStream(reply) && isFeed(reply.body)) reply.body.close();
    stopWatching();
  }
}

/** A response, and the one way to write to it. */
class Out {
  readonly response: ResponseTarget;
  readonly #options: WriteOptions;
  handedOver = 0;

  constructor(response: ResponseTarget, options: WriteOptions) {
    this.response = response;
    this.#options = options;
  }

  isGone(): boolean {
    return this.#options.isGone();
  }

  /** False: wait until it has drained. */
  write(chunk: string | Uint8Array, written?: () => void): boolean {
    this.handedOver += chunk.length;
    return written === undefined ? this.response.write(chunk) : this.response.write(chunk, written);
  }

  /** Resolves when the bytes are out or the client is gone. */
  end(chunk?: Uint8Array): Promise<void> {
    this.handedOver += chunk?.length ?? 0;
    if (this.isGone()) return Promise.resolve();
    const { response } = this;
    if (response.endFully !== undefined) return response.endFully(chunk);
    return new Promise((resolve) => {
      response.once('finish', resolve);
      response.once('close', resolve);
      if (chunk === undefined) response.end();
      else response.end(chunk);
    });
  }
}

const nothing = new Uint8Array();

function writeWhole(request: IncomingRequest, out: Out, reply: Reply): Promise<void> {
  const { headers, body } = reply;
  if (isHeadless(reply.status)) return writeBytes(request, out, reply, nothing);
  const bytes: Uint8Array = typeof body === 'string' ? Buffer.from(body) : body instanceof Uint8Array ? body : nothing;
  if (bytes.byteLength > gzipThreshold && takesGzip(request, headers)) return writePacked(request, out, reply, bytes);
  headers['content-length'] = String(bytes.byteLength);
  return writeBytes(request, out, reply, bytes);
}

async function writePacked(request: IncomingRequest, out: Out, reply: Reply, bytes: Uint8Array): Promise<void> {
  const packed = await gzipAsync(bytes, { level: 1 });
  Object.assign(reply.headers, gzipHeaders, { 'content-length': String(packed.byteLength) });
  await writeBytes(request, out, reply, packed);
}

function writeBytes(request: IncomingRequest, out: Out, reply: Reply, bytes: Uint8Array): Promise<void> {
  if (out.isGone()) return Promise.resolve();
  out.response.writeHead(reply.status, reply.headers);
  if (bytes.byteLength === 0 || request.method === 'HEAD') return out.end();
  return bytes.byteLength <= lastPieceLength ? out.end(bytes) : writeLong(request, out, reply, bytes);
}

async function writeLong(request: IncomingRequest, out: Out, reply: Reply, bytes: Uint8Array): Promise<void> {
  // In pieces: a list of many megabytes handed over at once would count as memory of its HTTP/2 session, and the
  // session would refuse its other streams until the reader has taken it.
  let start = 0;
  for (; bytes.byteLength - start > pieceLength; start += pieceLength) {
    if (!out.write(bytes.subarray(start, start + pieceLength))) await drained(out);
    // To encrypt it takes its time, and there may be many of them.
    await reply.turn?.();
    if (out.isGone()) return;
  }
  await endShortly(request, out, bytes.subarray(start));
}

/** In pieces as they are made, each when the one before it has been taken and others have had their turn. */
async function writePieces(
  request: IncomingRequest,
  out: Out,
  reply: Reply,
  pieces: Iterable<Uint8Array>,
): Promise<void> {
  const packed = takesGzip(request, reply.headers);
  if (packed) Object.assign(reply.headers, gzipHeaders);
  if (out.isGone()) return;
  out.response.writeHead(reply.status, reply.headers);
  if (request.method === 'HEAD') return await out.end();
  const made = inTurns(pieces, reply.turn ?? nextTurn);
  let last: Uint8Array = nothing;
  for await (const piece of packed ? gzipped(made) : made) {
    if (out.isGone()) return;
    if (last.byteLength > 0 && !out.write(last)) await drained(out);
    if (out.isGone()) return;
    last = piece;
  }
  await endShortly(request, out, last);
}

async function* inTurns(pieces: Iterable<Uint8Array>, turn: Turn): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    yield piece;
    await turn();
  }
}

function gzipped(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  // What fails on the way is told to who reads the result.
  return pipeline(
    Readable.from(pieces, { objectMode: false }),
    createGzip({ level: 1, chunkSize: packedLength }),
    () => {},
  );
}

async function endShortly(request: IncomingRequest, out: Out, bytes: Uint8Array): Promise<void> {
  let start = 0;
  // Where a client has all of a long answer and sends its next request before Node has noticed that the answer is out,
  // Node stops reading in the midst of that request and takes what TLS still hands it for a fault of the client. So the
  // end is short, and is sent when nothing waits any more.
  if (request.httpVersion === '1.1' && bytes.byteLength - start > lastPieceLength) {
    const end = bytes.byteLength - lastPieceLength;
    await written(out, bytes.subarray(start, end));
    if (out.isGone()) return;
    start = end;
  }
  await out.end(start === bytes.byteLength ? undefined : bytes.subarray(start));
}

async function writeStream(request: IncomingRequest, out: Out, reply: Reply, body: StreamBody): Promise<void> {
  if (out.isGone()) return;
  out.response.writeHead(reply.status, reply.headers);
  if (request.method !== 'HEAD') {
    // The client learns that its stream stands before the first event exists (rule WATCH-01).
    out.response.flushHeaders();
    if (isFeed(body)) await writeFeed(out, body);
    else await writeChunks(out, body);
    if (out.isGone()) return;
  }
  await out.end();
}

async function writeChunks(out: Out, body: AsyncIterable<string>): Promise<void> {
  for await (const chunk of body) {
    if (out.isGone()) return;
    if (!out.write(chunk)) await drained(out);
  }
}

/** Another server's answer is another server's fault: where it breaks off, so does this one, without a word. */
async function writePassed(request: IncomingRequest, out: Out, reply: Reply, body: PassedBody): Promise<void> {
  if (out.isGone()) return;
  out.response.writeHead(reply.status, reply.headers);
  if (request.method === 'HEAD' || isHeadless(reply.status)) return await out.end();
  if (body.lasts) out.response.flushHeaders();
  try {
    for await (const chunk of body.passed) {
      if (out.isGone()) return;
      if (!out.write(chunk)) await drained(out);
    }
  } catch {
    out.response.destroy(brokenOff);
    return;
  }
  if (!out.isGone()) await out.end();
}

/** Made once: nobody looks at where it was made. */
export const brokenOff = new Error('the answer breaks off');

function isHeadless(status: number): boolean {
  return status === 204 || status === 304;
}

const gzipHeaders = { 'content-encoding': 'gzip', vary: 'Accept-Encoding' };

function takesGzip(request: IncomingRequest, headers: Reply['headers']): boolean {
  if (request.method === 'HEAD') return false;
  if (headers['content-encoding'] !== undefined) return false;
  const accepted = (request.headers['accept-encoding'] ?? '').split(',');
  return accepted.some((clause) => /^\s*gzip\s*(;\s*q\s*=\s*(?!0(\.0*)?\s*$).*)?$/i.test(clause));
}

/** Resolves when the bytes have left the process or the client is gone. */
function written(out: Out, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    out.response.once('close', resolve);
    out.write(chunk, () => {
      out.response.off('close', resolve);
      resolve();
    });
  });
}

function drained(out: Out): Promise<void> {
  const { response } = out;
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
    if (out.isGone()) done();
  });
}
