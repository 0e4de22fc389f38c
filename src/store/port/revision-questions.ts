import type { Revision } from '../store.ts';

/**
 * Asks for the revisions of slices. If a question about a slice is in progress, all new callers for this slice share
 * the next question, so many readers cause few messages. An answer is never older than the call.
 */
export class RevisionQuestions {
  readonly #send: (slice: string) => Promise<Revision>;
  readonly #running = new Map<string, Promise<Revision>>();
  readonly #next = new Map<string, Promise<Revision>>();

  constructor(send: (slice: string) => Promise<Revision>) {
    this.#send = send;
  }

  ask(slice: string): Promise<Revision> {
    const running = this.#running.get(slice);
    if (running === undefined) return this.#start(slice);
    const waiting = this.#next.get(slice);
    if (waiting !== undefined) return waiting;
    const start = () => {
      this.#next.delete(slice);
      return this.#start(slice);
    };
    const next = running.then(start, start);
    this.#next.set(slice, next);
    return next;
  }

  #start(slice: string): Promise<Revision> {
    const running = this.#send(slice);
    this.#running.set(slice, running);
    // This handler is attached first, so it runs before the next question starts.
    const forget = () => void this.#running.delete(slice);
    running.then(forget, forget);
    return running;
  }
}
