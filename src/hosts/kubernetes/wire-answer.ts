import type { Dispatcher } from 'undici';
import type { ApiResponse } from '../host.ts';
import { passedBack } from './request-headers.ts';

export interface WireAnswerOptions {
  readonly signal: AbortSignal;
  /** What is told of an error, whenever it comes. */
  translate(error: unknown): unknown;
  /** Called once, when the connection is free again or gone. */
  onOver(): void;
}

/** Bytes that have come and were not read; beyond, no more are taken from the connection. */
const mostUnread = 64 * 1024;

/**
 * An answer as it comes, without a stream in between. The signal is heard from the first moment on, also while the request
 * waits for a connection. Whoever stops reading ends it, also where they have not begun; it has one reader.
 */
export class WireAnswer implements Dispatcher.DispatchHandler, AsyncIterator<Uint8Array> {
  /** Resolves when the head is there; rejects where none comes. */
  readonly head: Promise<ApiResponse>;
  readonly #options: WireAnswerOptions;
  #resolve: (head: ApiResponse) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Uint8Array[] = [];
  #unread = 0;
  #wake: (() => void) | undefined;
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;
  /** The request is undici's no more. */
  #isDone = false;

  constructor(options: WireAnswerOptions) {
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
    const passed = passedBack(headers as ApiResponse['headers']);
    this.#resolve({ status, headers: passed, body: { [Symbol.asyncIterator]: () => this } });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#isOver) return;
    this.#chunks.push(chunk);
    this.#unread += chunk.length;
    if (this.#unread > mostUnread) controller.pause();
    this.#tell();
  }

  onResponseEnd(): void {
    this.#isOver = true;
    this.#done();
    this.#tell();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
    this.#done();
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        this.#unread -= chunk.length;
        if (this.#unread <= mostUnread) this.#controller?.resume();
        return { done: false, value: chunk };
      }
      if (this.#failure !== undefined) throw this.#failure.error;
      if (this.#isOver) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#chunks = [];
    this.#isOver = true;
    if (!this.#isDone) this.#controller?.abort(new Error('not read any further'));
    this.#tell();
    return { done: true, value: undefined };
  }

  readonly #onAbort = (): void => {
    this.#fail(this.#options.signal.reason);
    this.#controller?.abort(new Error('ended'));
  };

  /** What has come before is not read any more: it is no answer as a whole, and nobody may take it for one. */
  #fail(error: unknown): void {
    if (this.#isOver || this.#failure !== undefined) return;
    const told = this.#options.translate(error);
    this.#failure = { error: told };
    this.#chunks = [];
    this.#reject(told);
    this.#tell();
  }

  #done(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    this.#options.onOver();
  }

  #tell(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
