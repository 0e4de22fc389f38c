import { describe, expect, it } from 'vitest';
import type { Feed } from '../../lib/feed.ts';
import { StreamOutbox } from './stream-outbox.ts';
import { StreamPump } from './stream-pump.ts';
import { streamWindowBytes } from './stream-window.ts';

/** Returns a feed of `chunks` chunks. Each chunk is a quarter of the window. */
function feedOf(chunks: number): Feed<Uint8Array> & { taken: number } {
  return {
    taken: 0,
    get isEnded() {
      return this.taken === chunks;
    },
    take() {
      if (this.taken === chunks) return undefined;
      this.taken += 1;
      return new Uint8Array(streamWindowBytes / 4);
    },
    wait() {},
    close() {},
  };
}

function pumpOf(feed: Feed<Uint8Array>) {
  let ends = 0;
  const onEnd = () => {
    ends += 1;
  };
  const pump = new StreamPump({ id: 1, feed, outbox: new StreamOutbox(() => {}), onEnd });
  return { pump, ends: () => ends };
}

describe('the pump of a stream', () => {
  it('sends one window, and more only after an acknowledgement', () => {
    const feed = feedOf(10);
    const { pump, ends } = pumpOf(feed);
    pump.start();
    expect(feed.taken).toBe(4);
    pump.acknowledge(streamWindowBytes / 2);
    expect([feed.taken, ends()]).toEqual([6, 0]);
    pump.acknowledge(streamWindowBytes * 2);
    expect([feed.taken, ends()]).toEqual([10, 1]);
  });

  it('sends everything that is left when it must finish', () => {
    const feed = feedOf(10);
    const { pump, ends } = pumpOf(feed);
    pump.start();
    pump.finish();
    expect([feed.taken, ends()]).toEqual([10, 1]);
  });
});
