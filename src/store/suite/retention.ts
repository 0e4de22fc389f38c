import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { compactionInterval } from '../embedded/compactor.ts';
import type { Store } from '../store.ts';
import { ChangeRecorder } from './recorder.ts';
import {
  type OpenStore,
  putValue,
  removeKey,
  storeErrorCodeOf,
  storeErrorOf,
  storeKey,
  storeOpener,
  storeRange,
} from './suite-store.ts';

export function retentionTests(open: OpenStore): void {
  const newStore = storeOpener(open);

  describe('expired: after compaction', () => {
    it('an older revision is rejected, and the error names the oldest one available', async () => {
      const store = await newStore();
      for (const value of ['2', '3', '4', '5']) await putValue(store, storeKey('s', 'x'), value);
      await store.compact('s', 3);
      for (const call of [
        () => store.history(storeRange('s'), 2),
        () => store.observe(storeRange('s'), 2, new ChangeRecorder()),
        () => store.list(storeRange('s'), { atRevision: 2 }),
      ]) {
        expect(await storeErrorOf(call())).toMatchObject({ code: 'Expired', detail: 3 });
      }
    });

    it('the retained history is still available', async () => {
      const store = await newStore();
      for (const value of ['2', '3', '4', '5']) await putValue(store, storeKey('s', 'x'), value);
      await store.compact('s', 3);
      expect((await store.history(storeRange('s'), 3)).map(({ revision }) => revision)).toEqual([4, 5]);
      const recorder = new ChangeRecorder();
      await store.observe(storeRange('s'), 3, recorder);
      expect(recorder.summary).toEqual(['x=4', 'x=5']);
      expect((await store.list(storeRange('s'), { atRevision: 3 })).entries).toEqual([
        { key: storeKey('s', 'x'), value: '3', revision: 3 },
      ]);
      expect((await store.list(storeRange('s'))).entries).toEqual([
        { key: storeKey('s', 'x'), value: '5', revision: 5 },
      ]);
    });

    it('the last revision of an unchanged slice never expires', async () => {
      const store = await newStore();
      const last = await putValue(store, storeKey('quiet', 'x'), '1');
      for (let n = 0; n < 5; n++) await putValue(store, storeKey('busy', 'x'), `${n}`);
      await store.compact('quiet', 1_000_000);
      await store.compact('busy', 1_000_000);
      const recorder = new ChangeRecorder();
      await store.observe(storeRange('quiet'), last, recorder);
      expect((await store.list(storeRange('quiet'), { atRevision: last })).entries).toHaveLength(1);
      await putValue(store, storeKey('quiet', 'x'), '2');
      expect(recorder.summary).toEqual(['x=2']);
    });

    it('other slices keep their history', async () => {
      const store = await newStore();
      await putValue(store, storeKey('a', 'x'), '1');
      await putValue(store, storeKey('ab', 'x'), '1');
      await store.compact('a', 3);
      expect(await store.history(storeRange('ab'), 1)).toHaveLength(1);
      expect(await storeErrorCodeOf(store.history(storeRange('a'), 1))).toBe('Expired');
    });

    it('live observers are not affected', async () => {
      const store = await newStore();
      const recorder = new ChangeRecorder();
      await store.observe(storeRange('s'), 1, recorder);
      await putValue(store, storeKey('s', 'x'), '1');
      await store.compact('s', 2);
      await removeKey(store, storeKey('s', 'x'));
      expect(recorder.summary).toEqual(['x=1', 'x-']);
    });

    it('the floor never moves back, also after thousands of changes', async () => {
      const store = await newStore();
      await store.transact({
        writes: Array.from({ length: 3000 }, (_, n) => ({ key: storeKey('s', `${n}`), value: '' })),
      });
      await store.compact('s', 2500);
      await store.compact('s', 10);
      expect((await store.history(storeRange('s'), 2500)).length).toBe(501);
      expect(await storeErrorOf(store.history(storeRange('s'), 2499))).toMatchObject({ detail: 2500 });
      await store.compact('never-written', 10);
      expect(await store.history(storeRange('never-written'), 1)).toEqual([]);
    });
  });

  describe('retention: the store', () => {
    const retention = { ageMilliseconds: 60_000, changes: 10 };

    /** Lets time pass until the store's periodic compaction has removed the history up to `floor`. */
    async function untilCompacted(store: Store, clock: ManualClock, floor: number): Promise<void> {
      for (let round = 0; round < 1000; round++) {
        clock.advance(compactionInterval);
        await new Promise(setImmediate);
        const oldest = await store.history(storeRange('s'), 0).then(
          () => 0,
          (error) => error.detail,
        );
        if (oldest >= floor) return;
      }
      throw new Error(`the store did not compact up to ${floor}`);
    }

    it('removes changes that are older than the age and not among the newest', async () => {
      const clock = new ManualClock();
      const store = await newStore({ clock, retention });
      for (let n = 0; n < 25; n++) await putValue(store, storeKey('s', 'x'), `${n}`);
      await untilCompacted(store, clock, 16);
      expect((await store.history(storeRange('s'), 16)).map(({ revision }) => revision)).toEqual([
        17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
      ]);
    });

    it.each([3_600_000, -3_600_000])(
      'removes changes neither sooner nor later if the clock is set by %i ms',
      async (by) => {
        const clock = new ManualClock();
        const store = await newStore({ clock, retention });
        for (let n = 0; n < 25; n++) await putValue(store, storeKey('s', 'x'), `${n}`);
        clock.setWall(by);
        clock.advance(compactionInterval);
        for (let tick = 0; tick < 20; tick++) await store.list(storeRange('s'));
        expect(await store.history(storeRange('s'), 1)).toHaveLength(25);
        clock.advance(retention.ageMilliseconds);
        for (let tick = 0; tick < 20; tick++) await store.list(storeRange('s'));
        await untilCompacted(store, clock, 16);
        expect(clock.elapsed()).toBeLessThan(3_600_000);
      },
    );

    it('keeps all changes that are younger than the age', async () => {
      const clock = new ManualClock();
      const store = await newStore({ clock, retention });
      for (let n = 0; n < 15; n++) await putValue(store, storeKey('s', 'x'), `${n}`);
      clock.advance(retention.ageMilliseconds);
      for (let n = 0; n < 15; n++) await putValue(store, storeKey('s', 'x'), `${n}`);
      for (let waited = 0; waited < retention.ageMilliseconds - 1 - compactionInterval; waited += compactionInterval) {
        clock.advance(compactionInterval);
        for (let tick = 0; tick < 20; tick++) await store.list(storeRange('s'));
      }
      expect(await storeErrorOf(store.history(storeRange('s'), 0))).toMatchObject({ code: 'Expired', detail: 16 });
      expect(await store.history(storeRange('s'), 16)).toHaveLength(15);
    });
  });
}
