import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeKey } from '../key.ts';
import type { Entry } from '../store.ts';
import { failureCode, key, type OpenStore, put, range, remove, storesOf } from './suite-store.ts';

export function listingSection(open: OpenStore): void {
  const newStore = storesOf(open);
  const names = (entries: readonly Entry[]) => entries.map((entry) => entry.key.segments.join('/'));

  describe('list', () => {
    it('returns the entries of the range in the byte order of their keys', async () => {
      const store = await newStore();
      const segments = ['b', 'a', 'ab', 'a-', 'a0', 'A', '', 'é', '\uffee', '𝄞', '\u0001'];
      for (const segment of segments) await put(store, key('s', 'objects', segment), segment);
      await put(store, key('s', 'objectsx', 'a'), 'other');
      const { entries } = await store.list(range('s', 'objects'));
      const inByteOrder = [...segments].sort((a, b) =>
        Buffer.compare(Buffer.from(`${a}\u0000`), Buffer.from(`${b}\u0000`)),
      );
      expect(entries.map(({ value }) => value)).toEqual(inByteOrder);
    });

    it('returns the highest revision of the slice, not of the range or the store', async () => {
      const store = await newStore();
      await put(store, key('s', 'a', 'x'), '1');
      await put(store, key('s', 'b', 'x'), '2');
      await put(store, key('t', 'a', 'x'), '3');
      const list = await store.list(range('s', 'a'));
      expect(list.revision).toBe(3);
      expect(list.entries).toEqual([{ key: key('s', 'a', 'x'), value: '1', revision: 2 }]);
    });

    it('pages by limit and after, and counts the remaining entries', async () => {
      const store = await newStore();
      for (const name of ['a', 'b', 'c', 'd', 'e']) await put(store, key('s', 'r', name), name);
      await put(store, key('s', 'q', 'x'), 'before');
      await put(store, key('s', 't', 'x'), 'behind');
      const first = await store.list(range('s', 'r'), { limit: 2 });
      expect([names(first.entries), first.remaining]).toEqual([['r/a', 'r/b'], 3]);
      const second = await store.list(range('s', 'r'), { limit: 2, after: key('s', 'r', 'b') });
      expect([names(second.entries), second.remaining]).toEqual([['r/c', 'r/d'], 1]);
      const third = await store.list(range('s', 'r'), { limit: 2, after: key('s', 'r', 'd') });
      expect([names(third.entries), third.remaining]).toEqual([['r/e'], 0]);
      const exact = await store.list(range('s', 'r'), { limit: 5 });
      expect([exact.entries.length, exact.remaining]).toEqual([5, 0]);
      const none = await store.list(range('s', 'r'), { limit: 0 });
      expect([none.entries, none.remaining]).toEqual([[], 5]);
    });

    it('reports only whether entries remain if the count is not requested', async () => {
      const store = await newStore();
      await store.transact({
        writes: Array.from({ length: 3000 }, (_, n) => ({ key: key('s', `${n}`.padStart(5, '0')), value: `${n}` })),
      });
      const page = await store.list(range('s'), { limit: 2, skipCount: true });
      expect(names(page.entries)).toEqual(['00000', '00001']);
      expect(page.remaining).toBeGreaterThanOrEqual(1);
      const last = await store.list(range('s'), { limit: 2, after: key('s', '02997'), skipCount: true });
      expect([names(last.entries), last.remaining]).toEqual([['02998', '02999'], 0]);
      const then = await store.list(range('s'), { limit: 3000, skipCount: true, atRevision: 3001 });
      expect([then.entries.length, then.remaining]).toEqual([3000, 0]);
    });

    it('accepts an `after` that does not exist or is outside the range', async () => {
      const store = await newStore();
      for (const name of ['a', 'c']) await put(store, key('s', 'r', name), name);
      const namesAfter = async (...segments: string[]) =>
        names((await store.list(range('s', 'r'), { after: key('s', ...segments) })).entries);
      expect(await namesAfter('r', 'b')).toEqual(['r/c']);
      expect(await namesAfter('r', 'a', 'deeper')).toEqual(['r/c']);
      expect(await namesAfter('a')).toEqual(['r/a', 'r/c']);
      expect(await namesAfter('z')).toEqual([]);
    });

    it('lists thousands of entries', async () => {
      const store = await newStore();
      await store.transact({
        writes: Array.from({ length: 3000 }, (_, n) => ({ key: key('s', `${n}`.padStart(5, '0')), value: `${n}` })),
      });
      const { entries } = await store.list(range('s'));
      expect(entries.map(({ value }) => Number(value))).toEqual(Array.from({ length: 3000 }, (_, n) => n));
      const page = await store.list(range('s'), { limit: 1200, after: key('s', '00099') });
      expect([page.entries.length, page.entries.at(-1)?.value, page.remaining]).toEqual([1200, '1299', 1700]);
    });
  });

  describe('list at a revision', () => {
    it('returns the earlier state of rows that were changed, created and removed since', async () => {
      const store = await newStore();
      await put(store, key('s', 'changed'), 'old');
      await put(store, key('s', 'removed'), 'was here');
      const then = await put(store, key('s', 'stays'), 'same');
      await put(store, key('s', 'changed'), 'new');
      await put(store, key('s', 'changed'), 'newer');
      await remove(store, key('s', 'removed'));
      await put(store, key('s', 'a-made'), 'later');
      const list = await store.list(range('s'), { atRevision: then });
      expect(list).toEqual({
        entries: [
          { key: key('s', 'changed'), value: 'old', revision: 2 },
          { key: key('s', 'removed'), value: 'was here', revision: 3 },
          { key: key('s', 'stays'), value: 'same', revision: 4 },
        ],
        revision: then,
        remaining: 0,
      });
    });

    it('pages through one revision during writes', async () => {
      const store = await newStore();
      for (const name of ['a', 'b', 'c', 'd']) await put(store, key('s', name), name);
      const first = await store.list(range('s'), { limit: 2 });
      await remove(store, key('s', 'c'));
      await remove(store, key('s', 'a'));
      await put(store, key('s', 'cc'), 'new');
      await put(store, key('s', 'd'), 'changed');
      const options = { atRevision: first.revision, after: key('s', 'b') };
      const second = await store.list(range('s'), { ...options, limit: 1 });
      expect([second.entries.map(({ value }) => value), second.remaining]).toEqual([['c'], 1]);
      const rest = await store.list(range('s'), options);
      expect(rest.entries.map(({ value }) => value)).toEqual(['c', 'd']);
    });

    it('that only another slice has reached returns the current state', async () => {
      const store = await newStore();
      await put(store, key('s', 'x'), '1');
      const other = await put(store, key('t', 'x'), '1');
      const list = await store.list(range('s'), { atRevision: other });
      expect([list.entries.length, list.revision]).toEqual([1, other]);
    });

    it('that does not exist yet is rejected', async () => {
      const store = await newStore();
      await put(store, key('s', 'x'), '1');
      expect(await failureCode(store.list(range('s'), { atRevision: 3 }))).toBe('FutureRevision');
    });

    it('returns the state at that revision after any writes, page by page', async () => {
      const store = await newStore();
      const write = fc.record({
        name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
        value: fc.option(fc.string({ maxLength: 3, unit: 'grapheme' }), { nil: undefined }),
      });
      let run = 0;
      const property = fc.asyncProperty(
        fc.array(fc.array(write, { maxLength: 4 }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 3 }),
        async (transactions, limit) => {
          const slice = `s${run++}`;
          const states: { revision: number; entries: Entry[] }[] = [];
          const state = new Map<string, Entry>();
          for (const writes of transactions) {
            const revisions = await store.transact({
              writes: writes.map(({ name, value }) => ({ key: key(slice, name), value })),
            });
            writes.forEach(({ name, value }, index) => {
              const revision = revisions[index];
              if (revision === undefined) return;
              if (value === undefined) state.delete(name);
              else state.set(name, { key: key(slice, name), value, revision });
            });
            const entries = [...state.values()].sort((a, b) => (encodeKey(a.key) < encodeKey(b.key) ? -1 : 1));
            states.push({ revision: await store.revision(slice), entries });
          }
          for (const { revision, entries } of states) {
            if (revision === 1) continue;
            expect(await store.list(range(slice), { atRevision: revision })).toEqual({
              entries,
              revision,
              remaining: 0,
            });
            for (let given = 0; given < entries.length; given += limit) {
              const after = entries[given - 1]?.key;
              const page = await store.list(range(slice), { atRevision: revision, limit, ...(after && { after }) });
              const expected = entries.slice(given, given + limit);
              expect(page).toEqual({
                entries: expected,
                revision,
                remaining: entries.length - given - expected.length,
              });
            }
          }
        },
      );
      await fc.assert(property, { numRuns: 25 });
    }, 60_000);
  });
}
