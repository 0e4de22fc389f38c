import type { Reply } from '../reply.ts';

/** Called with the reply, and with the error that the reply reports, if any. Must be fast and must not throw. */
export type CompletionListener = (reply: Reply, error: unknown) => void;

/**
 * A node in the linked list of listeners. Most requests have two or three listeners, and an array for them would
 * allocate more space.
 */
interface ListenerNode {
  readonly listener: CompletionListener;
  readonly earlier: ListenerNode | undefined;
}

/** Notifies filters of the reply. Filters that only observe the reply use this class instead of awaiting the reply. */
export class RequestCompletion {
  #latest: ListenerNode | undefined;
  #respond: ((error: unknown) => void) | undefined;

  /**
   * Adds a listener, which is called once, before the reply is sent. The listener that was added last is called first.
   */
  onComplete(listener: CompletionListener): void {
    this.#latest = { listener, earlier: this.#latest };
  }

  /**
   * Sends an error reply immediately, even if the handler is still running. Has no effect if the request already has a
   * reply.
   */
  failEarly(error: unknown): void {
    this.#respond?.(error);
  }

  /** Sets the function that sends an error reply. Called only by the filter that turns errors into replies. */
  setErrorResponder(respond: (error: unknown) => void): void {
    this.#respond = respond;
  }

  /** Notifies all listeners of the final reply. Called only by the filter that turns errors into replies. */
  complete(reply: Reply, error?: unknown): void {
    this.#respond = undefined;
    let node = this.#latest;
    this.#latest = undefined;
    for (; node !== undefined; node = node.earlier) node.listener(reply, error);
  }
}
