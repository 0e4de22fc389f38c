import { describe, expect, it } from 'vitest';
import type { Change } from '../store.ts';
import { ChangeRecorder } from './recorder.ts';
import {
  historyOf,
  type OpenStore,
  putMany,
  putValue,
  removeKey,
  storeKey,
  storeOpener,
  storeRange,
} from './suite-store.ts';

export function watchingTests(open: OpenStore): void {
  const newStore = storeOpener(open);

  describe('observe', () => {
    it('reports each change with its previous value, before the writer is notified', async () => {
      const store = await newStore();
      const recorder = new ChangeRecorder();
      await store.observe(storeRange('s'), 1, recorder);
      const first = await putValue(store, storeKey('s', 'x'), '1');
      expect(recorder.changesSeen).toEqual([{ revision: first, key: storeKey('s', 'x'), value: '1' }]);
      const second = await putValue(store, storeKey('s', 'x'), '2');
      const third = await removeKey(store, storeKey('s', 'x'));
      expect(recorder.changesSeen.slice(1)).toEqual([
        { revision: second, key: storeKey('s', 'x'), value: '2', previous: { value: '1', revision: first } },
        { revision: third, key: storeKey('s', 'x'), previous: { value: '2', revision: second } },
      ]);
    });

    it('reports only changes in the range', async () => {
      const store = await newStore();
      const recorder = new ChangeRecorder();
      await store.observe(storeRange('s', 'a'), 1, recorder);
      for (const at of [
        storeKey('s', 'a', 'x'),
        storeKey('s', 'ab', 'x'),
        storeKey('s', 'b', 'a'),
        storeKey('t', 'a', 'x'),
        storeKey('s', 'a'),
      ])
        await putValue(store, at, '');
      expect(recorder.summary).toEqual(['a/x=', 'a=']);
    });

    it('reports nothing after it was ended', async () => {
      const store = await newStore();
      const recorder = new ChangeRecorder();
      const stop = await store.observe(storeRange('s'), 1, recorder);
      await putValue(store, storeKey('s', 'x'), '1');
      stop();
      await putValue(store, storeKey('s', 'x'), '2');
      expect(recorder.summary).toEqual(['x=1']);
      await store.close();
      expect(recorder.end).toBeUndefined();
    });

    it('skips changes up to a `since` in the future', async () => {
      const store = await newStore();
      const recorder = new ChangeRecorder();
      const since = (await putValue(store, storeKey('s', 'x'), 'first')) + 200;
      await store.observe(storeRange('s'), since, recorder);
      let revision = 0;
      while (revision <= since) revision = await putValue(store, storeKey('s', 'x'), `${revision}`);
      expect(recorder.revisions).toEqual([revision]);
    });

    it('lets an observer write: that change is reported after the ones being reported', async () => {
      const store = await newStore();
      const writes: Promise<unknown>[] = [];
      const echo = (changes: readonly Change[]) => {
        for (const { key: from, value } of changes) {
          if (from.segments[0] === 'in') writes.push(putValue(store, storeKey('s', 'out'), value ?? ''));
        }
      };
      const recorder = new ChangeRecorder();
      await store.observe(storeRange('s'), 1, { changes: echo, ended() {} });
      await store.observe(storeRange('s'), 1, recorder);
      await store.transact({
        writes: [
          { key: storeKey('s', 'in', 'a'), value: '1' },
          { key: storeKey('s', 'in', 'b'), value: '2' },
        ],
      });
      await Promise.all(writes);
      expect(recorder.summary).toEqual(['in/a=1', 'in/b=2', 'out=1', 'out=2']);
    });

    it('isolates the writer and other observers from an observer that throws', async () => {
      const store = await newStore();
      const recorder = new ChangeRecorder();
      const faulty = {
        changes() {
          throw new Error('faulty');
        },
        ended() {},
      };
      await store.observe(storeRange('s'), 1, faulty);
      await store.observe(storeRange('s'), 1, recorder);
      await putValue(store, storeKey('s', 'x'), '1');
      expect(recorder.summary).toEqual(['x=1']);
    });
  });

  describe('ordered, reliable, resumable: observers', () => {
    it('receive every change once and in order during concurrent writes', async () => {
      const store = await newStore();
      const recorder = new ChangeRecorder();
      await store.observe(storeRange('s'), 1, recorder);
      const revisions = await Promise.all(
        Array.from({ length: 200 }, (_, n) => putValue(store, storeKey('s', `${n % 7}`), `${n}`)),
      );
      expect(recorder.revisions).toEqual([...revisions].sort((a, b) => a - b));
    });

    it('that start during writes miss no change and get none twice, from any revision', async () => {
      const store = await newStore();
      const recorders: { since: number; recorder: ChangeRecorder }[] = [];
      let writing = true;
      const known: number[] = [1];
      const observing = (async () => {
        // Limits the steps, because on a slow disk far more observers than writes would start.
        for (let step = 0; (writing && step < 300) || step < 10; step++) {
          const recorder = new ChangeRecorder();
          const since = known[(step * 7) % known.length] ?? 1;
          recorders.push({ since, recorder });
          await store.observe(storeRange('s'), since, recorder);
          await new Promise(setImmediate);
        }
      })();
      for (let round = 0; round < 30; round++) {
        const put = (_: unknown, n: number) => putValue(store, storeKey('s', `${n}`), `${round}`);
        known.push(...(await Promise.all(Array.from({ length: 10 }, put))));
      }
      writing = false;
      await observing;
      await putValue(store, storeKey('s', 'last'), '');
      const all = await historyOf(store, storeRange('s'), 1);
      expect(all).toHaveLength(301);
      expect(recorders.length).toBeGreaterThan(5);
      for (const { since, recorder } of recorders)
        expect(recorder.changesSeen).toEqual(all.filter(({ revision }) => revision > since));
    });

    it('resume from every revision that they have received', async () => {
      const store = await newStore();
      const recorder = new ChangeRecorder();
      await store.observe(storeRange('s', 'a'), 1, recorder);
      for (let n = 0; n < 12; n++) {
        await store.transact({
          writes: [
            { key: storeKey('s', 'a', `${n % 3}`), value: n % 4 === 3 ? undefined : `${n}` },
            { key: storeKey('s', 'b', 'x'), value: `${n}` },
          ],
        });
      }
      for (const since of [1, ...recorder.revisions]) {
        const resumed = new ChangeRecorder();
        const stop = await store.observe(storeRange('s', 'a'), since, resumed);
        expect(resumed.changesSeen).toEqual(recorder.changesSeen.filter(({ revision }) => revision > since));
        stop();
      }
    });

    it('receive thousands of changes from history', async () => {
      const store = await newStore();
      const keys = Array.from({ length: 5000 }, (_, n) => storeKey('s', `${n % 200}`));
      const revisions = await putMany(store, keys);
      const recorder = new ChangeRecorder();
      await store.observe(storeRange('s'), revisions[999] ?? 0, recorder);
      expect(recorder.revisions).toEqual(revisions.slice(1000));
    });
  });

  describe('bookmarkable: revision', () => {
    it('is that of the last write, and observers have received everything up to it', async () => {
      const store = await newStore();
      const recorder = new ChangeRecorder();
      await store.observe(storeRange('s'), 1, recorder);
      const writes = Array.from({ length: 50 }, (_, n) => putValue(store, storeKey('s', `${n}`), ''));
      while (recorder.changesSeen.length < 50) {
        const revision = await store.revision('s');
        expect(recorder.revisions.at(-1) ?? 1).toBeGreaterThanOrEqual(revision);
        await new Promise(setImmediate);
      }
      const revisions = await Promise.all(writes);
      expect(await store.revision('s')).toBe(Math.max(...revisions));
    });

    it('is not behind the result of an earlier list or get', async () => {
      const store = await newStore();
      const writes = (async () => {
        for (let n = 0; n < 50; n++) await putValue(store, storeKey('s', 'x'), `${n}`);
      })();
      for (let shown = 1, value = ''; value !== '49'; ) {
        const list = await store.list(storeRange('s'));
        shown = list.revision;
        value = list.entries[0]?.value ?? '';
        expect(await store.revision('s')).toBeGreaterThanOrEqual(shown);
        const entry = await store.get(storeKey('s', 'x'));
        expect(await store.revision('s')).toBeGreaterThanOrEqual(entry?.revision ?? 1);
      }
      await writes;
    });

    it('of a list is where a watch can continue', async () => {
      const store = await newStore();
      let writing = true;
      const writes = (async () => {
        for (let n = 0; n < 60; n++) await putValue(store, storeKey('s', `${n % 5}`), `${n}`);
        writing = false;
      })();
      const caches: { state: Map<string, string> }[] = [];
      while (writing) {
        const { entries, revision } = await store.list(storeRange('s'));
        const state = new Map(entries.map((entry) => [entry.key.segments.join(), entry.value]));
        caches.push({ state });
        const changes = (seen: readonly Change[]) => {
          for (const change of seen) state.set(change.key.segments.join(), change.value ?? '');
        };
        await store.observe(storeRange('s'), revision, { changes, ended() {} });
      }
      await writes;
      const { entries } = await store.list(storeRange('s'));
      const truth = new Map(entries.map((entry) => [entry.key.segments.join(), entry.value]));
      for (const { state } of caches) expect(state).toEqual(truth);
    });
  });

  describe('history', () => {
    it('returns the changes of the range after one revision up to another', async () => {
      const store = await newStore();
      const written: number[] = [];
      for (const name of ['a', 'b', 'a', 'b', 'a']) written.push(await putValue(store, storeKey('s', name), name));
      const [a1 = 0, b1 = 0, a2 = 0, , a3 = 0] = written;
      const revisions = async (...from: [since: number, to?: number]) =>
        (await historyOf(store, storeRange('s', 'a'), ...from)).map(({ revision }) => revision);
      expect(await revisions(1)).toEqual([a1, a2, a3]);
      expect(await revisions(a1)).toEqual([a2, a3]);
      expect(await revisions(a1, a2)).toEqual([a2]);
      expect(await revisions(b1, b1)).toEqual([]);
      expect(await revisions(a3)).toEqual([]);
      expect(await revisions(a3 + 1_000_000)).toEqual([]);
      expect(await revisions(0, a1)).toEqual([a1]);
    });
  });
}
