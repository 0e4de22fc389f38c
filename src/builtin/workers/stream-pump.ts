import { hasGeneratedBody, isFeed, isStream, type NextTimeSlice, type Reply } from '../../http/reply.ts';
import type { Feed } from '../../lib/feed.ts';
import { encodeError } from './plane-errors.ts';
import type { CallId } from './plane-messages.ts';
import type { StreamOutbox } from './stream-outbox.ts';
import { streamWindowBytes } from './stream-window.ts';

export interface StreamPumpOptions {
  readonly id: CallId;
  readonly feed: Feed<Uint8Array>;
  readonly outbox: StreamOutbox;
  /** Called once, after the last chunk. */
  onEnd(): void;
}

/**
 * Sends the chunks of a feed to the main thread. Pauses when `streamWindowBytes` bytes are sent and not acknowledged.
 */
export class StreamPump {
  readonly #options: StreamPumpOptions;
  #window = streamWindowBytes;
  #isBlocked = false;
  #hasEnded = false;

  constructor(options: StreamPumpOptions) {
    this.#options = options;
  }

  start(): void {
    this.#send();
  }

  acknowledge(bytes: number): void {
    this.#window += bytes;
    if (!this.#isBlocked) return;
    this.#isBlocked = false;
    this.#send();
  }

  /** Sends all remaining chunks, such as the last message of a watch that was ended. */
  finish(): void {
    this.acknowledge(Number.POSITIVE_INFINITY);
  }

  readonly #send = (): void => {
    if (this.#hasEnded) return;
    const { id, feed, outbox } = this.#options;
    try {
      while (this.#window > 0) {
        const chunk = feed.take();
        if (chunk !== undefined) {
          outbox.add(id, chunk);
          this.#window -= chunk.length;
        } else if (feed.isEnded) {
          this.#end();
          return;
        } else {
          feed.wait(this.#send);
          return;
        }
      }
      this.#isBlocked = true;
    } catch (error) {
      this.#end(error);
    }
  };

  #end(error?: unknown): void {
    this.#hasEnded = true;
    const { id, outbox, onEnd } = this.#options;
    outbox.end(id, error === undefined ? undefined : encodeError(error));
    onEnd();
  }
}

/** Returns the body of a reply as a feed; `undefined` if the reply contains its whole body. */
export function streamedBody(
  reply: Reply,
  nextTimeSlice: NextTimeSlice,
): { readonly feed: Feed<Uint8Array>; readonly stream: 'lines' | 'pieces' } | undefined {
  if (hasGeneratedBody(reply))
    return { feed: piecesFeed(iteratorOf(reply.body.chunks), nextTimeSlice), stream: 'pieces' };
  if (!isStream(reply)) return undefined;
  return { feed: isFeed(reply.body) ? reply.body : textFeed(reply.body), stream: 'lines' };
}

type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

function iteratorOf(chunks: Chunks): Iterator<Uint8Array> {
  if (Symbol.iterator in chunks) return chunks[Symbol.iterator]();
  throw new TypeError('an asynchronously generated body cannot be sent to another thread');
}

/** Returns a feed of a long body. Between two pieces, other callers get a time slice. */
function piecesFeed(pieces: Iterator<Uint8Array>, nextTimeSlice: NextTimeSlice): Feed<Uint8Array> {
  let isEnded = false;
  let isWaiting = false;
  return {
    get isEnded() {
      return isEnded;
    },
    take() {
      if (isEnded || isWaiting) return undefined;
      const next = pieces.next();
      isWaiting = true;
      if (next.done !== true) return next.value;
      isEnded = true;
      return undefined;
    },
    wait(wake) {
      void nextTimeSlice().then(() => {
        isWaiting = false;
        wake();
      });
    },
    close() {
      isEnded = true;
      pieces.return?.();
    },
  };
}

/** A feed of the strings of an async iterable. */
function textFeed(texts: AsyncIterable<string>): Feed<Uint8Array> {
  const iterator = texts[Symbol.asyncIterator]();
  let isEnded = false;
  let next: { readonly text: string } | undefined;
  let failure: { readonly error: unknown } | undefined;
  async function readNext(): Promise<void> {
    try {
      const result = await iterator.next();
      if (result.done === true) isEnded = true;
      else next = { text: result.value };
    } catch (error) {
      failure = { error };
    }
  }
  return {
    get isEnded() {
      return isEnded;
    },
    take() {
      if (failure !== undefined) throw failure.error;
      const taken = next;
      next = undefined;
      return taken === undefined ? undefined : Buffer.from(taken.text);
    },
    wait(wake) {
      void readNext().then(wake);
    },
    close() {
      isEnded = true;
      void iterator.return?.();
    },
  };
}
