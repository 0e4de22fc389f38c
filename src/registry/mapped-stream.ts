import { feedIterator } from '../lib/feed.ts';
import type { WatchEvent, WatchStream } from './verbs.ts';
import { newSharedWork } from './watch-events.ts';

/** Returns a function that maps the events of streams; an event that several watches share is mapped once. */
export function streamMapper(turn: (event: WatchEvent) => WatchEvent): (stream: WatchStream) => WatchStream {
  const turned = (event: WatchEvent): WatchEvent => {
    if (!('shared' in event) || event.shared === undefined) return turn(event);
    const known = event.shared.turned.get(turn);
    if (known !== undefined) return known;
    const made = turn(event);
    // The mapped event needs its own encoded lines.
    const found = 'object' in made ? { ...made, shared: newSharedWork() } : made;
    event.shared.turned.set(turn, found);
    return found;
  };

  return (stream) => new MappedStream(stream, turned);
}

class MappedStream implements WatchStream {
  readonly #stream: WatchStream;
  readonly #turned: (event: WatchEvent) => WatchEvent;

  constructor(stream: WatchStream, turned: (event: WatchEvent) => WatchEvent) {
    this.#stream = stream;
    this.#turned = turned;
  }

  get over(): boolean {
    return this.#stream.over;
  }

  take(): WatchEvent | undefined {
    const event = this.#stream.take();
    return event && this.#turned(event);
  }

  wait(wake: () => void): void {
    this.#stream.wait(wake);
  }

  close(): void {
    this.#stream.close();
  }

  [Symbol.asyncIterator](): AsyncIterator<WatchEvent, undefined> {
    return feedIterator(this);
  }
}
