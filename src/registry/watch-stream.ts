import { StatusError } from '../api/status.ts';
import type { BoundedQueue } from '../lib/bounded-queue.ts';
import { feedIterator } from '../lib/feed.ts';
import type { WatchEvent, WatchStream } from './verbs.ts';

/** An event that waits for a subscriber, and the revision that the subscriber has reached after it. */
export interface Queued {
  readonly revision: number;
  /** The size of the object in the event. */
  readonly size: number;
  readonly event: WatchEvent;
}

/** The events that precede the queue, and the revision that the subscriber has reached after them. */
export interface Opening {
  readonly events: readonly WatchEvent[];
  /** The events that follow `events`, read in chunks at the pace of the reader. */
  readonly more?: AsyncIterator<readonly WatchEvent[], undefined>;
  readonly revision: number;
}

export interface StreamParts {
  /** A rejection is reported as an ERROR event, the last one of the stream (rule WATCH-36). */
  readonly opening: Promise<Opening>;
  /** Filled from before the backlog was read: the stream skips queued events that the backlog already contains. */
  readonly queue: BoundedQueue<Queued>;
  /** Ends the queue and frees timers and listeners. Idempotent. */
  readonly end: () => void;
  /** Schedules the callback, fairly among all readers. */
  readonly inTurn: (wake: () => void) => void;
}

/**
 * A watch stream that returns the backlog, then the queue until the queue ends. The queue's producer calls `notify`.
 */
export class OpenedStream implements WatchStream {
  readonly #queue: StreamParts['queue'];
  readonly #end: StreamParts['end'];
  readonly #inTurn: StreamParts['inTurn'];
  /** The rest of the current chunk of the backlog; `undefined` once the backlog is consumed. */
  #pending: Iterator<WatchEvent> | undefined;
  #more: Opening['more'];
  #opens = true;
  /** True while a chunk of the backlog is being read. */
  #reads = true;
  #reached = 0;
  #over = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  /** The backlog may contain every object of a kind, so the stream releases each part as soon as it is consumed. */
  constructor({ opening, queue, end, inTurn }: StreamParts) {
    this.#queue = queue;
    this.#end = end;
    this.#inTurn = inTurn;
    opening.then(
      ({ events, more, revision }) => {
        this.#more = more;
        this.#reached = revision;
        this.#arrived(events);
      },
      (error: unknown) => this.#failed(error),
    );
  }

  get over(): boolean {
    return this.#over;
  }

  take(): WatchEvent | undefined {
    if (this.#over) return undefined;
    if (this.#opens) {
      const event = this.#takeOpening();
      if (event !== undefined || this.#opens) return event;
    }
    const queue = this.#queue;
    for (let item = queue.take(); item !== undefined; item = queue.take()) {
      const { event, revision } = item;
      if (event.type === 'BOOKMARK' ? revision < this.#reached : revision <= this.#reached) continue;
      this.#reached = revision;
      return event;
    }
    if (queue.ended) this.close();
    return undefined;
  }

  wait(wake: () => void): void {
    this.#wake = wake;
    const queue = this.#queue;
    if (this.#over || (!this.#reads && (queue.length > 0 || queue.ended))) this.ready();
  }

  /** Wakes the reader: there may be something to take. */
  ready(): void {
    const wake = this.#wake;
    if (wake === undefined) return;
    this.#wake = undefined;
    this.#inTurn(wake);
  }

  close(): void {
    if (this.#over) return;
    this.#over = true;
    this.#opens = false;
    this.#pending = undefined;
    this.#more?.return?.().catch(() => {});
    this.#end();
    this.ready();
  }

  [Symbol.asyncIterator](): AsyncIterator<WatchEvent, undefined> {
    return feedIterator(this);
  }

  #takeOpening(): WatchEvent | undefined {
    if (this.#failure !== undefined) {
      this.close();
      throw this.#failure.error;
    }
    const queue = this.#queue;
    // The watch has timed out, or its queue overflowed while the reader was busy with the backlog.
    if (queue.ended && queue.length === 0) {
      this.close();
      return undefined;
    }
    if (this.#reads) return undefined;
    const next = this.#pending?.next();
    if (next?.done === false) {
      if (next.value.type === 'ERROR') this.close();
      return next.value;
    }
    this.#pending = undefined;
    if (this.#more === undefined) this.#opens = false;
    else this.#readOn(this.#more);
    return undefined;
  }

  #readOn(more: NonNullable<Opening['more']>): void {
    this.#reads = true;
    more.next().then(
      (piece) => {
        if (piece.done === true) this.#more = undefined;
        this.#arrived(piece.value ?? []);
      },
      (error: unknown) => this.#failed(error),
    );
  }

  #arrived(events: readonly WatchEvent[]): void {
    this.#reads = false;
    this.#pending = events[Symbol.iterator]();
    // A chunk without events for this subscriber does not wake its reader.
    if (events.length === 0 && this.#more !== undefined && !this.#over) this.#readOn(this.#more);
    else this.ready();
  }

  #failed(error: unknown): void {
    this.#more = undefined;
    if (error instanceof StatusError) {
      this.#arrived([{ type: 'ERROR', status: error.status }]);
      return;
    }
    this.#failure = { error };
    this.#reads = false;
    this.ready();
  }
}
