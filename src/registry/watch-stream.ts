import { StatusError } from '../api/status.ts';
import type { BoundedQueue } from '../lib/bounded-queue.ts';
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
  readonly events: Iterable<WatchEvent> | AsyncIterable<WatchEvent>;
  readonly revision: number;
}

export interface StreamParts {
  /** What it rejects with is told as an ERROR event, the stream's last (rule WATCH-36). */
  readonly opening: Promise<Opening>;
  /** Filled from before the opening was read, so what both hold is left out of the queue's part. */
  readonly queue: BoundedQueue<Queued>;
  /** Ends the queue and frees timers and listeners; may be called again. */
  end(): void;
}

/**
 * The opening, then the queue, until the queue ends. A reader that goes away in the middle of waiting is let go at
 * once, which a plain generator would not do: its `return` waits for the `next` before it.
 */
export function watchStream(parts: StreamParts): WatchStream {
  const events = generate(parts);
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => events.next(),
      return: () => {
        parts.end();
        return events.return(undefined);
      },
    }),
  };
}

async function* generate({ opening, queue, end }: StreamParts): AsyncGenerator<WatchEvent, undefined> {
  try {
    const { events, revision } = await opened(opening);
    for await (const event of events) {
      // The time was up, or too much came in while the reader took its time.
      if (queue.ended && queue.length === 0) return undefined;
      yield event;
      if (event.type === 'ERROR') return undefined;
    }
    let reached = revision;
    for (let item = await queue.next(); item !== undefined; item = await queue.next()) {
      const known = item.event.type === 'BOOKMARK' ? item.revision < reached : item.revision <= reached;
      if (known) continue;
      reached = item.revision;
      yield item.event;
    }
    return undefined;
  } finally {
    end();
  }
}

async function opened(opening: Promise<Opening>): Promise<Opening> {
  try {
    return await opening;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { events: [{ type: 'ERROR', status: error.status }], revision: 0 };
  }
}
