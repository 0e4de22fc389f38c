import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BoundedQueue } from './bounded-queue.ts';

describe('BoundedQueue', () => {
  it('gives items in the order they came', async () => {
    const queue = new BoundedQueue<number>(10);
    for (const item of [1, 2, 3]) queue.push(item);
    expect([await queue.next(), await queue.next(), await queue.next()]).toEqual([1, 2, 3]);
  });

  it('wakes a reader that waits', async () => {
    const queue = new BoundedQueue<string>(1);
    const waiting = queue.next();
    queue.push('a');
    expect(await waiting).toBe('a');
  });

  it('refuses what is beyond its capacity and takes again once there is room', async () => {
    const queue = new BoundedQueue<number>(2);
    expect([queue.push(1), queue.push(2), queue.push(3)]).toEqual([true, true, false]);
    await queue.next();
    expect(queue.push(4)).toBe(true);
    expect([await queue.next(), await queue.next()]).toEqual([2, 4]);
  });

  it('refuses what would make it too heavy, but takes any one item when it is empty', async () => {
    const queue = new BoundedQueue<number>(10, { most: 10, weightOf: (item) => item });
    expect([queue.push(6), queue.push(4), queue.push(1)]).toEqual([true, true, false]);
    await queue.next();
    expect([queue.push(6), queue.push(1)]).toEqual([true, false]);
    expect([await queue.next(), await queue.next()]).toEqual([4, 6]);
    expect([queue.push(99), queue.push(0)]).toEqual([true, false]);
  });

  it('gives what is inside after its end, then nothing', async () => {
    const queue = new BoundedQueue<number>(2);
    queue.push(1);
    queue.end();
    expect(queue.push(2)).toBe(false);
    expect([await queue.next(), await queue.next()]).toEqual([1, undefined]);
  });

  it('forgets everything when dropped, also for a reader that waits', async () => {
    const queue = new BoundedQueue<number>(2);
    const waiting = queue.next();
    queue.drop();
    expect(await waiting).toBeUndefined();
    const full = new BoundedQueue<number>(2);
    full.push(1);
    full.drop();
    expect(await full.next()).toBeUndefined();
  });

  it('behaves like a list that is cut off at the capacity, whatever is pushed and taken', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.boolean(), { maxLength: 60 }),
        async (size, steps) => {
          const queue = new BoundedQueue<number>(size);
          const model: number[] = [];
          for (const [index, push] of steps.entries()) {
            if (push) {
              expect(queue.push(index)).toBe(model.length < size);
              if (model.length < size) model.push(index);
            } else if (model.length > 0) {
              expect(await queue.next()).toBe(model.shift());
            }
            expect(queue.length).toBe(model.length);
          }
        },
      ),
    );
  });
});
