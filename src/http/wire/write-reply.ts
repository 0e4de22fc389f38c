import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import { yieldToEventLoop } from '../../lib/work-budget.ts';
import type { IncomingRequest } from '../exchange.ts';
import {
  isFeed,
  isGenerated,
  isProxied,
  isStream,
  type NextTimeSlice,
  type ProxiedBody,
  type Reply,
  type StreamBody,
} from '../reply.ts';
import type { StalledReaderMonitor } from './stalled-reader-monitor.ts';
import { type WritableEvents, writeFeed } from './write-feed.ts';

/** The target of a response, for either protocol. */
export interface ResponseTarget extends WritableEvents {
  readonly writableLength: number;
  /** Takes ownership of `headers`. */
  writeHead(status: number, headers: Record<string, string | string[]>): unknown;
  flushHeaders(): void;
  write(chunk: string | Uint8Array, onFlushed?: () => void): boolean;
  end(chunk?: string | Uint8Array): unknown;
  /**
   * Ends the response and resolves when it is sent or the client has disconnected. Optional: see `finish` and `close`.
   */
  readonly endAndFlush?: (chunk?: Uint8Array) => Promise<void>;
  /** Aborts the response. Without an error, an HTTP/2 client would treat the truncated response as complete. */
  destroy(error?: Error): unknown;
}

export interface WriteOptions {
  /** Disconnects clients that do not read their responses. */
  readonly stalledReaders: StalledReaderMonitor;
  /** Sets `Connection: close` on an HTTP/1.1 response. */
  readonly closing: boolean;
  /** True if the response has closed. Node's HTTP/2 responses do not report it. */
  isGone(): boolean;
}

/** Below this size, compression saves less than it costs (rule NEG-20). */
const gzipThreshold = 128 * 1024;
const pieceLength = 256 * 1024;
/** A size that a socket accepts without backpressure, headers included. */
const lastPieceLength = 8 * 1024;
/** The output chunk size of gzip. A smaller one would cause many small writes. */
const gzipChunkLength = 64 * 1024;
const gzipAsync = promisify(gzip);

/** HTTP/1.1 connection headers, which HTTP/2 does not allow. */
const connectionHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/** Writes a response until it is complete or the client disconnects. Throws if the response's stream does. */
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
  const writer = new ResponseWriter(response, options);
  const stopWatching = options.stalledReaders.watch(response, () => writer.bytesWritten);
  try {
    if (isStream(reply)) await writeStream(request, writer, reply, reply.body);
    else if (isProxied(reply)) await writePassed(request, writer, reply, reply.body);
    else if (isGenerated(reply)) await writePieces(request, writer, reply, reply.body.pieces);
    else await writeWhole(request, writer, reply);
  } finally {
    if (isStream(reply) && isFeed(reply.body)) reply.body.close();
    stopWatching();
  }
}

/** Writes to a response and counts the bytes. */
class ResponseWriter {
  readonly response: ResponseTarget;
  readonly #options: WriteOptions;
  bytesWritten = 0;

  constructor(response: ResponseTarget, options: WriteOptions) {
    this.response = response;
    this.#options = options;
  }

  isGone(): boolean {
    return this.#options.isGone();
  }

  /** Returns false if the caller must wait for `drain`. */
  write(chunk: string | Uint8Array, onFlushed?: () => void): boolean {
    this.bytesWritten += chunk.length;
    return onFlushed === undefined ? this.response.write(chunk) : this.response.write(chunk, onFlushed);
  }

  /** Resolves when the bytes are sent or the client has disconnected. */
  end(chunk?: Uint8Array): Promise<void> {
    this.bytesWritten += chunk?.length ?? 0;
    if (this.isGone()) return Promise.resolve();
    const { response } = this;
    if (response.endAndFlush !== undefined) return response.endAndFlush(chunk);
    return new Promise((resolve) => {
      response.once('finish', resolve);
      response.once('close', resolve);
      if (chunk === undefined) response.end();
      else response.end(chunk);
    });
  }
}

const noBytes = new Uint8Array();

function writeWhole(request: IncomingRequest, writer: ResponseWriter, reply: Reply): Promise<void> {
  const { headers, body } = reply;
  if (hasNoBody(reply.status)) return writeBytes(request, writer, reply, noBytes);
  const bytes: Uint8Array = typeof body === 'string' ? Buffer.from(body) : body instanceof Uint8Array ? body : noBytes;
  if (bytes.byteLength > gzipThreshold && acceptsGzip(request, headers))
    return writeGzipped(request, writer, reply, bytes);
  headers['content-length'] = String(bytes.byteLength);
  return writeBytes(request, writer, reply, bytes);
}

async function writeGzipped(
  request: IncomingRequest,
  writer: ResponseWriter,
  reply: Reply,
  bytes: Uint8Array,
): Promise<void> {
  const compressed = await gzipAsync(bytes, { level: 1 });
  Object.assign(reply.headers, gzipHeaders, { 'content-length': String(compressed.byteLength) });
  await writeBytes(request, writer, reply, compressed);
}

function writeBytes(request: IncomingRequest, writer: ResponseWriter, reply: Reply, bytes: Uint8Array): Promise<void> {
  if (writer.isGone()) return Promise.resolve();
  writer.response.writeHead(reply.status, reply.headers);
  if (bytes.byteLength === 0 || request.method === 'HEAD') return writer.end();
  return bytes.byteLength <= lastPieceLength ? writer.end(bytes) : writeLong(request, writer, reply, bytes);
}

async function writeLong(
  request: IncomingRequest,
  writer: ResponseWriter,
  reply: Reply,
  bytes: Uint8Array,
): Promise<void> {
  // In pieces: a list of many megabytes in one write would count toward the memory of its HTTP/2 session, and the
  // session would refuse other streams until the client has read it.
  let start = 0;
  for (; bytes.byteLength - start > pieceLength; start += pieceLength) {
    if (!writer.write(bytes.subarray(start, start + pieceLength))) await whenDrained(writer);
    // Encryption takes time, and many responses may be written at once.
    await reply.nextTimeSlice?.();
    if (writer.isGone()) return;
  }
  await endWithSmallPiece(request, writer, bytes.subarray(start));
}

/** Writes pieces as they are generated. Yields the CPU after each, and waits until the client has read it. */
async function writePieces(
  request: IncomingRequest,
  writer: ResponseWriter,
  reply: Reply,
  pieces: Iterable<Uint8Array>,
): Promise<void> {
  const compressed = acceptsGzip(request, reply.headers);
  if (compressed) Object.assign(reply.headers, gzipHeaders);
  if (writer.isGone()) return;
  writer.response.writeHead(reply.status, reply.headers);
  if (request.method === 'HEAD') return await writer.end();
  const generated = withTimeSlices(pieces, reply.nextTimeSlice ?? yieldToEventLoop);
  let last: Uint8Array = noBytes;
  for await (const piece of compressed ? gzipped(generated) : generated) {
    if (writer.isGone()) return;
    if (last.byteLength > 0 && !writer.write(last)) await whenDrained(writer);
    if (writer.isGone()) return;
    last = piece;
  }
  await endWithSmallPiece(request, writer, last);
}

async function* withTimeSlices(pieces: Iterable<Uint8Array>, turn: NextTimeSlice): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    yield piece;
    await turn();
  }
}

function gzipped(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  // The reader of the result gets the errors.
  return pipeline(
    Readable.from(pieces, { objectMode: false }),
    createGzip({ level: 1, chunkSize: gzipChunkLength }),
    () => {},
  );
}

async function endWithSmallPiece(request: IncomingRequest, writer: ResponseWriter, bytes: Uint8Array): Promise<void> {
  let start = 0;
  // If a client has read a long response and sends its next request before Node notices that the response is complete,
  // Node stops reading in the middle of that request and treats the rest of the TLS data as a client error. So the last
  // piece is small, and is sent when nothing else is pending.
  if (request.httpVersion === '1.1' && bytes.byteLength - start > lastPieceLength) {
    const end = bytes.byteLength - lastPieceLength;
    await writeAndFlush(writer, bytes.subarray(start, end));
    if (writer.isGone()) return;
    start = end;
  }
  await writer.end(start === bytes.byteLength ? undefined : bytes.subarray(start));
}

async function writeStream(
  request: IncomingRequest,
  writer: ResponseWriter,
  reply: Reply,
  body: StreamBody,
): Promise<void> {
  if (writer.isGone()) return;
  writer.response.writeHead(reply.status, reply.headers);
  if (request.method !== 'HEAD') {
    // The client learns that its stream is open before the first event exists (rule WATCH-01).
    writer.response.flushHeaders();
    if (isFeed(body)) await writeFeed(writer, body);
    else await writeChunks(writer, body);
    if (writer.isGone()) return;
  }
  await writer.end();
}

async function writeChunks(writer: ResponseWriter, body: AsyncIterable<string>): Promise<void> {
  for await (const chunk of body) {
    if (writer.isGone()) return;
    if (!writer.write(chunk)) await whenDrained(writer);
  }
}

/** If the other server's response is truncated, this one is truncated too, without a log entry. */
async function writePassed(
  request: IncomingRequest,
  writer: ResponseWriter,
  reply: Reply,
  body: ProxiedBody,
): Promise<void> {
  if (writer.isGone()) return;
  writer.response.writeHead(reply.status, reply.headers);
  if (request.method === 'HEAD' || hasNoBody(reply.status)) return await writer.end();
  if (body.isLongRunning) writer.response.flushHeaders();
  try {
    for await (const chunk of body.upstream) {
      if (writer.isGone()) return;
      if (!writer.write(chunk)) await whenDrained(writer);
    }
  } catch {
    writer.response.destroy(truncatedResponse);
    return;
  }
  if (!writer.isGone()) await writer.end();
}

/** Created once: its stack trace is not used. */
export const truncatedResponse = new Error('the response was truncated');

function hasNoBody(status: number): boolean {
  return status === 204 || status === 304;
}

const gzipHeaders = { 'content-encoding': 'gzip', vary: 'Accept-Encoding' };

function acceptsGzip(request: IncomingRequest, headers: Reply['headers']): boolean {
  if (request.method === 'HEAD') return false;
  if (headers['content-encoding'] !== undefined) return false;
  const accepted = (request.headers['accept-encoding'] ?? '').split(',');
  return accepted.some((clause) => /^\s*gzip\s*(;\s*q\s*=\s*(?!0(\.0*)?\s*$).*)?$/i.test(clause));
}

/** Resolves when the bytes have left the process or the client has disconnected. */
function writeAndFlush(writer: ResponseWriter, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    writer.response.once('close', resolve);
    writer.write(chunk, () => {
      writer.response.off('close', resolve);
      resolve();
    });
  });
}

function whenDrained(writer: ResponseWriter): Promise<void> {
  const { response } = writer;
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
    if (writer.isGone()) done();
  });
}
