import type { Feed } from '../../lib/feed.ts';
import { decodeError } from './plane-errors.ts';
import type { StreamPart } from './plane-messages.ts';
import { streamWindowBytes } from './stream-window.ts';

export interface RemoteStreamOptions {
  /** Informs the worker of the number of bytes that were taken since the last call. */
  acknowledge(bytes: number): void;
  /** Calls `wake` later. Only a few readers are woken per tick, because each of them writes to its socket. */
  scheduleWake(wake: () => void): void;
  /** Notifies the worker that the stream is no longer read. */
  cancel(): void;
}

/** The body of a response that a worker sends in parts. It is a class to save memory, because every watch has one. */
export class RemoteStream implements Feed<Uint8Array> {
  readonly #options: RemoteStreamOptions;
  readonly #chunks: Uint8Array[] = [];
  #taken = 0;
  #isLast = false;
  #isClosed = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(options: RemoteStreamOptions) {
    this.#options = options;
  }

  get isEnded(): boolean {
    return this.#isClosed || (this.#isLast && this.#chunks.length === 0 && this.#error === undefined);
  }

  /** Adds a part that the worker has sent. */
  add({ chunks, isLast, error }: Pick<StreamPart, 'chunks' | 'isLast' | 'error'>): void {
    if (this.#isClosed) return;
    for (const chunk of chunks) this.#chunks.push(chunk);
    this.#isLast = isLast;
    if (error !== undefined) this.#error = decodeError(error);
    this.#wakeReader();
  }

  take(): Uint8Array | undefined {
    if (this.#isClosed) return undefined;
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      this.#taken += chunk.length;
      if (this.#taken >= streamWindowBytes / 2 && !this.#isLast) {
        this.#options.acknowledge(this.#taken);
        this.#taken = 0;
      }
      return chunk;
    }
    if (this.#error === undefined) return undefined;
    this.#isClosed = true;
    throw this.#error;
  }

  wait(wake: () => void): void {
    if (this.#chunks.length > 0 || this.#isLast || this.#isClosed) this.#options.scheduleWake(wake);
    else this.#wake = wake;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#chunks.length = 0;
    if (!this.#isLast) this.#options.cancel();
    this.#wakeReader();
  }

  #wakeReader(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    if (wake !== undefined) this.#options.scheduleWake(wake);
  }
}
