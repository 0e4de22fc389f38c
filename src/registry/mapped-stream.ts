import { feedIterator } from '../lib/feed.ts';
import type { WatchEvent, WatchStream } from './verbs.ts';
import { newSharedWork } from './watch-events.ts';

/** Gives streams whose events are turned into others; an event that several are told is turned once for all of them. */
export function streamMapper(turn: (event: WatchEvent) => WatchEvent): (stream: WatchStream) => WatchStream {
  const turned = (event: WatchEvent): WatchEvent => {
    if (!('shared' in event) || event.shared === undefined) return turn(event);
    const known = event.shared.turned.get(turn);
    if (known !== undefined) return known;
    const made = turn(event);
    // The lines of the one are not those of the other.
    const found = 'object' in made ? { ...made, shared: newSharedWork() } : made;
    event.shared.turned.set(turn, found);
    return found;
  };

  return (stream) => {
    const mapped: WatchStream = {
      take() {
        const event = stream.take();
        return event && turned(event);
      },
      get over() {
        return stream.over;
      },
      wait: (wake) => stream.wait(wake),
      close: () => stream.close(),
      [Symbol.asyncIterator]: () => feedIterator(mapped),
    };
    return mapped;
  };
}
