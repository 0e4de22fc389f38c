import { describe, expect, it } from 'vitest';
import type { Change, Revision, Store } from '../store.ts';
import { historyOf, type OpenStore, putValue, storeKey, storeOpener, storeRange } from './suite-store.ts';

const range = storeRange('s', 'wanted');
const value = 'x'.repeat(1_000);

/**
 * Writes `count` rows in the range and as many outside of it, alternately. Returns the revisions of the rows in the
 * range.
 */
async function writeRows(store: Store, count: number): Promise<Revision[]> {
  const revisions: Revision[] = [];
  for (let number = 0; number < count; number++) {
    await putValue(store, storeKey('s', 'other', `${number}`), value);
    revisions.push(await putValue(store, storeKey('s', 'wanted', `${number}`), value));
  }
  return revisions;
}

export function historyTests(open: OpenStore): void {
  const newStore = storeOpener(open);

  describe('history', () => {
    it('of a limited size continues without gaps, and tells how far it reaches', async () => {
      const store = await newStore();
      const revisions = await writeRows(store, 10);
      const to = revisions[8] ?? 0;
      const parts: (readonly Change[])[] = [];
      for (let at: Revision = 1; at < to; ) {
        const { changes, upTo } = await store.history(range, at, { to, characters: 3_000 });
        expect(upTo).toBeGreaterThan(at);
        for (const { revision } of changes) expect(revision > at && revision <= upTo).toBe(true);
        parts.push(changes);
        at = upTo;
      }
      expect(parts.flat().map(({ revision }) => revision)).toEqual(revisions.slice(0, 9));
      expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(2);
      expect(parts.flat()).toEqual(await historyOf(store, range, 1, to));
    });

    it('has at least one change, even if it is larger than the requested size', async () => {
      const store = await newStore();
      const [first = 0, second = 0] = await writeRows(store, 2);
      const part = await store.history(range, 1, { characters: 1 });
      expect(part.changes.map(({ revision }) => revision)).toEqual([first]);
      const rest = await store.history(range, part.upTo, { to: second, characters: 1 });
      expect(rest).toMatchObject({ changes: [{ revision: second }], upTo: second });
    });

    it('is complete up to the requested revision if nothing in the range has changed', async () => {
      const store = await newStore();
      const last = (await writeRows(store, 3)).at(-1) ?? 0;
      const other = await putValue(store, storeKey('s', 'other', 'last'), value);
      expect(await store.history(range, last, { to: other, characters: 10 })).toEqual({ changes: [], upTo: other });
    });
  });
}
