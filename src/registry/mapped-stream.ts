import { feedIterator } from '../lib/feed.ts';
import type { WatchEvent, WatchStream } from './verbs.ts';

/** Gives streams whose events are turned into others; an event that several are told is turned once for all of them. */
export function streamMapper(turn: (event: WatchEvent) => WatchEvent): (stream: WatchStream) => WatchStream {
  const known = new WeakMap<WatchEvent, WatchEvent>();

  const turned = (event: WatchEvent): WatchEvent => {
    if (!('shared' in event) || event.shared !== true) return turn(event);
    const found = known.get(event) ?? turn(event);
    known.set(event, found);
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
