import type { ServerHttp2Stream } from 'node:http2';
import type { RequestEnd } from '../request/request-end.ts';
import type { ResponseTarget } from './write-reply.ts';

/**
 * Writes a response to an HTTP/2 stream. Node's class `Http2ServerResponse` is not used, because it emulates HTTP/1.1
 * and stores every header and state twice.
 */
export class Http2Response implements ResponseTarget {
  readonly #stream: ServerHttp2Stream;
  readonly #end: RequestEnd;

  /** `end` reports the end of the request: when the stream closes, or earlier. */
  constructor(stream: ServerHttp2Stream, end: RequestEnd) {
    this.#stream = stream;
    this.#end = end;
  }

  get writableLength(): number {
    return this.#stream.writableLength;
  }

  /** Sends status and headers. Does nothing if the client has disconnected. */
  writeHead(status: number, headers: Record<string, string | string[]>): void {
    if (this.#stream.destroyed || this.#stream.closed) return;
    headers[':status'] = String(status);
    this.#stream.respond(headers);
  }

  /** Does nothing, because `writeHead` has already sent the headers. */
  flushHeaders(): void {}

  write(chunk: string | Uint8Array, written?: () => void): boolean {
    return written === undefined ? this.#stream.write(chunk) : this.#stream.write(chunk, written);
  }

  end(chunk?: string | Uint8Array): void {
    if (chunk === undefined) this.#stream.end();
    else this.#stream.end(chunk);
  }

  /**
   * Ends the response and resolves when its stream is closed. Waits for the end of the request instead of adding a
   * `close` listener to the stream, because adding a listener for each response is slow.
   */
  endAndFlush(chunk?: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      // A shutdown ends a long-running request before its response is sent. In this case, the end of the request does
      // not mean that the stream is closed.
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
