import type { Dispatcher } from 'undici';
import type { ApiResponse } from '../../host.ts';
import { returnedHeaders } from './request-headers.ts';

export interface ResponseStreamOptions {
  readonly signal: AbortSignal;
  /** Converts an error of undici to the error that the caller of the request gets. */
  translate(error: unknown): unknown;
  /** Called once, after the connection has become free or has been closed. */
  onRelease(): void;
}

/** Maximum number of unread bytes in memory. Beyond it, reading from the connection is paused. */
const maxUnread = 64 * 1024;

/**
 * Receives a response from undici and returns its body as an async iterator. Only one reader may read the body. The
 * signal can abort the request at any time, even during the wait for a connection. If the reader stops before the end
 * of the body, the request is aborted.
 */
export class ResponseStream implements Dispatcher.DispatchHandler, AsyncIterator<Uint8Array> {
  /** Resolves with the status and headers of the response. Rejects if there is no response. */
  readonly head: Promise<ApiResponse>;
  readonly #options: ResponseStreamOptions;
  #resolve: (head: ApiResponse) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Uint8Array[] = [];
  #unread = 0;
  #wake: (() => void) | undefined;
  #isEnded = false;
  #failure: { readonly error: unknown } | undefined;
  /** True after undici has finished with the request. */
  #isReleased = false;

  constructor(options: ResponseStreamOptions) {
    this.#options = options;
    this.head = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    options.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure !== undefined) controller.abort(new Error('ended'));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: object): void {
    if (status < 200) return;
    const returned = returnedHeaders(headers as ApiResponse['headers']);
    this.#resolve({ status, headers: returned, body: { [Symbol.asyncIterator]: () => this } });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#isEnded) return;
    this.#chunks.push(chunk);
    this.#unread += chunk.length;
    if (this.#unread > maxUnread) controller.pause();
    this.#wakeReader();
  }

  onResponseEnd(): void {
    this.#isEnded = true;
    this.#release();
    this.#wakeReader();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
    this.#release();
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        this.#unread -= chunk.length;
        if (this.#unread <= maxUnread) this.#controller?.resume();
        return { done: false, value: chunk };
      }
      if (this.#failure !== undefined) throw this.#failure.error;
      if (this.#isEnded) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#chunks = [];
    this.#isEnded = true;
    if (!this.#isReleased) this.#controller?.abort(new Error('not read any further'));
    this.#wakeReader();
    return { done: true, value: undefined };
  }

  readonly #onAbort = (): void => {
    this.#fail(this.#options.signal.reason);
    this.#controller?.abort(new Error('ended'));
  };

  /**
   * Ends the response with an error. Discards unread chunks, because a reader could mistake them for the whole
   * response.
   */
  #fail(error: unknown): void {
    if (this.#isEnded || this.#failure !== undefined) return;
    const translated = this.#options.translate(error);
    this.#failure = { error: translated };
    this.#chunks = [];
    this.#reject(translated);
    this.#wakeReader();
  }

  #release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    this.#options.onRelease();
  }

  #wakeReader(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
