import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BoundedQueue } from './bounded-queue.ts';

const taken = <T>(queue: BoundedQueue<T>, count: number) => Array.from({ length: count }, () => queue.take());

describe('BoundedQueue', () => {
  it('returns items in the order of arrival', () => {
    const queue = new BoundedQueue<number>(10);
    for (const item of [1, 2, 3]) queue.push(item);
    expect(taken(queue, 4)).toEqual([1, 2, 3, undefined]);
  });

  it('calls onChange when an item is added and when it ends', () => {
    const lengths: string[] = [];
    const queue: BoundedQueue<string> = new BoundedQueue<string>(1, {
      onChange: () => lengths.push(`${queue.length} ${queue.ended}`),
    });
    queue.push('a');
    queue.push('too much');
    queue.end();
    queue.end();
    queue.drop();
    expect(lengths).toEqual(['1 false', '1 true', '0 true']);
  });

  it('rejects items beyond its capacity and accepts them again once there is space', () => {
    const queue = new BoundedQueue<number>(2);
    expect([queue.push(1), queue.push(2), queue.push(3)]).toEqual([true, true, false]);
    queue.take();
    expect(queue.push(4)).toBe(true);
    expect(taken(queue, 2)).toEqual([2, 4]);
  });

  it('rejects items beyond its weight limit, but accepts any single item when it is empty', () => {
    const queue = new BoundedQueue<number>(10, { limit: { max: 10, weightOf: (item) => item } });
    expect([queue.push(6), queue.push(4), queue.push(1)]).toEqual([true, true, false]);
    queue.take();
    expect([queue.push(6), queue.push(1)]).toEqual([true, false]);
    expect(taken(queue, 2)).toEqual([4, 6]);
    expect([queue.push(99), queue.push(0)]).toEqual([true, false]);
  });

  it('returns the remaining items after its end, then nothing', () => {
    const queue = new BoundedQueue<number>(2);
    queue.push(1);
    queue.end();
    expect(queue.push(2)).toBe(false);
    expect(taken(queue, 2)).toEqual([1, undefined]);
  });

  it('discards all items when dropped', () => {
    const full = new BoundedQueue<number>(2);
    full.push(1);
    full.drop();
    expect(full.take()).toBeUndefined();
    expect(full.ended).toBe(true);
  });

  it('behaves like a list that is limited to the capacity, for any sequence of operations', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.array(fc.boolean(), { maxLength: 120, size: 'max' }),
        (size, steps) => {
          const queue = new BoundedQueue<number>(size);
          const model: number[] = [];
          for (const [index, push] of steps.entries()) {
            if (push) {
              expect(queue.push(index)).toBe(model.length < size);
              if (model.length < size) model.push(index);
            } else {
              expect(queue.take()).toBe(model.shift());
            }
            expect(queue.length).toBe(model.length);
          }
        },
      ),
    );
  });
});
