import type { ServerHttp2Stream } from 'node:http2';
import type { RequestEnd } from '../request/request-end.ts';
import type { ResponseTarget } from './write-reply.ts';

/**
 * An HTTP/2 stream as a response target. Node's own HTTP/2 responses emulate those of HTTP/1.1, and store every header
 * and every state a second time for that.
 */
export class Http2Response implements ResponseTarget {
  readonly #stream: ServerHttp2Stream;
  readonly #end: RequestEnd;

  /** `end` is the end of the request, which comes when the stream has closed. */
  constructor(stream: ServerHttp2Stream, end: RequestEnd) {
    this.#stream = stream;
    this.#end = end;
  }

  get writableLength(): number {
    return this.#stream.writableLength;
  }

  /** Does nothing if the client has disconnected. */
  writeHead(status: number, headers: Record<string, string | string[]>): void {
    if (this.#stream.destroyed || this.#stream.closed) return;
    headers[':status'] = String(status);
    this.#stream.respond(headers);
  }

  /** `writeHead` sends the headers immediately. */
  flushHeaders(): void {}

  write(chunk: string | Uint8Array, written?: () => void): boolean {
    return written === undefined ? this.#stream.write(chunk) : this.#stream.write(chunk, written);
  }

  end(chunk?: string | Uint8Array): void {
    if (chunk === undefined) this.#stream.end();
    else this.#stream.end(chunk);
  }

  /** Uses the request's existing close listener rather than adding two more for each response. */
  endAndFlush(chunk?: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      // A long-running request that was asked to end is over, but its response is not sent yet.
      if (this.#end.hasEnded) this.#stream.once('close', resolve);
      else this.#end.onEnd(() => resolve());
      this.end(chunk);
    });
  }

  destroy(error?: Error): void {
    this.#stream.destroy(error);
  }

  on(event: string, listener: () => void): void {
    this.#stream.on(event, listener);
  }

  once(event: string, listener: () => void): void {
    this.#stream.once(event, listener);
  }

  off(event: string, listener: () => void): void {
    this.#stream.off(event, listener);
  }
}
