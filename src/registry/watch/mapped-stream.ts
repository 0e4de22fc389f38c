import { feedIterator } from '../../lib/feed.ts';
import type { WatchEvent, WatchStream } from '../verbs.ts';
import { newSharedEventCache } from './watch-events.ts';

/**
 * Returns a function that applies `map` to the events of a stream. If several watches share an event, it is mapped
 * once.
 */
export function streamMapper(map: (event: WatchEvent) => WatchEvent): (stream: WatchStream) => WatchStream {
  const mapOnce = (event: WatchEvent): WatchEvent => {
    if (!('shared' in event) || event.shared === undefined) return map(event);
    const cached = event.shared.mapped.get(map);
    if (cached !== undefined) return cached;
    const made = map(event);
    // The encoded texts of the original event are not valid for the mapped event, so the mapped event gets its own
    // cache.
    const found = 'object' in made ? { ...made, shared: newSharedEventCache() } : made;
    event.shared.mapped.set(map, found);
    return found;
  };

  return (stream) => new MappedStream(stream, mapOnce);
}

class MappedStream implements WatchStream {
  readonly #stream: WatchStream;
  readonly #mapOnce: (event: WatchEvent) => WatchEvent;

  constructor(stream: WatchStream, mapOnce: (event: WatchEvent) => WatchEvent) {
    this.#stream = stream;
    this.#mapOnce = mapOnce;
  }

  get isEnded(): boolean {
    return this.#stream.isEnded;
  }

  take(): WatchEvent | undefined {
    const event = this.#stream.take();
    return event && this.#mapOnce(event);
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
