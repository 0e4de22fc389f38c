import { expect, test } from 'vitest';
import { type BulkItemState, runForEach } from './run-for-each.ts';

const items = Array.from({ length: 10 }, (_, index) => ({ key: `k${index}` }));

test('each item gets its own outcome, and a failure does not stop the others', async () => {
  const outcomes = new Map<string, BulkItemState>();
  let running = 0;
  let most = 0;
  await runForEach(
    items,
    async ({ key }) => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      if (key === 'k3') throw new Error('no');
    },
    { concurrency: 3, signal: new AbortController().signal, onOutcome: (key, outcome) => outcomes.set(key, outcome) },
  );
  expect(most).toBe(3);
  expect(outcomes.get('k3')).toEqual({ state: 'failed', error: new Error('no') });
  expect([...outcomes.values()].filter(({ state }) => state === 'done')).toHaveLength(9);
});

test('items not yet started when the signal aborts are skipped', async () => {
  const given = new AbortController();
  const begun: string[] = [];
  await runForEach(
    items,
    async ({ key }) => {
      begun.push(key);
      if (begun.length === 2) given.abort();
    },
    { concurrency: 1, signal: given.signal, onOutcome: () => {} },
  );
  expect(begun).toEqual(['k0', 'k1']);
});
