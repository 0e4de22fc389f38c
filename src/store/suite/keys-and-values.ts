import { describe, expect, it } from 'vitest';
import { type DumpRow, maxTransactionChecks, maxTransactionWrites, maxUnloggedChecks } from '../store.ts';
import {
  collectAsync,
  historyOf,
  type OpenStore,
  putMany,
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
    it('of a slice without writes are 1', async () => {
      const store = await newStore();
      expect(await store.revision('a')).toBe(1);
      expect(await store.list(storeRange('a'))).toEqual({ entries: [], revision: 1, remaining: 0 });
    });

    it('increase with each logged write, also within a transaction', async () => {
      const store = await newStore();
      const first = await putValue(store, storeKey('a', 'x'), '1');
      const other = await putValue(store, storeKey('b', 'x'), '1');
      const [y = 0, z = 0] = await store.transact({
        writes: ['y', 'z'].map((name) => ({ key: storeKey('a', name), value: '' })),
      });
      expect(first).toBeGreaterThan(1);
      expect(other).toBeGreaterThan(first);
      expect(y).toBeGreaterThan(other);
      expect(z).toBeGreaterThan(y);
      expect(await store.revision('a')).toBe(z);
      expect(await store.revision('b')).toBe(other);
    });

    it('are never assigned twice to concurrent writes', async () => {
      const store = await newStore();
      const given = await Promise.all(
        Array.from({ length: 100 }, (_, n) => putValue(store, storeKey(`s${n % 3}`, `${n}`), `${n}`)),
      );
      expect(new Set(given).size).toBe(100);
      expect(Math.min(...given)).toBeGreaterThan(1);
    });

    it('are not taken by the removal of an absent key', async () => {
      const store = await newStore();
      expect(await store.transact({ writes: [{ key: storeKey('a', 'x'), value: undefined }] })).toEqual([undefined]);
      expect(await store.revision('a')).toBe(1);
      const put = await putValue(store, storeKey('a', 'x'), '1');
      expect(await store.transact({ writes: [{ key: storeKey('a', 'y'), value: undefined }] })).toEqual([undefined]);
      expect(await store.revision('a')).toBe(put);
    });

    it('are assigned to removals of present keys beside removals of absent ones', async () => {
      const store = await newStore();
      for (const name of ['b', 'd']) await putValue(store, storeKey('a', name), name);
      const revisions = await store.transact({
        writes: ['a', 'b', 'c', 'd', 'e'].map((name) => ({ key: storeKey('a', name), value: undefined })),
      });
      expect(revisions.map((revision) => revision !== undefined)).toEqual([false, true, false, true, false]);
      const since = (await historyOf(store, storeRange('a'), 1))[1]?.revision ?? 0;
      expect((await historyOf(store, storeRange('a'), since)).map(({ revision }) => revision)).toEqual(
        revisions.filter((revision) => revision !== undefined),
      );
    });
  });

  describe('atomic: a transaction', () => {
    it('writes and removes several keys atomically', async () => {
      const store = await newStore();
      const old = await putValue(store, storeKey('a', 'old'), 'o');
      const [, revision] = await store.transact({
        checks: [
          { key: storeKey('a', 'old'), revision: old },
          { key: storeKey('a', 'new'), revision: undefined },
        ],
        writes: [
          { key: storeKey('a', 'old'), value: undefined },
          { key: storeKey('a', 'new'), value: 'n' },
        ],
      });
      expect(await store.get(storeKey('a', 'old'))).toBeUndefined();
      expect(await store.get(storeKey('a', 'new'))).toEqual({ key: storeKey('a', 'new'), value: 'n', revision });
    });

    it.each([
      ['a present key is expected to be absent', () => undefined],
      ['the revision of a slice without writes is expected', () => 1],
      ['another revision is expected', (current: number) => current - 1],
      ['a later revision is expected', (current: number) => current + 1],
      ['a much later revision is expected', (current: number) => current + 1000],
    ])('does nothing when %s', async (_, expected) => {
      const store = await newStore();
      const current = await putValue(store, storeKey('a', 'x'), '1');
      const revision = expected(current);
      const error = await storeErrorOf(
        store.transact({
          checks: [
            { key: storeKey('a', 'x'), revision: current },
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
      expect(await store.revision('a')).toBe(current);
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
      expect((await store.get(storeKey('a', 'x')))?.revision).toBe(await store.revision('a'));
      expect(await historyOf(store, storeRange('a'), 1)).toHaveLength(1);
    });

    it('sees earlier transactions of the same process, even if they are not acknowledged yet', async () => {
      const store = await newStore();
      const first = putValue(store, storeKey('a', 'x'), '1');
      const second = store.transact({
        checks: [{ key: storeKey('a', 'x'), revision: undefined }],
        writes: [{ key: storeKey('a', 'x'), value: '2' }],
      });
      expect(await storeErrorCodeOf(second)).toBe('CheckFailed');
      expect(await store.get(storeKey('a', 'x'))).toEqual({
        key: storeKey('a', 'x'),
        value: '1',
        revision: await first,
      });
      const third = putValue(store, storeKey('a', 'x'), '3');
      const fourth = putValue(store, storeKey('a', 'x'), '4');
      expect(await fourth).toBeGreaterThan(await third);
      expect((await store.get(storeKey('a', 'x')))?.value).toBe('4');
    });

    it('is rejected if it writes a logged row twice; of several unlogged writes of a row, the last counts', async () => {
      const store = await newStore();
      const twice = (unlogged: boolean) => ['1', '2'].map((value) => ({ key: storeKey('a', 'x'), value, unlogged }));
      expect(await storeErrorCodeOf(store.transact({ writes: twice(false) }))).toBe('InvalidKey');
      expect(await store.get(storeKey('a', 'x'))).toBeUndefined();
      await store.transact({ writes: twice(true) });
      expect((await store.get(storeKey('a', 'x')))?.value).toBe('2');
    });

    it('can have as many writes and checks as the contract allows', async () => {
      const store = await newStore();
      const keys = Array.from({ length: maxTransactionWrites }, (_, n) => storeKey(`slice ${n}`, 'x'));
      const absent = Array.from({ length: maxTransactionChecks }, (_, n) => ({
        key: storeKey(`slice ${n}`, 'y'),
        revision: undefined,
      }));
      const revisions = await store.transact({ checks: absent, writes: keys.map((key) => ({ key, value: 'v' })) });
      expect(new Set(revisions).size).toBe(maxTransactionWrites);
      const reversed = [...keys.entries()].reverse();
      await store.transact({
        checks: reversed.slice(0, maxTransactionChecks).map(([index, key]) => ({ key, revision: revisions[index] })),
        writes: keys.map((key) => ({ key, value: undefined })),
      });
      for (const key of keys) expect(await store.get(key)).toBeUndefined();
    });

    it('can also check as many of its unlogged rows as the contract allows', async () => {
      const store = await newStore();
      const logged = Array.from({ length: maxTransactionWrites - maxUnloggedChecks }, (_, n) => storeKey(`l${n}`, 'x'));
      const unlogged = Array.from({ length: maxUnloggedChecks }, (_, n) => storeKey(`u${n}`, 'x'));
      await store.transact({
        checks: [...logged.slice(0, maxTransactionChecks), ...unlogged].map((key) => ({ key, revision: undefined })),
        writes: [
          ...logged.map((key) => ({ key, value: 'v' })),
          ...unlogged.map((key) => ({ key, value: 'v', unlogged: true })),
        ],
      });
      const entries = await Promise.all(
        [...logged.slice(0, maxTransactionChecks), ...unlogged].map((key) => store.get(key)),
      );
      await store.transact({
        checks: entries.map((entry, index) => ({
          key: entry?.key ?? storeKey(`${index}`),
          revision: entry?.revision ?? 0,
        })),
        writes: [
          ...logged.map((key) => ({ key, value: undefined })),
          ...unlogged.map((key) => ({ key, value: undefined, unlogged: true })),
        ],
      });
      for (const key of [...logged, ...unlogged]) expect(await store.get(key)).toBeUndefined();
    });

    it('stores any text unchanged', async () => {
      const store = await newStore();
      const values = ['', ' ', '\u0000', '12 34', '-', 'ä€𝄞\n', 'x'.repeat(100_000)];
      for (const value of values) {
        const before = await store.revision('a');
        await putValue(store, storeKey('a', 'x'), value);
        expect((await store.get(storeKey('a', 'x')))?.value).toBe(value);
        expect((await historyOf(store, storeRange('a'), before)).map((change) => change.value)).toEqual([value]);
      }
      expect((await historyOf(store, storeRange('a'), 1)).map(({ previous }) => previous?.value)).toEqual([
        undefined,
        ...values.slice(0, -1),
      ]);
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
      const [index, object] = await store.transact({ writes });
      expect(index).toBeUndefined();
      expect((await store.get(storeKey('a', 'index')))?.value).toBe('i');
      expect(seen).toHaveLength(1);
      expect(await historyOf(store, storeRange('a'), 1)).toHaveLength(1);

      await store.transact({ writes: [{ key: storeKey('a', 'index'), value: undefined, unlogged: true }] });
      expect(await store.get(storeKey('a', 'index'))).toBeUndefined();
      expect(await store.revision('a')).toBe(object);
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
      const last = await putValue(store, storeKey('s', 'inn', 'x'), 'x');
      await store.removePrefix(storeRange('s', 'in'));
      expect((await store.list(storeRange('s'))).entries.map(({ value }) => value)).toEqual(['x']);
      const removals = await historyOf(store, storeRange('s'), last);
      expect(removals.map(({ value, previous }) => [value, previous?.value])).toEqual([
        [undefined, 'a'],
        [undefined, 'b'],
        [undefined, 'c'],
      ]);
      const revisions = removals.map(({ revision }) => revision);
      expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
      expect(await store.revision('s')).toBe(revisions.at(-1));
    });

    it('removes thousands of keys', async () => {
      const store = await newStore();
      const keys = Array.from({ length: 2500 }, (_, n) => storeKey('s', 'in', `${n}`));
      const last = (await putMany(store, keys)).at(-1) ?? 0;
      await store.removePrefix(storeRange('s', 'in'));
      expect((await store.list(storeRange('s'))).entries).toEqual([]);
      expect(await historyOf(store, storeRange('s'), last)).toHaveLength(2500);
    });

    it('with an empty prefix removes the slice: rows, history, revision and observers', async () => {
      const store = await newStore();
      for (let n = 0; n < 3; n++) await putValue(store, storeKey('gone', `${n}`), 'x');
      await store.transact({ writes: [{ key: storeKey('gone', 'quiet'), value: 'q', unlogged: true }] });
      const last = await putValue(store, storeKey('gone!', 'x'), 'stays');
      const ends: string[] = [];
      const stay: string[] = [];
      await store.observe(storeRange('gone', '1'), last, { changes() {}, ended: (error) => ends.push(error.code) });
      await store.observe(storeRange('gone!'), last, { changes() {}, ended: (error) => stay.push(error.code) });

      await store.removePrefix(storeRange('gone'));
      expect(ends).toEqual(['SliceRemoved']);
      expect(stay).toEqual([]);
      expect(await store.list(storeRange('gone'))).toEqual({ entries: [], revision: 1, remaining: 0 });
      expect(await historyOf(store, storeRange('gone'), 1)).toEqual([]);
      expect((await store.list(storeRange('gone!'))).entries.map(({ value }) => value)).toEqual(['stays']);
      expect(await putValue(store, storeKey('gone!', 'x'), 'later')).toBeGreaterThan(last);
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
      expect(await writing).toBeGreaterThan(1);
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
        historyOf(store, storeRange('a'), 1),
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
      const a = await putValue(store, storeKey('a', 'y'), '2');
      await store.transact({ writes: [{ key: storeKey('a', 'q'), value: '3', unlogged: true }] });
      const quiet = (await store.get(storeKey('a', 'q')))?.revision;
      const b = await removeKey(store, storeKey('b', 'x'));
      const rows: DumpRow[] = [];
      for await (const row of store.dump()) {
        rows.push(row);
        await putValue(store, storeKey('a', 'z'), 'later');
      }
      const [head, ...others] = rows;
      expect(head).toMatchObject({ row: 'head', identity: store.identity });
      expect(head?.row === 'head' && head.revision >= b).toBe(true);
      expect(others).toMatchObject([
        { row: 'slice', slice: 'a', revision: a },
        { row: 'slice', slice: 'b', revision: b },
        { row: 'entry', key: storeKey('a', 'q'), value: '3', revision: quiet },
        { row: 'entry', key: storeKey('a', 'y'), value: '2', revision: a },
      ]);
      expect(others.filter((row) => row.row === 'entry' && row.key.segments[0] === 'y' && row.unlogged)).toEqual([]);
    });
  });
}
