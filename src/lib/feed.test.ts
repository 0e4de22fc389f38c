import { describe, expect, it } from 'vitest';
import { type Feed, feedIterator } from './feed.ts';

class Fed implements Feed<string> {
  readonly items: string[] = [];
  isEnded = false;
  #wake = () => {};

  take(): string | undefined {
    return this.items.shift();
  }

  wait(wake: () => void): void {
    this.#wake = wake;
  }

  add(...items: string[]): void {
    this.items.push(...items);
    this.#wake();
  }

  close(): void {
    this.isEnded = true;
    this.#wake();
  }
}

describe('feedIterator', () => {
  it('returns available items, then later ones, until the feed ends', async () => {
    const feed = new Fed();
    feed.add('a', 'b');
    const iterator = feedIterator(feed);
    expect([(await iterator.next()).value, (await iterator.next()).value]).toEqual(['a', 'b']);
    const waiting = iterator.next();
    // The reader keeps waiting after a spurious wake-up.
    feed.add();
    feed.add('c');
    expect((await waiting).value).toBe('c');
    feed.close();
    expect((await iterator.next()).done).toBe(true);
  });

  it('closes the feed when its reader leaves, even during a wait', async () => {
    const feed = new Fed();
    const iterator = feedIterator(feed);
    const waiting = iterator.next();
    await iterator.return?.();
    expect([(await waiting).done, feed.isEnded]).toEqual([true, true]);
  });
});
