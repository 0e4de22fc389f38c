import { expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { WorkQueue } from './work-queue.ts';

const exact = { initialMilliseconds: 100, maxMilliseconds: 1_000, random: () => 1 };

it('the queue contains a key once, however often it is added', async () => {
  const queue = new WorkQueue(new ManualClock());
  for (let i = 0; i < 10; i += 1) queue.add('a');
  expect(await queue.take()).toBe('a');
  queue.done('a');
  expect(queue.idle).toBe(true);
});

it('a key that is added while it runs runs again afterwards, never concurrently', async () => {
  const queue = new WorkQueue(new ManualClock());
  queue.add('a');
  expect(await queue.take()).toBe('a');
  queue.add('a');
  queue.add('b');
  expect(await queue.take()).toBe('b');
  queue.done('a');
  expect(await queue.take()).toBe('a');
});

it('the queue wakes every waiting worker when there is work for all of them', async () => {
  const queue = new WorkQueue(new ManualClock());
  const workers = [queue.take(), queue.take(), queue.take()];
  queue.add('a');
  queue.add('b');
  queue.add('c');
  expect((await Promise.all(workers)).sort()).toEqual(['a', 'b', 'c']);
});

it('the backoff grows with each failure and resets after a success', async () => {
  const clock = new ManualClock();
  const queue = new WorkQueue(clock, exact);
  queue.addAfterFailure('a');
  clock.advance(99);
  expect(queue.idle).toBe(true);
  clock.advance(1);
  expect(await queue.take()).toBe('a');
  queue.done('a');
  queue.addAfterFailure('a');
  clock.advance(199);
  expect(queue.idle).toBe(true);
  clock.advance(1);
  expect(await queue.take()).toBe('a');
  queue.forget('a');
  queue.done('a');
  queue.addAfterFailure('a');
  clock.advance(100);
  expect(await queue.take()).toBe('a');
});

it('an add replaces a delay', async () => {
  const clock = new ManualClock();
  const queue = new WorkQueue(clock);
  queue.addAfter('a', 60_000);
  queue.add('a');
  expect(await queue.take()).toBe('a');
  queue.done('a');
  clock.advance(60_000);
  expect(queue.idle).toBe(true);
});

it('waiting workers get undefined when the queue is closed', async () => {
  const queue = new WorkQueue(new ManualClock());
  const workers = [queue.take(), queue.take()];
  queue.close();
  expect(await Promise.all(workers)).toEqual([undefined, undefined]);
  queue.add('late');
  expect(await queue.take()).toBeUndefined();
});

it('lanes have a concurrency limit and are served round-robin', async () => {
  const queue = new WorkQueue(new ManualClock(), { lanes: { laneOf: (key) => key[0] ?? '', concurrency: 2 } });
  for (const key of ['a1', 'a2', 'a3', 'b1', 'b2', 'b3']) queue.add(key);
  const taken = [await queue.take(), await queue.take(), await queue.take(), await queue.take()];
  expect(taken).toEqual(['a1', 'b1', 'a2', 'b2']);
  const next = queue.take();
  let isTaken = false;
  void next.then(() => {
    isTaken = true;
  });
  await Promise.resolve();
  expect(isTaken).toBe(false);
  // A lane that hangs delays no other lane.
  queue.done('b1');
  expect(await next).toBe('b3');
  expect(queue.lanes).toBe(2);
});

it('the groups of a lane are served round-robin, and leave some of its workers to others', async () => {
  const groups = { groupOf: (key: string) => key[0] ?? '', concurrency: 2 };
  const queue = new WorkQueue(new ManualClock(), { lanes: { laneOf: () => '', concurrency: 3, groups } });
  for (const key of ['a1', 'a2', 'a3']) queue.add(key);
  expect([await queue.take(), await queue.take()]).toEqual(['a1', 'a2']);
  const third = queue.take();
  queue.add('b1');
  expect(await third).toBe('b1');
  queue.add('b2');
  queue.done('b1');
  expect(await queue.take()).toBe('b2');
  queue.done('a1');
  expect(await queue.take()).toBe('a3');
  for (const key of ['a2', 'a3', 'b2']) queue.done(key);
  expect(queue.idle).toBe(true);
  expect(queue.lanes).toBe(0);
});

it('the queue drops keys that another process processes, also those that wait', async () => {
  const owned = new Set(['a', 'b', 'd']);
  const queue = new WorkQueue(new ManualClock(), {
    lanes: { laneOf: (key) => key, concurrency: 1 },
    owns: (key) => owned.has(key),
  });
  for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
  expect(await queue.take()).toBe('a');
  expect(queue.isRunning((key) => key === 'a')).toBe(true);
  expect(queue.isRunning((key) => key === 'b')).toBe(false);
  owned.delete('b');
  expect(await queue.take()).toBe('d');
  queue.done('a');
  queue.done('d');
  expect(queue.idle).toBe(true);
  expect(queue.lanes).toBe(0);
});

it('the queue removes an empty lane', async () => {
  const queue = new WorkQueue(new ManualClock(), { lanes: { laneOf: (key) => key, concurrency: 1 } });
  queue.add('a');
  expect(await queue.take()).toBe('a');
  queue.add('a');
  queue.done('a');
  expect(await queue.take()).toBe('a');
  queue.done('a');
  expect(queue.lanes).toBe(0);
  expect(queue.idle).toBe(true);
});
