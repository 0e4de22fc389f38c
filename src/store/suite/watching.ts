import { describe, expect, it } from 'vitest';
import type { Change } from '../store.ts';
import { ChangeRecorder } from './recorder.ts';
import { type OpenStore, putValue, removeKey, storeKey, storeOpener, storeRange } from './suite-store.ts';

export function watchingTests(open: OpenStore): void {
  const newStore = storeOpener(open);

  describe('observe', () => {
    it('reports each change with its previous value, before the writer is notified', async () => {
      const store = await newStore();
      const recorder = new ChangeRecorder();
      await store.observe(storeRange('s'), 1, recorder);
      await putValue(store, storeKey('s', 'x'), '1');
      expect(recorder.changesSeen).toEqual([{ revision: 2, key: storeKey('s', 'x'), value: '1' }]);
      await putValue(store, storeKey('s', 'x'), '2');
      await removeKey(store, storeKey('s', 'x'));
      expect(recorder.changesSeen.slice(1)).toEqual([
        { revision: 3, key: storeKey('s', 'x'), value: '2', previous: { value: '1', revision: 2 } },
        { revision: 4, key: storeKey('s', 'x'), previous: { value: '2', revision: 3 } },
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
      await store.observe(storeRange('s'), 3, recorder);
      for (const value of ['2', '3', '4']) await putValue(store, storeKey('s', 'x'), value);
      expect(recorder.summary).toEqual(['x=4']);
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
          { key: storeKey('s', 'in'), value: '1' },
          { key: storeKey('s', 'in'), value: '2' },
        ],
      });
      await Promise.all(writes);
      expect(recorder.summary).toEqual(['in=1', 'in=2', 'out=1', 'out=2']);
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
      await Promise.all(Array.from({ length: 200 }, (_, n) => putValue(store, storeKey('s', `${n % 7}`), `${n}`)));
      expect(recorder.revisions).toEqual(Array.from({ length: 200 }, (_, n) => n + 2));
    });

    it('that start during writes miss no change and get none twice, from any revision', async () => {
      const store = await newStore();
      const recorders: { since: number; recorder: ChangeRecorder }[] = [];
      let writing = true;
      const observing = (async () => {
        for (let since = 1; writing || since < 60; since = (since % 60) + 7) {
          const recorder = new ChangeRecorder();
          recorders.push({ since, recorder });
          await store.observe(storeRange('s'), since, recorder);
        }
      })();
      for (let round = 0; round < 30; round++) {
        await Promise.all(Array.from({ length: 10 }, (_, n) => putValue(store, storeKey('s', `${n}`), `${round}`)));
      }
      writing = false;
      await observing;
      await putValue(store, storeKey('s', 'last'), '');
      const all = await store.history(storeRange('s'), 1);
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
      await store.transact({
        writes: Array.from({ length: 5000 }, (_, n) => ({ key: storeKey('s', `${n % 10}`), value: `${n}` })),
      });
      const recorder = new ChangeRecorder();
      await store.observe(storeRange('s'), 1000, recorder);
      expect(recorder.revisions).toEqual(Array.from({ length: 4001 }, (_, n) => n + 1001));
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
      await Promise.all(writes);
      expect(await store.revision('s')).toBe(51);
    });

    it('is not behind the result of an earlier list or get', async () => {
      const store = await newStore();
      const writes = (async () => {
        for (let n = 0; n < 50; n++) await putValue(store, storeKey('s', 'x'), `${n}`);
      })();
      for (let shown = 1; shown < 51; ) {
        shown = (await store.list(storeRange('s'))).revision;
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
      for (const name of ['a', 'b', 'a', 'b', 'a']) await putValue(store, storeKey('s', name), name);
      const revisions = async (...from: [since: number, to?: number]) =>
        (await store.history(storeRange('s', 'a'), ...from)).map(({ revision }) => revision);
      expect(await revisions(1)).toEqual([2, 4, 6]);
      expect(await revisions(2)).toEqual([4, 6]);
      expect(await revisions(2, 4)).toEqual([4]);
      expect(await revisions(3, 3)).toEqual([]);
      expect(await revisions(6)).toEqual([]);
      expect(await revisions(99)).toEqual([]);
      expect(await revisions(0, 2)).toEqual([2]);
    });
  });
}
