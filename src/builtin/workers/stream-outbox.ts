import type { CallId, StreamPart } from './plane-messages.ts';

interface PendingPart {
  readonly chunks: Uint8Array[];
  isLast: boolean;
  error: StreamPart['error'];
}

/**
 * Collects the parts of all streams of a worker and sends them in one message per tick of the event loop. Several
 * watches of the same events share the bytes of an event, so a message contains these bytes only once.
 */
export class StreamOutbox {
  readonly #send: (parts: readonly StreamPart[]) => void;
  #pending = new Map<CallId, PendingPart>();
  /**
   * The copies of chunks in the current message, by the original chunk. Several streams can share a chunk and its copy.
   */
  #copies = new Map<Uint8Array, Uint8Array>();

  constructor(send: (parts: readonly StreamPart[]) => void) {
    this.#send = send;
  }

  add(id: CallId, chunk: Uint8Array): void {
    this.#partOf(id).chunks.push(this.#copyOf(chunk));
  }

  end(id: CallId, error?: StreamPart['error']): void {
    const part = this.#partOf(id);
    part.isLast = true;
    part.error = error;
  }

  #partOf(id: CallId): PendingPart {
    const known = this.#pending.get(id);
    if (known !== undefined) return known;
    if (this.#pending.size === 0) setImmediate(() => this.#flush());
    const part: PendingPart = { chunks: [], isLast: false, error: undefined };
    this.#pending.set(id, part);
    return part;
  }

  /**
   * Copies a chunk, because a message transfers the whole memory block behind an array, and Node puts several short
   * arrays into one block.
   */
  #copyOf(chunk: Uint8Array): Uint8Array {
    if (chunk.byteLength === chunk.buffer.byteLength) return chunk;
    const known = this.#copies.get(chunk);
    if (known !== undefined) return known;
    const copy = new Uint8Array(chunk);
    this.#copies.set(chunk, copy);
    return copy;
  }

  #flush(): void {
    const parts: StreamPart[] = [];
    for (const [id, { chunks, isLast, error }] of this.#pending) {
      parts.push({ id, chunks, isLast, ...(error === undefined ? {} : { error }) });
    }
    this.#pending = new Map();
    this.#copies = new Map();
    this.#send(parts);
  }
}
