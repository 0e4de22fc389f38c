import { describe, expect, it } from 'vitest';
import {
  collectAsync,
  type OpenStore,
  putValue,
  removeKey,
  storeErrorCodeOf,
  storeErrorOf,
  storeKey,
  storeOpener,
  storeRange,
} from './suite-store.ts';

export function keysAndValuesTests(open: OpenStore): void {
  const newStore = storeOpener(open);

  describe('unique: revisions', () => {
    it('start at 1, before any write', async () => {
      const store = await newStore();
      expect(await store.revision('a')).toBe(1);
      expect(await store.list(storeRange('a'))).toEqual({ entries: [], revision: 1, remaining: 0 });
    });

    it('come from one counter for all slices, and each logged write takes the next number', async () => {
      const store = await newStore();
      expect(await putValue(store, storeKey('a', 'x'), '1')).toBe(2);
      expect(await putValue(store, storeKey('b', 'x'), '1')).toBe(3);
      expect(
        await store.transact({ writes: ['y', 'z'].map((name) => ({ key: storeKey('a', name), value: '' })) }),
      ).toEqual([4, 5]);
      expect(await store.revision('a')).toBe(5);
      expect(await store.revision('b')).toBe(3);
    });

    it('are never assigned twice to concurrent writes', async () => {
      const store = await newStore();
      const given = await Promise.all(
        Array.from({ length: 100 }, (_, n) => putValue(store, storeKey(`s${n % 3}`, `${n}`), `${n}`)),
      );
      expect([...given].sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => n + 2));
    });

    it('are not taken by the removal of an absent key', async () => {
      const store = await newStore();
      expect(await store.transact({ writes: [{ key: storeKey('a', 'x'), value: undefined }] })).toEqual([undefined]);
      expect(await store.revision('a')).toBe(1);
      expect(await putValue(store, storeKey('a', 'x'), '1')).toBe(2);
    });
  });

  describe('atomic: a transaction', () => {
    it('writes and removes several keys atomically', async () => {
      const store = await newStore();
      await putValue(store, storeKey('a', 'old'), 'o');
      await store.transact({
        checks: [
          { key: storeKey('a', 'old'), revision: 2 },
          { key: storeKey('a', 'new'), revision: undefined },
        ],
        writes: [
          { key: storeKey('a', 'old'), value: undefined },
          { key: storeKey('a', 'new'), value: 'n' },
        ],
      });
      expect(await store.get(storeKey('a', 'old'))).toBeUndefined();
      expect(await store.get(storeKey('a', 'new'))).toEqual({ key: storeKey('a', 'new'), value: 'n', revision: 4 });
    });

    it.each([
      ['a present key is expected to be absent', undefined],
      ['another revision is expected', 1],
      ['a later revision is expected', 3],
    ])('does nothing when %s', async (_, revision) => {
      const store = await newStore();
      await putValue(store, storeKey('a', 'x'), '1');
      const error = await storeErrorOf(
        store.transact({
          checks: [
            { key: storeKey('a', 'x'), revision: 2 },
            { key: storeKey('a', 'x'), revision },
          ],
          writes: [
            { key: storeKey('a', 'y'), value: '2' },
            { key: storeKey('b', 'y'), value: '2', unlogged: true },
          ],
        }),
      );
      expect(error).toMatchObject({ code: 'CheckFailed', detail: 1 });
      expect(await store.get(storeKey('a', 'y'))).toBeUndefined();
      expect(await store.get(storeKey('b', 'y'))).toBeUndefined();
      expect(await store.revision('a')).toBe(2);
    });

    it('fails when an absent key is expected to be present', async () => {
      const store = await newStore();
      expect(
        await storeErrorCodeOf(store.transact({ checks: [{ key: storeKey('a', 'x'), revision: 1 }], writes: [] })),
      ).toBe('CheckFailed');
    });

    it('succeeds for exactly one of many concurrent callers with the same check', async () => {
      const store = await newStore();
      const attempts = Array.from({ length: 50 }, (_, n) =>
        store.transact({
          checks: [{ key: storeKey('a', 'x'), revision: undefined }],
          writes: [{ key: storeKey('a', 'x'), value: `${n}` }],
        }),
      );
      const outcomes = await Promise.allSettled(attempts);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect((await store.get(storeKey('a', 'x')))?.revision).toBe(2);
      expect(await store.revision('a')).toBe(2);
    });

    it('sees earlier transactions, even if both wait for the same flush', async () => {
      const store = await newStore();
      const first = putValue(store, storeKey('a', 'x'), '1');
      const second = store.transact({
        checks: [{ key: storeKey('a', 'x'), revision: 2 }],
        writes: [{ key: storeKey('a', 'x'), value: '2' }],
      });
      expect(await first).toBe(2);
      expect(await second).toEqual([3]);
      expect(await store.history(storeRange('a'), 2)).toEqual([
        { revision: 3, key: storeKey('a', 'x'), value: '2', previous: { value: '1', revision: 2 } },
      ]);
    });

    it('writes one key several times in the given order', async () => {
      const store = await newStore();
      await store.transact({ writes: ['1', '2', undefined].map((value) => ({ key: storeKey('a', 'x'), value })) });
      expect(await store.get(storeKey('a', 'x'))).toBeUndefined();
      expect((await store.history(storeRange('a'), 1)).map(({ value }) => value)).toEqual(['1', '2', undefined]);
    });

    it('stores any text unchanged', async () => {
      const store = await newStore();
      const values = ['', ' ', '\u0000', '12 34', '-', 'ä€𝄞\n', 'x'.repeat(100_000)];
      for (const [index, value] of values.entries()) {
        await putValue(store, storeKey('a', 'x'), value);
        expect((await store.get(storeKey('a', 'x')))?.value).toBe(value);
        expect((await store.history(storeRange('a'), index + 1)).map((change) => change.value)).toEqual([value]);
      }
      expect((await store.history(storeRange('a'), 2)).map(({ previous }) => previous?.value)).toEqual(
        values.slice(0, -1),
      );
    });

    it('rejects ambiguous keys, and writes nothing', async () => {
      const store = await newStore();
      for (const bad of [storeKey('a', 'x\u0000'), storeKey('a\u0000', 'x'), storeKey('a'), storeKey('a', '\ud800')]) {
        const writes = [
          { key: storeKey('a', 'good'), value: '1' },
          { key: bad, value: '1' },
        ];
        expect(await storeErrorCodeOf(store.transact({ writes }))).toBe('InvalidKey');
        expect(await storeErrorCodeOf(store.get(bad))).toBe('InvalidKey');
      }
      expect(await store.revision('a')).toBe(1);
    });
  });

  describe('unlogged rows', () => {
    it('are written with the transaction, take no revision, have no history and reach no observer', async () => {
      const store = await newStore();
      const seen: unknown[] = [];
      await store.observe(storeRange('a'), 1, { changes: (changes) => seen.push(...changes), ended() {} });
      const writes = [
        { key: storeKey('a', 'index'), value: 'i', unlogged: true },
        { key: storeKey('a', 'object'), value: 'o' },
      ];
      expect(await store.transact({ writes })).toEqual([undefined, 2]);
      expect((await store.get(storeKey('a', 'index')))?.value).toBe('i');
      expect(seen).toHaveLength(1);
      expect(await store.history(storeRange('a'), 1)).toHaveLength(1);

      await store.transact({ writes: [{ key: storeKey('a', 'index'), value: undefined, unlogged: true }] });
      expect(await store.get(storeKey('a', 'index'))).toBeUndefined();
      expect(await store.revision('a')).toBe(2);
      expect(seen).toHaveLength(1);
    });

    it('can be checked for presence and absence', async () => {
      const store = await newStore();
      const claim = storeKey('a', 'claim');
      const absent = {
        checks: [{ key: claim, revision: undefined }],
        writes: [{ key: claim, value: '', unlogged: true }],
      };
      await store.transact(absent);
      expect(await storeErrorCodeOf(store.transact(absent))).toBe('CheckFailed');
      const revision = (await store.get(claim))?.revision;
      await store.transact({
        checks: [{ key: claim, revision }],
        writes: [{ key: claim, value: undefined, unlogged: true }],
      });
      await store.transact(absent);
    });

    it('appear in lists', async () => {
      const store = await newStore();
      await store.transact({ writes: [{ key: storeKey('a', 'index'), value: 'i', unlogged: true }] });
      const { entries, revision } = await store.list(storeRange('a'));
      expect(entries.map(({ value }) => value)).toEqual(['i']);
      expect(revision).toBe(1);
    });
  });

  describe('removePrefix', () => {
    it('logs a removal for each key of the range and keeps the others', async () => {
      const store = await newStore();
      for (const name of ['a', 'b', 'c']) await putValue(store, storeKey('s', 'in', name), name);
      await putValue(store, storeKey('s', 'inn', 'x'), 'x');
      await store.removePrefix(storeRange('s', 'in'));
      expect((await store.list(storeRange('s'))).entries.map(({ value }) => value)).toEqual(['x']);
      expect(
        (await store.history(storeRange('s'), 5)).map(({ revision, value, previous }) => [
          revision,
          value,
          previous?.value,
        ]),
      ).toEqual([
        [6, undefined, 'a'],
        [7, undefined, 'b'],
        [8, undefined, 'c'],
      ]);
    });

    it('removes thousands of keys', async () => {
      const store = await newStore();
      await store.transact({
        writes: Array.from({ length: 2500 }, (_, n) => ({ key: storeKey('s', 'in', `${n}`), value: '' })),
      });
      await store.removePrefix(storeRange('s', 'in'));
      expect((await store.list(storeRange('s'))).entries).toEqual([]);
      expect(await store.revision('s')).toBe(5001);
    });

    it('with an empty prefix removes the slice: rows, history, revision and observers', async () => {
      const store = await newStore();
      for (let n = 0; n < 3; n++) await putValue(store, storeKey('gone', `${n}`), 'x');
      await store.transact({ writes: [{ key: storeKey('gone', 'quiet'), value: 'q', unlogged: true }] });
      await putValue(store, storeKey('gone!', 'x'), 'stays');
      const ends: string[] = [];
      const stay: string[] = [];
      await store.observe(storeRange('gone', '1'), 5, { changes() {}, ended: (error) => ends.push(error.code) });
      await store.observe(storeRange('gone!'), 5, { changes() {}, ended: (error) => stay.push(error.code) });

      await store.removePrefix(storeRange('gone'));
      expect(ends).toEqual(['Closed']);
      expect(stay).toEqual([]);
      expect(await store.list(storeRange('gone'))).toEqual({ entries: [], revision: 1, remaining: 0 });
      expect(await store.history(storeRange('gone'), 1)).toEqual([]);
      expect((await store.list(storeRange('gone!'))).entries.map(({ value }) => value)).toEqual(['stays']);
      expect(await putValue(store, storeKey('gone!', 'x'), 'later')).toBeGreaterThan(5);
      const rows = await collectAsync(store.dump());
      expect(rows.filter((row) => row.row === 'slice').map(({ slice }) => slice)).toEqual(['gone!']);
    });
  });

  describe('assertWritable', () => {
    it('resolves without writing a row', async () => {
      const store = await newStore();
      await store.assertWritable();
      expect(await store.revision('s')).toBe(1);
    });
  });

  describe('close', () => {
    it('ends observers, and every later call is rejected', async () => {
      const store = await newStore();
      await putValue(store, storeKey('a', 'x'), '1');
      const ends: string[] = [];
      await store.observe(storeRange('a'), 1, { changes() {}, ended: (error) => ends.push(error.code) });
      const writing = putValue(store, storeKey('a', 'y'), '2');
      await store.close();
      expect(await writing).toBe(3);
      expect(ends).toEqual(['Closed']);
      const observer = { changes() {}, ended() {} };
      const calls = [
        store.get(storeKey('a', 'x')),
        store.list(storeRange('a')),
        store.transact({ writes: [] }),
        store.removePrefix(storeRange('a', 'x')),
        store.removePrefix(storeRange('a')),
        Promise.resolve(store.revision('a')),
        store.observe(storeRange('a'), 1, observer),
        store.history(storeRange('a'), 1),
        store.compact('a', 2),
        store.assertWritable(),
        collectAsync(store.dump()),
      ];
      for (const call of calls) expect(await storeErrorCodeOf(call)).toBe('Closed');
      await store.close();
    });
  });

  describe('dump', () => {
    it('returns a consistent snapshot in order during concurrent writes', async () => {
      const store = await newStore();
      await putValue(store, storeKey('b', 'x'), '1');
      await putValue(store, storeKey('a', 'y'), '2');
      await store.transact({ writes: [{ key: storeKey('a', 'q'), value: '3', unlogged: true }] });
      await removeKey(store, storeKey('b', 'x'));
      const rows = [];
      for await (const row of store.dump()) {
        rows.push(row);
        await putValue(store, storeKey('a', 'z'), 'later');
      }
      expect(rows).toEqual([
        { row: 'head', identity: store.identity, revision: 4 },
        { row: 'slice', slice: 'a', revision: 3 },
        { row: 'slice', slice: 'b', revision: 4 },
        { row: 'entry', key: storeKey('a', 'q'), value: '3', revision: 3 },
        { row: 'entry', key: storeKey('a', 'y'), value: '2', revision: 3 },
      ]);
    });
  });
}
