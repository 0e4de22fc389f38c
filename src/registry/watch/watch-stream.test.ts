import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { BoundedQueue } from '../../lib/queue/bounded-queue.ts';
import type { WatchEvent } from '../verbs.ts';
import { CacheWatchStream, type QueuedEvent } from './watch-stream.ts';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}

function bookmark(resourceVersion: string): WatchEvent {
  return { type: 'BOOKMARK', resourceVersion, initialEventsEnd: false };
}

it('an open stream releases its backlog once that is consumed', async () => {
  const queue = new BoundedQueue<QueuedEvent>(10);
  const seen: WeakRef<WatchEvent>[] = [];
  const open = () => {
    const events = Array.from({ length: 100 }, (_, at) => bookmark(String(at)));
    seen.push(...events.map((event) => new WeakRef(event)));
    const opening = Promise.resolve({ events, revision: 100 });
    return new CacheWatchStream({ backlog: opening, queue, end: () => queue.end(), scheduleWake: (wake) => wake() });
  };
  const stream = open();
  await nextTurn();
  let taken = 0;
  while (stream.take() !== undefined) taken++;
  expect(taken).toBe(100);
  await nextTurn();
  collectGarbage();
  expect(seen.filter((event) => event.deref() !== undefined).length).toBeLessThan(5);
  queue.push({ revision: 101, size: 0, event: bookmark('101') });
  expect(stream.take()).toEqual(bookmark('101'));
  stream.close();
});
