import { internalError, type Status, StatusError } from '../../api/status.ts';
import type { Feed } from '../../lib/feed.ts';
import type { Log } from '../../lib/log.ts';
import type { WatchEvent, WatchOptions, WatchStream } from '../../registry/verbs.ts';
import { mediaTypes } from '../negotiate/negotiate.ts';
import { watchFrames } from '../negotiate/watch-frames.ts';
import type { Reply } from '../reply.ts';
import { readWatchOptions } from '../request/query-options.ts';
import type { RequestEnd } from '../request/request-end.ts';
import { type Endpoint, negotiateResponseForm } from './endpoint.ts';

/** Serves a watch. The response headers are sent immediately, followed by one line per event (rule WATCH-01). */
export async function watch(endpoint: Endpoint, open: (options: WatchOptions) => Promise<WatchStream>): Promise<Reply> {
  const { exchange, kind } = endpoint;
  const form = negotiateResponseForm(endpoint, 'watch');
  const stream = await open(readWatchOptions(exchange.query, kind, exchange.info.pathName));
  return {
    status: 200,
    headers: { 'content-type': form.format === 'protobuf' ? `${mediaTypes.protobuf};stream=watch` : mediaTypes.json },
    body: new EventLines(endpoint, stream, watchFrames(form)),
  };
}

/**
 * The response body of a watch. It is a class, because V8 gives all instances of a class one shared hidden class, but
 * each object literal a separate one. It does not reference the exchange, because the reference would keep the exchange
 * in memory during the watch.
 */
class EventLines implements Feed<Uint8Array> {
  readonly #end: RequestEnd;
  readonly #auditId: string;
  readonly #log: Log;
  readonly #stream: WatchStream;
  readonly #frame: (event: WatchEvent) => Uint8Array;
  #over = false;

  constructor({ exchange, settings }: Endpoint, stream: WatchStream, frame: (event: WatchEvent) => Uint8Array) {
    this.#end = exchange.end;
    this.#auditId = exchange.auditId;
    this.#log = settings.log;
    this.#stream = stream;
    this.#frame = frame;
  }

  get isEnded(): boolean {
    return this.#over;
  }

  take(): Uint8Array | undefined {
    if (this.#over) return undefined;
    try {
      const event = this.#stream.take();
      if (event !== undefined) return this.#frame(event);
      if (!this.#stream.isEnded) return undefined;
      this.#over = true;
      const { reason } = this.#end;
      // Without an error event, the client resumes the watch. An error event makes the client list the objects again.
      return reason instanceof StatusError ? this.#last(reason.status) : undefined;
    } catch (error) {
      // The response status has already been sent, so the error becomes the last event of the stream (rule WATCH-36).
      return this.#last(this.#statusOf(error));
    }
  }

  wait(wake: () => void): void {
    this.#stream.wait(wake);
  }

  close(): void {
    this.#over = true;
    this.#stream.close();
  }

  #last(status: Status): Uint8Array {
    this.close();
    return this.#frame({ type: 'ERROR', status });
  }

  #statusOf(error: unknown): Status {
    if (error instanceof StatusError) return error.status;
    this.#log.error({ err: error, auditId: this.#auditId }, 'watch failed');
    return internalError('the watch failed because of an internal error; see the server log for details').status;
  }
}
