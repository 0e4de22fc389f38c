import type { Reply } from '../reply.ts';

/** `error` is the error that the reply reports, if any. Must be fast and must not throw. */
export type CompletionListener = (reply: Reply, error: unknown) => void;

/** A linked list: most requests have two or three listeners, and an array would allocate space for more. */
interface ListenerNode {
  readonly settled: CompletionListener;
  readonly earlier: ListenerNode | undefined;
}

/** Notifies filters that observe the reply without changing it, so that they need not await it. */
export class RequestCompletion {
  #latest: ListenerNode | undefined;
  #respond: ((error: unknown) => void) | undefined;

  /** Calls the listener once, before the reply is sent. The last one added is called first. */
  onComplete(settled: CompletionListener): void {
    this.#latest = { settled, earlier: this.#latest };
  }

  /** Replies with an error immediately, even if work for the request continues. No effect after the reply. */
  failEarly(error: unknown): void {
    this.#respond?.(error);
  }

  /** Sets the function that replies with an error. Called by the filter that turns errors into replies. */
  setErrorResponder(respond: (error: unknown) => void): void {
    this.#respond = respond;
  }

  /** Reports the final reply. Called by the filter that turns errors into replies. */
  complete(reply: Reply, error?: unknown): void {
    this.#respond = undefined;
    let node = this.#latest;
    this.#latest = undefined;
    for (; node !== undefined; node = node.earlier) node.settled(reply, error);
  }
}
