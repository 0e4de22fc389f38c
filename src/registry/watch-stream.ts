import { StatusError } from '../api/status.ts';
import type { BoundedQueue } from '../lib/bounded-queue.ts';
import { feedIterator } from '../lib/feed.ts';
import type { WatchEvent, WatchStream } from './verbs.ts';

/** Something that waits for a watcher: an event, and the revision that it brings the watcher to. */
export interface Queued {
  readonly revision: number;
  /** Of the object in it. */
  readonly size: number;
  readonly event: WatchEvent;
}

/** What comes before anything from the queue, and the revision that it brings the watcher to. */
export interface Opening {
  readonly events: readonly WatchEvent[];
  /** What follows on these, read piece by piece as the reader takes it. */
  readonly more?: AsyncIterator<readonly WatchEvent[], undefined>;
  readonly revision: number;
}

export interface StreamParts {
  /** What it rejects with is told as an ERROR event, the stream's last (rule WATCH-36). */
  readonly opening: Promise<Opening>;
  /** Filled from before the opening was read, so what both hold is left out of the queue's part. */
  readonly queue: BoundedQueue<Queued>;
  /** Ends the queue and frees timers and listeners; may be called again. */
  readonly end: () => void;
  /** Calls back later, when it is this reader's turn among all. */
  readonly inTurn: (wake: () => void) => void;
}

/** The opening, then the queue, until the queue ends. Whoever fills the queue calls `ready`. */
export class OpenedStream implements WatchStream {
  readonly #queue: StreamParts['queue'];
  readonly #end: StreamParts['end'];
  readonly #inTurn: StreamParts['inTurn'];
  /** What is left of the opening: none once the queue has its turn. */
  #pending: Iterator<WatchEvent> | undefined;
  #more: Opening['more'];
  #opens = true;
  /** A piece of the opening is on its way. */
  #reads = true;
  #reached = 0;
  #over = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  /** The opening may be all objects of a kind, as they were then: nothing of it is held once it has been taken. */
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

  /** There may be something to take. */
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
    // The time was up, or too much came in while the reader took its time.
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
    // A piece without anything for this watcher is no reason to wake its reader.
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
