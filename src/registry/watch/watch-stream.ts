import { StatusError } from '../../api/status.ts';
import { feedIterator } from '../../lib/feed.ts';
import type { BoundedQueue } from '../../lib/queue/bounded-queue.ts';
import type { WatchEvent, WatchStream } from '../verbs.ts';

/** An event in the queue of a watch, and the store revision of its change. */
export interface QueuedEvent {
  readonly revision: number;
  /** The size of the object in the event, in characters. */
  readonly size: number;
  readonly event: WatchEvent;
}

/**
 * The events that a watch returns before the events in its queue: the initial objects, or the changes since the
 * requested resourceVersion.
 */
export interface WatchBacklog {
  readonly events: readonly WatchEvent[];
  /**
   * Further events of the backlog, in chunks. The next chunk is read after the client has received the previous one.
   */
  readonly rest?: AsyncIterator<readonly WatchEvent[], undefined>;
  readonly revision: number;
}

export interface CacheWatchStreamOptions {
  /** The backlog. If the promise rejects with a StatusError, the stream ends with an ERROR event (rule WATCH-36). */
  readonly backlog: Promise<WatchBacklog>;
  /**
   * The events after the backlog. The queue already receives events while the backlog is read, so an event may be in
   * both. The stream then skips the copy in the queue.
   */
  readonly queue: BoundedQueue<QueuedEvent>;
  /** Ends the queue and releases its timers and listeners. May be called several times. */
  readonly end: () => void;
  /** Schedules a callback that wakes the reader. Only a few watches of the kind are woken per event loop tick. */
  readonly scheduleWake: (wake: () => void) => void;
}

/**
 * The events of a watch: first the backlog, then the queue until it ends. Code that adds an event to the queue must
 * call `notify`.
 */
export class CacheWatchStream implements WatchStream {
  readonly #queue: CacheWatchStreamOptions['queue'];
  readonly #end: CacheWatchStreamOptions['end'];
  readonly #schedule: CacheWatchStreamOptions['scheduleWake'];
  /**
   * The remaining events of the current chunk of the backlog, which the reader has not taken yet; `undefined` if there
   * is no current chunk.
   */
  #chunk: Iterator<WatchEvent> | undefined;
  #rest: WatchBacklog['rest'];
  #inBacklog = true;
  /** True while a chunk of the backlog is being read. */
  #readingChunk = true;
  #reachedRevision = 0;
  #over = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  /**
   * The constructor does not store the promise `backlog`. Its result may contain every object of a kind, and the
   * promise would keep all of these events in memory after the reader has taken them.
   */
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

  /** Wakes the reader, because there may be a new event or the stream may have ended. */
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
    // The watch timed out or its queue overflowed before the reader had taken the whole backlog.
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
    // If a chunk contains no event for this watch, the next chunk is read without waking the reader.
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
