import type { ServerHttp2Stream } from 'node:http2';
import type { RequestEnd } from './request-end.ts';
import type { ResponseTarget } from './write-reply.ts';

/**
 * A stream of HTTP/2 as what answers are written to. Node's own responses for HTTP/2 look like those of HTTP/1.1, and keep
 * every header and every state a second time for that.
 */
export class StreamResponse implements ResponseTarget {
  readonly #stream: ServerHttp2Stream;
  readonly #end: RequestEnd;

  /** `end`: of its request, which is over when the stream has closed. */
  constructor(stream: ServerHttp2Stream, end: RequestEnd) {
    this.#stream = stream;
    this.#end = end;
  }

  get writableLength(): number {
    return this.#stream.writableLength;
  }

  /** To a client that has gone nothing is said. */
  writeHead(status: number, headers: Record<string, string | string[]>): void {
    if (this.#stream.destroyed || this.#stream.closed) return;
    headers[':status'] = String(status);
    this.#stream.respond(headers);
  }

  /** They are on their way already. */
  flushHeaders(): void {}

  write(chunk: string | Uint8Array, written?: () => void): boolean {
    return written === undefined ? this.#stream.write(chunk) : this.#stream.write(chunk, written);
  }

  end(chunk?: string | Uint8Array): void {
    if (chunk === undefined) this.#stream.end();
    else this.#stream.end(chunk);
  }

  /** Its request waits for the stream's closing already: to do so once more would be two listeners for each answer. */
  endFully(chunk?: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      // What lasts has been told to end, and is not out yet.
      if (this.#end.isOver) this.#stream.once('close', resolve);
      else this.#end.follow(() => resolve());
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
