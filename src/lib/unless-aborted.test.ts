import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { unlessAborted } from './unless-aborted.ts';

test('the first of promise and signal wins, and no listener stays on the signal', async () => {
  const ending = new AbortController();
  expect(await unlessAborted(Promise.resolve(1), ending.signal)).toBe(1);
  await expect(unlessAborted(Promise.reject(new Error('failed')), ending.signal)).rejects.toThrow('failed');
  expect(getEventListeners(ending.signal, 'abort')).toEqual([]);
  const waiting = unlessAborted(new Promise(() => {}), ending.signal);
  ending.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await expect(unlessAborted(Promise.resolve(2), ending.signal)).rejects.toThrow('enough');
});

test('the rejection of work that nobody waits for is not unhandled', async () => {
  // Vitest fails the run if no code handles this rejection.
  const work = Promise.reject(new Error('failed'));
  await expect(unlessAborted(work, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
});
