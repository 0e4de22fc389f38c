import type { Http2Stream } from 'node:http2';
import { Duplex } from 'node:stream';

/**
 * The bytes that a connection buffers in each direction. With Node's default of 16 KiB, each frame would pause the stream
 * and each write would be sent alone, which takes twice the CPU time.
 */
const bufferBytes = 256 * 1024;

/**
 * One stream of a tunnel as a connection for HTTP/1.1. Node's HTTP implementation cannot use an HTTP/2 stream directly,
 * because strings that it writes to the stream arrive damaged.
 */
export class TunnelSocket extends Duplex {
  readonly #stream: Http2Stream;
  /** True after the peer has sent everything. */
  #hasEnded = false;
  /**
   * The address of the peer, which the HTTP implementation reads. Empty, because the address is unknown behind a
   * tunnel.
   */
  readonly remoteAddress = '';

  constructor(stream: Http2Stream) {
    super({ highWaterMark: bufferBytes });
    this.#stream = stream;
    stream.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) stream.pause();
    });
    stream.once('end', () => {
      // Ignores the end of a destroyed stream. Node.js also emits `end` then, but the peer has not sent everything.
      if (stream.destroyed) return;
      this.#hasEnded = true;
      this.push(null);
    });
    stream.once('error', (cause) => this.destroy(connectionLost(cause)));
    stream.once('close', () => this.#onStreamClosed());
  }

  /** The functions below exist because HTTP clients and servers call them on a socket. They have no effect. */
  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setTimeout(): this {
    return this;
  }

  override _read(): void {
    this.#stream.resume();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#stream.write(chunk, done);
  }

  override _writev(chunks: { readonly chunk: Buffer }[], done: (error?: Error | null) => void): void {
    // A corked stream passes on its chunks in one call, without copying them.
    this.#stream.cork();
    for (const { chunk } of chunks.slice(0, -1)) this.#stream.write(chunk);
    this.#stream.write(chunks.at(-1)?.chunk, done);
    this.#stream.uncork();
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#stream.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    // Destroys the stream with an error unless all data was sent: without an error, the peer would treat incomplete
    // data as complete. After all data was sent, an error would discard the bytes that the peer has not read yet.
    if (!this.#stream.destroyed) this.#stream.destroy(this.writableFinished ? undefined : (error ?? connectionLost()));
    done(error);
  }

  #onStreamClosed(): void {
    if (this.destroyed) return;
    if (!this.#hasEnded) this.destroy(connectionLost());
    else if (this.readableEnded) this.destroy();
    else this.once('end', () => this.destroy());
  }
}

function connectionLost(cause?: unknown): Error {
  return Object.assign(new Error('the tunnel was closed', { cause }), { code: 'ECONNRESET' });
}
