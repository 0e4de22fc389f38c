import { expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { WorkQueue } from './work-queue.ts';

const exact = { firstMilliseconds: 100, longestMilliseconds: 1_000, random: () => 1 };

it('holds a key once, however often it is added', async () => {
  const queue = new WorkQueue(new ManualClock());
  for (let i = 0; i < 10; i += 1) queue.add('a');
  expect(await queue.take()).toBe('a');
  queue.done('a');
  expect(queue.idle).toBe(true);
});

it('runs a key again after it is done when it was added meanwhile, and never twice at a time', async () => {
  const queue = new WorkQueue(new ManualClock());
  queue.add('a');
  expect(await queue.take()).toBe('a');
  queue.add('a');
  queue.add('b');
  expect(await queue.take()).toBe('b');
  queue.done('a');
  expect(await queue.take()).toBe('a');
});

it('wakes every waiting worker when there is work for all of them', async () => {
  const queue = new WorkQueue(new ManualClock());
  const workers = [queue.take(), queue.take(), queue.take()];
  queue.add('a');
  queue.add('b');
  queue.add('c');
  expect((await Promise.all(workers)).sort()).toEqual(['a', 'b', 'c']);
});

it('waits longer with each failure and starts over after a success', async () => {
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

it('lets an add take the place of a wait', async () => {
  const clock = new ManualClock();
  const queue = new WorkQueue(clock);
  queue.addAfter('a', 60_000);
  queue.add('a');
  expect(await queue.take()).toBe('a');
  queue.done('a');
  clock.advance(60_000);
  expect(queue.idle).toBe(true);
});

it('gives waiting workers undefined when it is closed', async () => {
  const queue = new WorkQueue(new ManualClock());
  const workers = [queue.take(), queue.take()];
  queue.close();
  expect(await Promise.all(workers)).toEqual([undefined, undefined]);
  queue.add('late');
  expect(await queue.take()).toBeUndefined();
});

it('lets no lane take more than its share, and has the others take turns', async () => {
  const queue = new WorkQueue(new ManualClock(), { lanes: { of: (key) => key[0] ?? '', atATime: 2 } });
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
  // A lane that never comes back holds up nobody else.
  queue.done('b1');
  expect(await next).toBe('b3');
  expect(queue.lanes).toBe(2);
});

it('forgets a lane in which nothing is left', async () => {
  const queue = new WorkQueue(new ManualClock(), { lanes: { of: (key) => key, atATime: 1 } });
  queue.add('a');
  expect(await queue.take()).toBe('a');
  queue.add('a');
  queue.done('a');
  expect(await queue.take()).toBe('a');
  queue.done('a');
  expect(queue.lanes).toBe(0);
  expect(queue.idle).toBe(true);
});
