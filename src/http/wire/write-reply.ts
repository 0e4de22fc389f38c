import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import { yieldToEventLoop } from '../../lib/work-budget.ts';
import type { IncomingRequest } from '../exchange.ts';
import {
  type GeneratedBody,
  hasGeneratedBody,
  isFeed,
  isProxied,
  isStream,
  type NextTimeSlice,
  type ProxiedBody,
  type Reply,
  type StreamBody,
} from '../reply.ts';
import type { StalledReaderMonitor } from './stalled-reader-monitor.ts';
import { type WritableEvents, writeFeed } from './write-feed.ts';

/** An HTTP/1.1 or HTTP/2 response that a reply can be written to. */
export interface ResponseTarget extends WritableEvents {
  readonly writableLength: number;
  /** Sends status and headers. The implementation may modify `headers`. */
  writeHead(status: number, headers: Record<string, string | string[]>): unknown;
  flushHeaders(): void;
  write(chunk: string | Uint8Array, onFlushed?: () => void): boolean;
  end(chunk?: string | Uint8Array): unknown;
  /**
   * Ends the response. Resolves after it has been sent or the client has disconnected. Optional; without it, the writer
   * waits for the events `finish` and `close`.
   */
  readonly endAndFlush?: (chunk?: Uint8Array) => Promise<void>;
  /**
   * Aborts the response. For HTTP/2, the error is required, because without it the client would regard a truncated
   * response as complete.
   */
  destroy(error?: Error): unknown;
}

export interface WriteOptions {
  /** Disconnects clients that do not read their responses. */
  readonly stalledReaders: StalledReaderMonitor;
  /** True if the connection must be closed after the response. Adds `Connection: close` for HTTP/1.1. */
  readonly closing: boolean;
  /** True if the client has disconnected. Node's HTTP/2 responses do not report this themselves. */
  isGone(): boolean;
}

/**
 * Size in bytes above which a body is compressed. Compressing a smaller body takes more time than it saves (NEG-20).
 */
const gzipThreshold = 128 * 1024;
const chunkLength = 256 * 1024;
/** Size in bytes of the last chunk. A socket accepts a chunk of this size at once, together with the headers. */
const lastChunkLength = 8 * 1024;
/** Size in bytes of the chunks that gzip returns. Smaller chunks would cause many small writes. */
const gzipChunkLength = 64 * 1024;
const gzipAsync = promisify(gzip);

/** HTTP/1.1 headers about the connection. HTTP/2 does not allow them. */
const connectionHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/** Writes a reply to a response, until its end or until the client disconnects. Throws if the body throws. */
export async function writeReply(
  request: IncomingRequest,
  response: ResponseTarget,
  reply: Reply,
  options: WriteOptions,
): Promise<void> {
  setConnectionHeaders(request, reply, options.closing);
  const writer = new ResponseWriter(response, () => options.isGone());
  const stopWatching = options.stalledReaders.watch(response, () => writer.bytesWritten);
  try {
    if (isStream(reply)) await writeStream(request, writer, reply, reply.body);
    else if (isProxied(reply)) await writeProxied(request, writer, reply, reply.body);
    else if (hasGeneratedBody(reply)) await writeGenerated(request, writer, reply, reply.body.chunks);
    else await writeWhole(request, writer, reply);
  } finally {
    if (isStream(reply) && isFeed(reply.body)) reply.body.close();
    stopWatching();
  }
}

/** Sets `Connection: close` if the connection must be closed, and removes headers that HTTP/2 does not allow. */
export function setConnectionHeaders({ httpVersion }: IncomingRequest, { headers }: Reply, closing: boolean): void {
  if (httpVersion !== '2') {
    if (closing) headers.connection = 'close';
  } else for (const name of connectionHeaders) if (headers[name] !== undefined) delete headers[name];
}

/** Writes to a response and counts the written bytes. */
export class ResponseWriter {
  readonly response: ResponseTarget;
  /** True if the client has disconnected. */
  readonly isGone: () => boolean;
  bytesWritten = 0;

  constructor(response: ResponseTarget, isGone: () => boolean) {
    this.response = response;
    this.isGone = isGone;
  }

  /** Writes a chunk. Returns false if the caller must wait for the event `drain` before the next write. */
  write(chunk: string | Uint8Array, onFlushed?: () => void): boolean {
    this.bytesWritten += chunk.length;
    return onFlushed === undefined ? this.response.write(chunk) : this.response.write(chunk, onFlushed);
  }

  /** Ends the response. Resolves after all bytes have been sent or the client has disconnected. */
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
  return bytes.byteLength <= lastChunkLength ? writer.end(bytes) : writeLong(request, writer, reply, bytes);
}

async function writeLong(
  request: IncomingRequest,
  writer: ResponseWriter,
  reply: Reply,
  bytes: Uint8Array,
): Promise<void> {
  // Write large bodies in chunks. One write of many megabytes would count as memory of the HTTP/2 session, which would
  // then refuse other streams until the client has read everything.
  let start = 0;
  for (; bytes.byteLength - start > chunkLength; start += chunkLength) {
    if (!writer.write(bytes.subarray(start, start + chunkLength))) await whenDrained(writer);
    // Encrypting the chunk takes CPU time, so other callers may run before the next chunk is written.
    await reply.nextTimeSlice?.();
    if (writer.isGone()) return;
  }
  await endWithSmallChunk(request, writer, bytes.subarray(start));
}

/**
 * Writes a generated body chunk by chunk. Before each further chunk, waits until the client has read the previous chunk
 * and the request has a time slice.
 */
async function writeGenerated(
  request: IncomingRequest,
  writer: ResponseWriter,
  reply: Reply,
  chunks: GeneratedBody['chunks'],
): Promise<void> {
  const compressed = acceptsGzip(request, reply.headers);
  if (compressed) Object.assign(reply.headers, gzipHeaders);
  if (writer.isGone()) return;
  writer.response.writeHead(reply.status, reply.headers);
  if (request.method === 'HEAD') return await writer.end();
  const generated = withTimeSlices(chunks, reply.nextTimeSlice ?? yieldToEventLoop);
  let last: Uint8Array = noBytes;
  for await (const chunk of compressed ? gzipped(generated) : generated) {
    if (writer.isGone()) return;
    if (last.byteLength > 0 && !writer.write(last)) await whenDrained(writer);
    if (writer.isGone()) return;
    last = chunk;
  }
  await endWithSmallChunk(request, writer, last);
}

async function* withTimeSlices(
  chunks: GeneratedBody['chunks'],
  nextTimeSlice: NextTimeSlice,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk;
    await nextTimeSlice();
  }
}

function gzipped(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  // The callback ignores errors, because the reader of the returned stream receives them.
  return pipeline(
    Readable.from(chunks, { objectMode: false }),
    createGzip({ level: 1, chunkSize: gzipChunkLength }),
    () => {},
  );
}

async function endWithSmallChunk(request: IncomingRequest, writer: ResponseWriter, bytes: Uint8Array): Promise<void> {
  let start = 0;
  // A client may send its next request before Node notices that a long response is complete. Node then stops reading in
  // the middle of the next request, and treats the rest of that request as invalid. Therefore, the last chunk is small,
  // and is written only after all other chunks have been sent.
  if (request.httpVersion === '1.1' && bytes.byteLength - start > lastChunkLength) {
    const end = bytes.byteLength - lastChunkLength;
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
    // Send the headers now: they show the client that its watch has started, even if there is no event yet (rule
    // WATCH-01).
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

/**
 * Writes the response of another server. If that response is truncated, the response to the client is truncated too,
 * and nothing is logged.
 */
async function writeProxied(
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
    writer.response.destroy(truncatedResponseError);
    return;
  }
  if (!writer.isGone()) await writer.end();
}

/** All responses share one error object, because its stack trace is not used. */
export const truncatedResponseError = new Error('the response was truncated');

function hasNoBody(status: number): boolean {
  return status === 204 || status === 304;
}

/**
 * The maximum number of encodings in a header that are read, because anyone can send a long header. Clients usually
 * send about four encodings.
 */
const maxEncodings = 64;

const gzipHeaders = { 'content-encoding': 'gzip', vary: 'Accept-Encoding' };

function acceptsGzip(request: IncomingRequest, headers: Reply['headers']): boolean {
  if (request.method === 'HEAD') return false;
  if (headers['content-encoding'] !== undefined) return false;
  const accepted = (request.headers['accept-encoding'] ?? '').split(',', maxEncodings);
  return accepted.some((clause) => /^\s*gzip\s*(;\s*q\s*=\s*(?!0(\.0*)?\s*$).*)?$/i.test(clause));
}

/** Writes a chunk. Resolves after the operating system has accepted it or the client has disconnected. */
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
