import type { Reply } from './exchange.ts';

/** `error`: what the answer tells of, where that is an error. Must be quick and must not throw. */
export type Settled = (reply: Reply, error: unknown) => void;

/** Most requests have two or three, and a list would make room for many more. */
interface Follower {
  readonly settled: Settled;
  readonly earlier: Follower | undefined;
}

/** What comes of a request. Filters that have to know it, and cannot change it, follow it without waiting for anything. */
export class Settlement {
  #latest: Follower | undefined;
  #answer: ((error: unknown) => void) | undefined;

  /** Calls back once, before the answer leaves, the one who came last first. */
  follow(settled: Settled): void {
    this.#latest = { settled, earlier: this.#latest };
  }

  /** The client is answered with the error at once, whatever is still done for the request. Without effect once it is. */
  giveUp(error: unknown): void {
    this.#answer?.(error);
  }

  /** For the one who makes answers of errors: `answer` is how. */
  begin(answer: (error: unknown) => void): void {
    this.#answer = answer;
  }

  /** For the same one: the answer stands. */
  settle(reply: Reply, error?: unknown): void {
    this.#answer = undefined;
    let follower = this.#latest;
    this.#latest = undefined;
    for (; follower !== undefined; follower = follower.earlier) follower.settled(reply, error);
  }
}
