import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Semaphore } from './semaphore.ts';

const never = new AbortController().signal;
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('waiting callers get slots in order of arrival, each one once', async () => {
  const slots = new Semaphore(1, 10);
  const leave = await slots.acquire(never);
  const order: number[] = [];
  const waiting = [1, 2, 3].map(async (number) => {
    const done = await slots.acquire(never);
    order.push(number);
    return done;
  });
  await settled();
  expect(order).toEqual([]);
  leave();
  leave();
  await settled();
  expect(order).toEqual([1]);
  (await waiting[0])?.();
  (await waiting[1])?.();
  (await waiting[2])?.();
  expect(order).toEqual([1, 2, 3]);
});

test('a caller that aborts leaves the queue, and the slot goes to the next one', async () => {
  const slots = new Semaphore(1, 2);
  const leave = await slots.acquire(never);
  const ending = new AbortController();
  const first = slots.acquire(ending.signal);
  const second = slots.acquire(never);
  expect(slots.isFull).toBe(true);
  ending.abort(new Error('enough'));
  await expect(first).rejects.toThrow('enough');
  expect(slots.isFull).toBe(false);
  leave();
  (await second)();
  await expect(slots.acquire(ending.signal)).rejects.toThrow('enough');
});

test('the number of holders never exceeds the limit, and every caller gets a slot', async () => {
  const action = fc.constantFrom('come', 'leave', 'give up');
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(action, { maxLength: 60 }), async (most, actions) => {
      const slots = new Semaphore(most, 100);
      const inside: (() => void)[] = [];
      let outside: AbortController[] = [];
      for (const step of actions) {
        if (step === 'come') {
          const ending = new AbortController();
          outside.push(ending);
          void slots.acquire(ending.signal).then(
            (leave) => {
              outside = outside.filter((each) => each !== ending);
              inside.push(leave);
            },
            () => {},
          );
        } else if (step === 'leave') inside.shift()?.();
        else outside.shift()?.abort();
        await settled();
        expect(inside.length).toBeLessThanOrEqual(most);
        if (outside.length > 0) expect(inside.length).toBe(most);
      }
    }),
    { numRuns: 40 },
  );
});
