import { StatusError } from '../../api/status.ts';
import { feedIterator } from '../../lib/feed.ts';
import type { BoundedQueue } from '../../lib/queue/bounded-queue.ts';
import type { WatchEvent, WatchStream } from '../verbs.ts';

/** An event that waits for a subscriber, and the revision that the subscriber has reached after it. */
export interface QueuedEvent {
  readonly revision: number;
  /** The size of the object in the event. */
  readonly size: number;
  readonly event: WatchEvent;
}

/** The events that precede the queue, and the revision that the subscriber has reached after them. */
export interface WatchBacklog {
  readonly events: readonly WatchEvent[];
  /** The events that follow `events`, read in chunks at the pace of the reader. */
  readonly rest?: AsyncIterator<readonly WatchEvent[], undefined>;
  readonly revision: number;
}

export interface CacheWatchStreamOptions {
  /** A rejection is reported as an ERROR event, the last one of the stream (rule WATCH-36). */
  readonly backlog: Promise<WatchBacklog>;
  /** Filled from before the backlog was read: the stream skips queued events that the backlog already contains. */
  readonly queue: BoundedQueue<QueuedEvent>;
  /** Ends the queue and frees timers and listeners. Idempotent. */
  readonly end: () => void;
  /** Schedules the callback, fairly among all readers. */
  readonly scheduleWake: (wake: () => void) => void;
}

/**
 * A watch stream that returns the backlog, then the queue until the queue ends. The queue's producer calls `notify`.
 */
export class CacheWatchStream implements WatchStream {
  readonly #queue: CacheWatchStreamOptions['queue'];
  readonly #end: CacheWatchStreamOptions['end'];
  readonly #schedule: CacheWatchStreamOptions['scheduleWake'];
  /** The rest of the current chunk of the backlog; `undefined` once the backlog is consumed. */
  #chunk: Iterator<WatchEvent> | undefined;
  #rest: WatchBacklog['rest'];
  #inBacklog = true;
  /** True while a chunk of the backlog is being read. */
  #readingChunk = true;
  #reachedRevision = 0;
  #over = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  /** The backlog may contain every object of a kind, so the stream releases each part as soon as it is consumed. */
  constructor({ backlog, queue, end, scheduleWake }: CacheWatchStreamOptions) {
    this.#queue = queue;
    this.#end = end;
    this.#schedule = scheduleWake;
    backlog.then(
      ({ events, rest, revision }) => {
        this.#rest = rest;
        this.#reachedRevision = revision;
        this.#receiveChunk(events);
      },
      (error: unknown) => this.#failBacklog(error),
    );
  }

  get isEnded(): boolean {
    return this.#over;
  }

  take(): WatchEvent | undefined {
    if (this.#over) return undefined;
    if (this.#inBacklog) {
      const event = this.#takeFromBacklog();
      if (event !== undefined || this.#inBacklog) return event;
    }
    const queue = this.#queue;
    for (let item = queue.take(); item !== undefined; item = queue.take()) {
      const { event, revision } = item;
      if (event.type === 'BOOKMARK' ? revision < this.#reachedRevision : revision <= this.#reachedRevision) continue;
      this.#reachedRevision = revision;
      return event;
    }
    if (queue.ended) this.close();
    return undefined;
  }

  wait(wake: () => void): void {
    this.#wake = wake;
    const queue = this.#queue;
    if (this.#over || (!this.#readingChunk && (queue.length > 0 || queue.ended))) this.notify();
  }

  /** Wakes the reader: there may be something to take. */
  notify(): void {
    const wake = this.#wake;
    if (wake === undefined) return;
    this.#wake = undefined;
    this.#schedule(wake);
  }

  close(): void {
    if (this.#over) return;
    this.#over = true;
    this.#inBacklog = false;
    this.#chunk = undefined;
    this.#rest?.return?.().catch(() => {});
    this.#end();
    this.notify();
  }

  [Symbol.asyncIterator](): AsyncIterator<WatchEvent, undefined> {
    return feedIterator(this);
  }

  #takeFromBacklog(): WatchEvent | undefined {
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
    if (this.#readingChunk) return undefined;
    const next = this.#chunk?.next();
    if (next?.done === false) {
      if (next.value.type === 'ERROR') this.close();
      return next.value;
    }
    this.#chunk = undefined;
    if (this.#rest === undefined) this.#inBacklog = false;
    else this.#readNextChunk(this.#rest);
    return undefined;
  }

  #readNextChunk(more: NonNullable<WatchBacklog['rest']>): void {
    this.#readingChunk = true;
    more.next().then(
      (chunk) => {
        if (chunk.done === true) this.#rest = undefined;
        this.#receiveChunk(chunk.value ?? []);
      },
      (error: unknown) => this.#failBacklog(error),
    );
  }

  #receiveChunk(events: readonly WatchEvent[]): void {
    this.#readingChunk = false;
    this.#chunk = events[Symbol.iterator]();
    // A chunk without events for this subscriber does not wake its reader.
    if (events.length === 0 && this.#rest !== undefined && !this.#over) this.#readNextChunk(this.#rest);
    else this.notify();
  }

  #failBacklog(error: unknown): void {
    this.#rest = undefined;
    if (error instanceof StatusError) {
      this.#receiveChunk([{ type: 'ERROR', status: error.status }]);
      return;
    }
    this.#failure = { error };
    this.#readingChunk = false;
    this.notify();
  }
}
