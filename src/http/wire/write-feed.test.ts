import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Feed } from '../../lib/feed.ts';
import { writeFeed } from './write-feed.ts';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

class Lines implements Feed<Uint8Array> {
  readonly #lines: Uint8Array[] = [];
  #ended = false;
  #wake: (() => void) | undefined;
  failure: Error | undefined;

  get isEnded(): boolean {
    return this.#ended && this.#lines.length === 0;
  }

  take(): Uint8Array | undefined {
    if (this.failure !== undefined) throw this.failure;
    return this.#lines.shift();
  }

  wait(wake: () => void): void {
    this.#wake = wake;
  }

  add(...lines: (string | Uint8Array)[]): void {
    this.#lines.push(...lines.map((line) => (typeof line === 'string' ? Buffer.from(line) : line)));
    this.wake();
  }

  wake(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  close(): void {
    this.#ended = true;
    this.wake();
  }
}

function writing() {
  const feed = new Lines();
  const response = new EventEmitter();
  const state = { takes: true, gone: false };
  const pieces: Uint8Array[] = [];
  const write = (bytes: Uint8Array) => {
    pieces.push(bytes);
    return state.takes;
  };
  const start = () => writeFeed({ response, isGone: () => state.gone, write }, feed);
  return { feed, response, state, pieces, start, texts: () => pieces.map(String) };
}

describe('lines of a feed', () => {
  it('are joined once for all streams with the same pending lines', async () => {
    const [a, b, c] = ['a\n', 'b\n', 'c\n'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];
    const streams = [writing(), writing(), writing()] as const;
    streams[0].feed.add(a, b);
    streams[1].feed.add(a, b);
    streams[2].feed.add(a, c);
    await Promise.all(
      streams.map(async ({ feed, start }) => {
        const over = start();
        feed.close();
        await over;
      }),
    );
    expect(streams.map(({ texts }) => texts())).toEqual([['a\nb\n'], ['a\nb\n'], ['a\nc\n']]);
    expect(streams[1].pieces[0]).toBe(streams[0].pieces[0]);
  });

  it('are written as they come; lines that are pending together are written together', async () => {
    const { feed, start, texts } = writing();
    const over = start();
    feed.add('a\n');
    feed.add('b\n', 'c\n', 'd\n');
    expect(texts()).toEqual(['a\n', 'b\nc\nd\n']);
    feed.close();
    await over;
  });

  it('are written without a copy if they come alone', async () => {
    const { feed, start, pieces } = writing();
    const line = Buffer.from('shared\n');
    const over = start();
    feed.add(line);
    expect(pieces[0]).toBe(line);
    feed.close();
    await over;
  });

  it('are joined up to a limit, with a tick for other work between two chunks', async () => {
    const { feed, start, pieces, state } = writing();
    const line = `${'x'.repeat(20_000)}\n`;
    feed.add(...Array.from({ length: 10 }, () => line));
    const over = start();
    expect(pieces.map((piece) => piece.length)).toEqual([80_004]);
    await nextTurn();
    expect(pieces.map((piece) => piece.length)).toEqual([80_004, 80_004]);
    await nextTurn();
    expect(pieces.map((piece) => piece.length)).toEqual([80_004, 80_004, 40_002]);
    expect(state.gone).toBe(false);
    feed.close();
    await over;
  });

  it('wait for a slow client, and are then written together', async () => {
    const { feed, response, state, start, texts } = writing();
    const over = start();
    state.takes = false;
    feed.add('a\n');
    for (const line of ['b\n', 'c\n', 'd\n']) feed.add(line);
    expect(texts()).toEqual(['a\n']);
    state.takes = true;
    response.emit('drain');
    expect(texts()).toEqual(['a\n', 'b\nc\nd\n']);
    response.emit('drain');
    expect(texts()).toHaveLength(2);
    feed.close();
    await over;
  });

  it('end when the client disconnects, and leave no listener behind', async () => {
    for (const takes of [true, false]) {
      const { feed, response, state, start } = writing();
      state.takes = takes;
      const over = start();
      feed.add('a\n');
      state.gone = true;
      response.emit('close');
      await over;
      expect(response.eventNames()).toEqual([]);
    }
  });

  it('end with the error of the feed', async () => {
    const { feed, start, response } = writing();
    const over = start();
    feed.failure = new Error('no more');
    feed.wake();
    await expect(over).rejects.toThrow('no more');
    expect(response.eventNames()).toEqual([]);
  });
});
