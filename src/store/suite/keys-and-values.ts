import { describe, expect, it } from 'vitest';
import { collect, failure, failureCode, key, type OpenStore, put, range, remove, storesOf } from './suite-store.ts';

export function keysAndValuesSection(open: OpenStore): void {
  const newStore = storesOf(open);

  describe('unique: revisions', () => {
    it('start at 1, before any write', async () => {
      const store = await newStore();
      expect(await store.revision('a')).toBe(1);
      expect(await store.list(range('a'))).toEqual({ entries: [], revision: 1, remaining: 0 });
    });

    it('come from one counter for all slices, and each logged write takes the next number', async () => {
      const store = await newStore();
      expect(await put(store, key('a', 'x'), '1')).toBe(2);
      expect(await put(store, key('b', 'x'), '1')).toBe(3);
      expect(await store.transact({ writes: ['y', 'z'].map((name) => ({ key: key('a', name), value: '' })) })).toEqual([
        4, 5,
      ]);
      expect(await store.revision('a')).toBe(5);
      expect(await store.revision('b')).toBe(3);
    });

    it('are never assigned twice to concurrent writes', async () => {
      const store = await newStore();
      const given = await Promise.all(
        Array.from({ length: 100 }, (_, n) => put(store, key(`s${n % 3}`, `${n}`), `${n}`)),
      );
      expect([...given].sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => n + 2));
    });

    it('are not taken by the removal of an absent key', async () => {
      const store = await newStore();
      expect(await store.transact({ writes: [{ key: key('a', 'x'), value: undefined }] })).toEqual([undefined]);
      expect(await store.revision('a')).toBe(1);
      expect(await put(store, key('a', 'x'), '1')).toBe(2);
    });
  });

  describe('atomic: a transaction', () => {
    it('writes and removes several keys atomically', async () => {
      const store = await newStore();
      await put(store, key('a', 'old'), 'o');
      await store.transact({
        checks: [
          { key: key('a', 'old'), revision: 2 },
          { key: key('a', 'new'), revision: undefined },
        ],
        writes: [
          { key: key('a', 'old'), value: undefined },
          { key: key('a', 'new'), value: 'n' },
        ],
      });
      expect(await store.get(key('a', 'old'))).toBeUndefined();
      expect(await store.get(key('a', 'new'))).toEqual({ key: key('a', 'new'), value: 'n', revision: 4 });
    });

    it.each([
      ['a present key is expected to be absent', undefined],
      ['another revision is expected', 1],
      ['a later revision is expected', 3],
    ])('does nothing when %s', async (_, revision) => {
      const store = await newStore();
      await put(store, key('a', 'x'), '1');
      const error = await failure(
        store.transact({
          checks: [
            { key: key('a', 'x'), revision: 2 },
            { key: key('a', 'x'), revision },
          ],
          writes: [
            { key: key('a', 'y'), value: '2' },
            { key: key('b', 'y'), value: '2', unlogged: true },
          ],
        }),
      );
      expect(error).toMatchObject({ code: 'CheckFailed', detail: 1 });
      expect(await store.get(key('a', 'y'))).toBeUndefined();
      expect(await store.get(key('b', 'y'))).toBeUndefined();
      expect(await store.revision('a')).toBe(2);
    });

    it('fails when an absent key is expected to be present', async () => {
      const store = await newStore();
      expect(await failureCode(store.transact({ checks: [{ key: key('a', 'x'), revision: 1 }], writes: [] }))).toBe(
        'CheckFailed',
      );
    });

    it('succeeds for exactly one of many concurrent callers with the same check', async () => {
      const store = await newStore();
      const attempts = Array.from({ length: 50 }, (_, n) =>
        store.transact({
          checks: [{ key: key('a', 'x'), revision: undefined }],
          writes: [{ key: key('a', 'x'), value: `${n}` }],
        }),
      );
      const outcomes = await Promise.allSettled(attempts);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect((await store.get(key('a', 'x')))?.revision).toBe(2);
      expect(await store.revision('a')).toBe(2);
    });

    it('sees earlier transactions, even if both wait for the same flush', async () => {
      const store = await newStore();
      const first = put(store, key('a', 'x'), '1');
      const second = store.transact({
        checks: [{ key: key('a', 'x'), revision: 2 }],
        writes: [{ key: key('a', 'x'), value: '2' }],
      });
      expect(await first).toBe(2);
      expect(await second).toEqual([3]);
      expect(await store.history(range('a'), 2)).toEqual([
        { revision: 3, key: key('a', 'x'), value: '2', previous: { value: '1', revision: 2 } },
      ]);
    });

    it('writes one key several times in the given order', async () => {
      const store = await newStore();
      await store.transact({ writes: ['1', '2', undefined].map((value) => ({ key: key('a', 'x'), value })) });
      expect(await store.get(key('a', 'x'))).toBeUndefined();
      expect((await store.history(range('a'), 1)).map(({ value }) => value)).toEqual(['1', '2', undefined]);
    });

    it('stores any text unchanged', async () => {
      const store = await newStore();
      const values = ['', ' ', '\u0000', '12 34', '-', 'ä€𝄞\n', 'x'.repeat(100_000)];
      for (const [index, value] of values.entries()) {
        await put(store, key('a', 'x'), value);
        expect((await store.get(key('a', 'x')))?.value).toBe(value);
        expect((await store.history(range('a'), index + 1)).map((change) => change.value)).toEqual([value]);
      }
      expect((await store.history(range('a'), 2)).map(({ previous }) => previous?.value)).toEqual(values.slice(0, -1));
    });

    it('rejects ambiguous keys, and writes nothing', async () => {
      const store = await newStore();
      for (const bad of [key('a', 'x\u0000'), key('a\u0000', 'x'), key('a'), key('a', '\ud800')]) {
        const writes = [
          { key: key('a', 'good'), value: '1' },
          { key: bad, value: '1' },
        ];
        expect(await failureCode(store.transact({ writes }))).toBe('InvalidKey');
        expect(await failureCode(store.get(bad))).toBe('InvalidKey');
      }
      expect(await store.revision('a')).toBe(1);
    });
  });

  describe('unlogged rows', () => {
    it('are written with the transaction, take no revision, have no history and reach no observer', async () => {
      const store = await newStore();
      const seen: unknown[] = [];
      await store.observe(range('a'), 1, { changes: (changes) => seen.push(...changes), ended() {} });
      const writes = [
        { key: key('a', 'index'), value: 'i', unlogged: true },
        { key: key('a', 'object'), value: 'o' },
      ];
      expect(await store.transact({ writes })).toEqual([undefined, 2]);
      expect((await store.get(key('a', 'index')))?.value).toBe('i');
      expect(seen).toHaveLength(1);
      expect(await store.history(range('a'), 1)).toHaveLength(1);

      await store.transact({ writes: [{ key: key('a', 'index'), value: undefined, unlogged: true }] });
      expect(await store.get(key('a', 'index'))).toBeUndefined();
      expect(await store.revision('a')).toBe(2);
      expect(seen).toHaveLength(1);
    });

    it('can be checked for presence and absence', async () => {
      const store = await newStore();
      const claim = key('a', 'claim');
      const absent = {
        checks: [{ key: claim, revision: undefined }],
        writes: [{ key: claim, value: '', unlogged: true }],
      };
      await store.transact(absent);
      expect(await failureCode(store.transact(absent))).toBe('CheckFailed');
      const revision = (await store.get(claim))?.revision;
      await store.transact({
        checks: [{ key: claim, revision }],
        writes: [{ key: claim, value: undefined, unlogged: true }],
      });
      await store.transact(absent);
    });

    it('appear in lists', async () => {
      const store = await newStore();
      await store.transact({ writes: [{ key: key('a', 'index'), value: 'i', unlogged: true }] });
      const { entries, revision } = await store.list(range('a'));
      expect(entries.map(({ value }) => value)).toEqual(['i']);
      expect(revision).toBe(1);
    });
  });

  describe('removePrefix', () => {
    it('logs a removal for each key of the range and keeps the others', async () => {
      const store = await newStore();
      for (const name of ['a', 'b', 'c']) await put(store, key('s', 'in', name), name);
      await put(store, key('s', 'inn', 'x'), 'x');
      await store.removePrefix(range('s', 'in'));
      expect((await store.list(range('s'))).entries.map(({ value }) => value)).toEqual(['x']);
      expect(
        (await store.history(range('s'), 5)).map(({ revision, value, previous }) => [revision, value, previous?.value]),
      ).toEqual([
        [6, undefined, 'a'],
        [7, undefined, 'b'],
        [8, undefined, 'c'],
      ]);
    });

    it('removes thousands of keys', async () => {
      const store = await newStore();
      await store.transact({
        writes: Array.from({ length: 2500 }, (_, n) => ({ key: key('s', 'in', `${n}`), value: '' })),
      });
      await store.removePrefix(range('s', 'in'));
      expect((await store.list(range('s'))).entries).toEqual([]);
      expect(await store.revision('s')).toBe(5001);
    });

    it('with an empty prefix removes the slice: rows, history, revision and observers', async () => {
      const store = await newStore();
      for (let n = 0; n < 3; n++) await put(store, key('gone', `${n}`), 'x');
      await store.transact({ writes: [{ key: key('gone', 'quiet'), value: 'q', unlogged: true }] });
      await put(store, key('gone!', 'x'), 'stays');
      const ends: string[] = [];
      const stay: string[] = [];
      await store.observe(range('gone', '1'), 5, { changes() {}, ended: (error) => ends.push(error.code) });
      await store.observe(range('gone!'), 5, { changes() {}, ended: (error) => stay.push(error.code) });

      await store.removePrefix(range('gone'));
      expect(ends).toEqual(['Closed']);
      expect(stay).toEqual([]);
      expect(await store.list(range('gone'))).toEqual({ entries: [], revision: 1, remaining: 0 });
      expect(await store.history(range('gone'), 1)).toEqual([]);
      expect((await store.list(range('gone!'))).entries.map(({ value }) => value)).toEqual(['stays']);
      expect(await put(store, key('gone!', 'x'), 'later')).toBeGreaterThan(5);
      const rows = await collect(store.dump());
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
      await put(store, key('a', 'x'), '1');
      const ends: string[] = [];
      await store.observe(range('a'), 1, { changes() {}, ended: (error) => ends.push(error.code) });
      const writing = put(store, key('a', 'y'), '2');
      await store.close();
      expect(await writing).toBe(3);
      expect(ends).toEqual(['Closed']);
      const observer = { changes() {}, ended() {} };
      const calls = [
        store.get(key('a', 'x')),
        store.list(range('a')),
        store.transact({ writes: [] }),
        store.removePrefix(range('a', 'x')),
        store.removePrefix(range('a')),
        Promise.resolve(store.revision('a')),
        store.observe(range('a'), 1, observer),
        store.history(range('a'), 1),
        store.compact('a', 2),
        store.assertWritable(),
        collect(store.dump()),
      ];
      for (const call of calls) expect(await failureCode(call)).toBe('Closed');
      await store.close();
    });
  });

  describe('dump', () => {
    it('returns a consistent snapshot in order during concurrent writes', async () => {
      const store = await newStore();
      await put(store, key('b', 'x'), '1');
      await put(store, key('a', 'y'), '2');
      await store.transact({ writes: [{ key: key('a', 'q'), value: '3', unlogged: true }] });
      await remove(store, key('b', 'x'));
      const rows = [];
      for await (const row of store.dump()) {
        rows.push(row);
        await put(store, key('a', 'z'), 'later');
      }
      expect(rows).toEqual([
        { row: 'head', identity: store.identity, revision: 4 },
        { row: 'slice', slice: 'a', revision: 3 },
        { row: 'slice', slice: 'b', revision: 4 },
        { row: 'entry', key: key('a', 'q'), value: '3', revision: 3 },
        { row: 'entry', key: key('a', 'y'), value: '2', revision: 3 },
      ]);
    });
  });
}
