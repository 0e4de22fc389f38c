import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeKey } from '../key.ts';
import type { Entry } from '../store.ts';
import {
  historyOf,
  type OpenStore,
  putMany,
  putValue,
  removeKey,
  storeErrorCodeOf,
  storeKey,
  storeOpener,
  storeRange,
} from './suite-store.ts';

export function listingTests(open: OpenStore): void {
  const newStore = storeOpener(open);
  const names = (entries: readonly Entry[]) => entries.map((entry) => entry.key.segments.join('/'));

  describe('list', () => {
    it('returns the entries of the range in the byte order of their keys', async () => {
      const store = await newStore();
      const segments = ['b', 'a', 'ab', 'a-', 'a0', 'A', '', 'é', '\uffee', '𝄞', '\u0001'];
      for (const segment of segments) await putValue(store, storeKey('s', 'objects', segment), segment);
      await putValue(store, storeKey('s', 'objectsx', 'a'), 'other');
      const { entries } = await store.list(storeRange('s', 'objects'));
      const inByteOrder = [...segments].sort((a, b) =>
        Buffer.compare(Buffer.from(`${a}\u0000`), Buffer.from(`${b}\u0000`)),
      );
      expect(entries.map(({ value }) => value)).toEqual(inByteOrder);
    });

    it('returns the highest revision of the slice, not of the range or the store', async () => {
      const store = await newStore();
      const first = await putValue(store, storeKey('s', 'a', 'x'), '1');
      const second = await putValue(store, storeKey('s', 'b', 'x'), '2');
      await putValue(store, storeKey('t', 'a', 'x'), '3');
      const list = await store.list(storeRange('s', 'a'));
      expect(list.revision).toBe(second);
      expect(list.entries).toEqual([{ key: storeKey('s', 'a', 'x'), value: '1', revision: first }]);
    });

    it('pages by limit and after, and counts the remaining entries', async () => {
      const store = await newStore();
      for (const name of ['a', 'b', 'c', 'd', 'e']) await putValue(store, storeKey('s', 'r', name), name);
      await putValue(store, storeKey('s', 'q', 'x'), 'before');
      await putValue(store, storeKey('s', 't', 'x'), 'behind');
      const first = await store.list(storeRange('s', 'r'), { limit: 2 });
      expect([names(first.entries), first.remaining]).toEqual([['r/a', 'r/b'], 3]);
      const second = await store.list(storeRange('s', 'r'), { limit: 2, after: storeKey('s', 'r', 'b') });
      expect([names(second.entries), second.remaining]).toEqual([['r/c', 'r/d'], 1]);
      const third = await store.list(storeRange('s', 'r'), { limit: 2, after: storeKey('s', 'r', 'd') });
      expect([names(third.entries), third.remaining]).toEqual([['r/e'], 0]);
      const exact = await store.list(storeRange('s', 'r'), { limit: 5 });
      expect([exact.entries.length, exact.remaining]).toEqual([5, 0]);
      const none = await store.list(storeRange('s', 'r'), { limit: 0 });
      expect([none.entries, none.remaining]).toEqual([[], 5]);
    });

    it('reports only whether entries remain if the count is not requested', async () => {
      const store = await newStore();
      const keys = Array.from({ length: 3000 }, (_, n) => storeKey('s', `${n}`.padStart(5, '0')));
      const written = (await putMany(store, keys, String)).at(-1) ?? 0;
      const page = await store.list(storeRange('s'), { limit: 2, skipCount: true });
      expect(names(page.entries)).toEqual(['00000', '00001']);
      expect(page.remaining).toBeGreaterThanOrEqual(1);
      const last = await store.list(storeRange('s'), { limit: 2, after: storeKey('s', '02997'), skipCount: true });
      expect([names(last.entries), last.remaining]).toEqual([['02998', '02999'], 0]);
      const then = await store.list(storeRange('s'), { limit: 3000, skipCount: true, atRevision: written });
      expect([then.entries.length, then.remaining]).toEqual([3000, 0]);
    });

    it('accepts an `after` that does not exist or is outside the range', async () => {
      const store = await newStore();
      for (const name of ['a', 'c']) await putValue(store, storeKey('s', 'r', name), name);
      const namesAfter = async (...segments: string[]) =>
        names((await store.list(storeRange('s', 'r'), { after: storeKey('s', ...segments) })).entries);
      expect(await namesAfter('r', 'b')).toEqual(['r/c']);
      expect(await namesAfter('r', 'a', 'deeper')).toEqual(['r/c']);
      expect(await namesAfter('a')).toEqual(['r/a', 'r/c']);
      expect(await namesAfter('z')).toEqual([]);
    });

    it('lists thousands of entries', async () => {
      const store = await newStore();
      const keys = Array.from({ length: 3000 }, (_, n) => storeKey('s', `${n}`.padStart(5, '0')));
      await putMany(store, keys, String);
      const { entries } = await store.list(storeRange('s'));
      expect(entries.map(({ value }) => Number(value))).toEqual(Array.from({ length: 3000 }, (_, n) => n));
      const page = await store.list(storeRange('s'), { limit: 1200, after: storeKey('s', '00099') });
      expect([page.entries.length, page.entries.at(-1)?.value, page.remaining]).toEqual([1200, '1299', 1700]);
    });
  });

  describe('list at a revision', () => {
    it('returns the earlier state of rows that were changed, created and removed since', async () => {
      const store = await newStore();
      const changed = await putValue(store, storeKey('s', 'changed'), 'old');
      const removed = await putValue(store, storeKey('s', 'removed'), 'was here');
      const then = await putValue(store, storeKey('s', 'stays'), 'same');
      await putValue(store, storeKey('s', 'changed'), 'new');
      await putValue(store, storeKey('s', 'changed'), 'newer');
      await removeKey(store, storeKey('s', 'removed'));
      await putValue(store, storeKey('s', 'a-made'), 'later');
      const list = await store.list(storeRange('s'), { atRevision: then });
      expect(list).toEqual({
        entries: [
          { key: storeKey('s', 'changed'), value: 'old', revision: changed },
          { key: storeKey('s', 'removed'), value: 'was here', revision: removed },
          { key: storeKey('s', 'stays'), value: 'same', revision: then },
        ],
        revision: then,
        remaining: 0,
      });
    });

    it('pages through one revision during writes', async () => {
      const store = await newStore();
      for (const name of ['a', 'b', 'c', 'd']) await putValue(store, storeKey('s', name), name);
      const first = await store.list(storeRange('s'), { limit: 2 });
      await removeKey(store, storeKey('s', 'c'));
      await removeKey(store, storeKey('s', 'a'));
      await putValue(store, storeKey('s', 'cc'), 'new');
      await putValue(store, storeKey('s', 'd'), 'changed');
      const options = { atRevision: first.revision, after: storeKey('s', 'b') };
      const second = await store.list(storeRange('s'), { ...options, limit: 1 });
      expect([second.entries.map(({ value }) => value), second.remaining]).toEqual([['c'], 1]);
      const rest = await store.list(storeRange('s'), options);
      expect(rest.entries.map(({ value }) => value)).toEqual(['c', 'd']);
    });

    it('that only another slice has reached returns the current state', async () => {
      const store = await newStore();
      await putValue(store, storeKey('s', 'x'), '1');
      const other = await putValue(store, storeKey('t', 'x'), '1');
      const list = await store.list(storeRange('s'), { atRevision: other });
      expect([list.entries.length, list.revision]).toEqual([1, other]);
    });

    it('that does not exist yet is rejected', async () => {
      const store = await newStore();
      const last = await putValue(store, storeKey('s', 'x'), '1');
      const listing = store.list(storeRange('s'), { atRevision: last + 1_000_000 });
      expect(await storeErrorCodeOf(listing)).toBe('FutureRevision');
    });

    it('in the middle of a transaction returns the state after that write', async () => {
      const store = await newStore();
      for (const name of ['b', 'c']) await putValue(store, storeKey('s', name), 'old');
      const [a, b, c] = await store.transact({
        writes: [
          { key: storeKey('s', 'a'), value: 'new' },
          { key: storeKey('s', 'b'), value: undefined },
          { key: storeKey('s', 'c'), value: 'new' },
        ],
      });
      await putValue(store, storeKey('s', 'd'), 'later');
      const state = async (atRevision: number | undefined, limit?: number) => {
        const options = { ...(atRevision && { atRevision }), ...(limit && { limit }) };
        const { entries, remaining } = await store.list(storeRange('s'), options);
        return [entries.map(({ key, value }) => `${key.segments[0]}=${value}`), remaining];
      };
      expect(await state(a)).toEqual([['a=new', 'b=old', 'c=old'], 0]);
      expect(await state(b)).toEqual([['a=new', 'c=old'], 0]);
      expect(await state(c)).toEqual([['a=new', 'c=new'], 0]);
      expect(await state(a, 2)).toEqual([['a=new', 'b=old'], 1]);
      expect((await historyOf(store, storeRange('s'), a ?? 0)).map(({ revision }) => revision).slice(0, 2)).toEqual([
        b,
        c,
      ]);
    });

    it('returns the state at that revision after any writes, page by page', async () => {
      const store = await newStore();
      const write = fc.record({
        name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
        value: fc.option(fc.string({ maxLength: 3, unit: 'grapheme' }), { nil: undefined }),
      });
      let run = 0;
      const property = fc.asyncProperty(
        fc.array(fc.uniqueArray(write, { maxLength: 4, selector: ({ name }) => name }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 3 }),
        async (transactions, limit) => {
          const slice = `s${run++}`;
          const states: { revision: number; entries: Entry[] }[] = [];
          const state = new Map<string, Entry>();
          for (const writes of transactions) {
            const revisions = await store.transact({
              writes: writes.map(({ name, value }) => ({ key: storeKey(slice, name), value })),
            });
            writes.forEach(({ name, value }, index) => {
              const revision = revisions[index];
              if (revision === undefined) return;
              if (value === undefined) state.delete(name);
              else state.set(name, { key: storeKey(slice, name), value, revision });
            });
            const entries = [...state.values()].sort((a, b) => (encodeKey(a.key) < encodeKey(b.key) ? -1 : 1));
            states.push({ revision: await store.revision(slice), entries });
          }
          for (const { revision, entries } of states) {
            if (revision === 1) continue;
            expect(await store.list(storeRange(slice), { atRevision: revision })).toEqual({
              entries,
              revision,
              remaining: 0,
            });
            for (let given = 0; given < entries.length; given += limit) {
              const after = entries[given - 1]?.key;
              const page = await store.list(storeRange(slice), {
                atRevision: revision,
                limit,
                ...(after && { after }),
              });
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
