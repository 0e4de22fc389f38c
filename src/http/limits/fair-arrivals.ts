import type { Clock } from '../../lib/clock.ts';
import { LinkedQueue } from '../../lib/queue/linked-queue.ts';
import type { WaitingRequestEnd } from './fair-slots.ts';

export interface FairArrivalsOptions {
  readonly clock: Pick<Clock, 'elapsed'>;
  /** Runs the callback after pending input was read. Optional; defaults to `setImmediate`. */
  readonly defer?: (callback: () => void) => void;
}

/** A request that has arrived. Exactly one of its functions is called. */
export interface ArrivedRequest {
  /**
   * The credential that the client sent, before verification, or the connection if the client sent no credential;
   * `undefined` if the connection is already closed.
   */
  readonly source: string | object | undefined;
  readonly end: WaitingRequestEnd;
  /** Starts the request. Must not throw. */
  begin(): void;
  /** Called instead of `begin` if the request ends before it was started. */
  abandon(): void;
}

type Source = ArrivedRequest['source'];

/**
 * The time in milliseconds for starting requests while the available input is read. The same time is available again
 * between two reads. Requests rarely need this much time, so nearly all requests start immediately.
 */
const budgetMilliseconds = 3;

/**
 * Limits the time for starting new requests per tick of the event loop. Node reads all available input before it does
 * anything else. If thousands of requests arrive at once, authenticating all of them would delay every other client.
 * Requests beyond the limit start in later ticks, one request per source in turn. The first request of a source in a
 * tick is not delayed, so a source with hundreds of requests delays only itself. A request that ends before it is
 * started leaves the queue.
 */
export class FairArrivals {
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #defer: (callback: () => void) => void;
  /** The functions that start the waiting requests, by source. The first source has the next turn. */
  readonly #waiting = new Map<Source, LinkedQueue<() => void>>();
  /** The sources from which a request was started in this tick although the limit was reached. */
  readonly #startedBeyondLimit = new Set<Source>();
  /** The time spent on starting requests in this tick. */
  #spent = 0;
  #isScheduled = false;

  constructor({ clock, defer = setImmediate }: FairArrivalsOptions) {
    this.#clock = clock;
    this.#defer = defer;
  }

  /** Starts the request now or later. */
  add(request: ArrivedRequest): void {
    this.#schedule();
    if (this.#waiting.size === 0 && this.#spent < budgetMilliseconds) this.#start(() => request.begin());
    else this.#addBeyondLimit(request);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#defer(this.#startWaiting);
  }

  #start(begin: () => void): void {
    const before = this.#clock.elapsed();
    begin();
    this.#spent += this.#clock.elapsed() - before;
  }

  #addBeyondLimit(request: ArrivedRequest): void {
    const { source, end } = request;
    if (end.hasEnded) {
      request.abandon();
      return;
    }
    if (!this.#waiting.has(source) && !this.#startedBeyondLimit.has(source)) {
      this.#startedBeyondLimit.add(source);
      request.begin();
      return;
    }
    const queue = this.#waiting.get(source) ?? new LinkedQueue<() => void>();
    this.#waiting.set(source, queue);
    const entry = queue.push(() => {
      stopFollowing();
      request.begin();
    });
    const stopFollowing = end.onEnd(() => {
      queue.remove(entry);
      if (queue.length === 0) this.#waiting.delete(source);
      request.abandon();
    });
  }

  readonly #startWaiting = (): void => {
    this.#isScheduled = false;
    this.#spent = 0;
    this.#startedBeyondLimit.clear();
    while (this.#waiting.size > 0 && this.#spent < budgetMilliseconds) this.#startNext();
    if (this.#waiting.size > 0) this.#schedule();
    else this.#spent = 0;
  };

  #startNext(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    const [source, queue] = next;
    const begin = queue.shift();
    this.#waiting.delete(source);
    if (queue.length > 0) this.#waiting.set(source, queue);
    if (begin !== undefined) this.#start(begin);
  }
}
