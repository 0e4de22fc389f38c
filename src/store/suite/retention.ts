import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { compactionInterval } from '../embedded/compactor.ts';
import type { Store } from '../store.ts';
import { ChangeRecorder } from './recorder.ts';
import {
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

export function retentionTests(
  open: OpenStore,
  { keepsNewestChanges }: { readonly keepsNewestChanges: boolean },
): void {
  const newStore = storeOpener(open);
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => `${n}`);

  /** Writes the values to one row, one after the other. Returns the revisions. */
  async function putValues(store: Store, values: readonly string[]): Promise<number[]> {
    const revisions: number[] = [];
    for (const value of values) revisions.push(await putValue(store, storeKey('s', 'x'), value));
    return revisions;
  }

  describe('expired: after compaction', () => {
    it('an older revision is rejected, and the error names the oldest one available', async () => {
      const store = await newStore();
      const [first = 0, second = 0] = await putValues(store, ['1', '2', '3', '4']);
      await store.compact('s', second);
      for (const call of [
        () => historyOf(store, storeRange('s'), first),
        () => store.observe(storeRange('s'), first, new ChangeRecorder()),
        () => store.list(storeRange('s'), { atRevision: first }),
      ]) {
        expect(await storeErrorOf(call())).toMatchObject({ code: 'Expired', detail: second });
      }
    });

    it('the retained history is still available', async () => {
      const store = await newStore();
      const [, second = 0, third, fourth] = await putValues(store, ['1', '2', '3', '4']);
      await store.compact('s', second);
      const history = await historyOf(store, storeRange('s'), second);
      expect(history.map(({ revision }) => revision)).toEqual([third, fourth]);
      const recorder = new ChangeRecorder();
      await store.observe(storeRange('s'), second, recorder);
      expect(recorder.summary).toEqual(['x=3', 'x=4']);
      expect((await store.list(storeRange('s'), { atRevision: second })).entries).toEqual([
        { key: storeKey('s', 'x'), value: '2', revision: second },
      ]);
      expect((await store.list(storeRange('s'))).entries).toEqual([
        { key: storeKey('s', 'x'), value: '4', revision: fourth },
      ]);
    });

    it('the last revision of an unchanged slice never expires', async () => {
      const store = await newStore();
      const last = await putValue(store, storeKey('quiet', 'x'), '1');
      for (let n = 0; n < 5; n++) await putValue(store, storeKey('busy', 'x'), `${n}`);
      await store.compact('quiet', Number.MAX_SAFE_INTEGER);
      await store.compact('busy', Number.MAX_SAFE_INTEGER);
      const recorder = new ChangeRecorder();
      await store.observe(storeRange('quiet'), last, recorder);
      expect((await store.list(storeRange('quiet'), { atRevision: last })).entries).toHaveLength(1);
      await putValue(store, storeKey('quiet', 'x'), '2');
      expect(recorder.summary).toEqual(['x=2']);
    });

    it('other slices keep their history', async () => {
      const store = await newStore();
      await putValue(store, storeKey('a', 'x'), '1');
      const last = await putValue(store, storeKey('ab', 'x'), '1');
      await store.compact('a', last);
      expect(await historyOf(store, storeRange('ab'), 1)).toHaveLength(1);
      expect(await storeErrorCodeOf(historyOf(store, storeRange('a'), 1))).toBe('Expired');
    });

    it('live observers are not affected', async () => {
      const store = await newStore();
      const recorder = new ChangeRecorder();
      await store.observe(storeRange('s'), 1, recorder);
      await store.compact('s', await putValue(store, storeKey('s', 'x'), '1'));
      await removeKey(store, storeKey('s', 'x'));
      expect(recorder.summary).toEqual(['x=1', 'x-']);
    });

    it('the floor never moves back, also after thousands of changes', async () => {
      const store = await newStore();
      const keys = Array.from({ length: 3000 }, (_, n) => storeKey('s', `${n}`));
      const revisions = await putMany(store, keys);
      const [early = 0, before = 0, floor = 0] = [revisions[9], revisions[2498], revisions[2499]];
      await store.compact('s', floor);
      await store.compact('s', early);
      expect((await historyOf(store, storeRange('s'), floor)).length).toBe(500);
      expect(await storeErrorOf(historyOf(store, storeRange('s'), before))).toMatchObject({ detail: floor });
      await store.compact('never-written', 10);
      expect(await historyOf(store, storeRange('never-written'), 1)).toEqual([]);
    });
  });

  describe('retention: the store', () => {
    const retention = { ageMilliseconds: 60_000, changes: 10 };

    /** Lets time pass until the store's periodic compaction has removed the history up to `floor`. */
    async function untilCompacted(store: Store, clock: ManualClock, floor: number): Promise<void> {
      const oldest = () => {
        clock.advance(compactionInterval);
        return historyOf(store, storeRange('s'), 0).then(
          () => 0,
          (error) => error.detail,
        );
      };
      await expect.poll(oldest, { timeout: 30_000, interval: 20 }).toBeGreaterThanOrEqual(floor);
    }

    it('removes changes that are older than the age and not among the newest', async () => {
      const clock = new ManualClock();
      const store = await newStore({ clock, retention });
      const old = await putValues(store, numbers(15));
      clock.advance(retention.ageMilliseconds);
      const young = await putValues(store, numbers(10));
      await untilCompacted(store, clock, old.at(-1) ?? 0);
      const history = await historyOf(store, storeRange('s'), old.at(-1) ?? 0);
      expect(history.map(({ revision }) => revision)).toEqual(young);
    });

    if (keepsNewestChanges) {
      it('keeps the newest changes of a slice at any age', async () => {
        const clock = new ManualClock();
        const store = await newStore({ clock, retention });
        const revisions = await putValues(store, numbers(25));
        await untilCompacted(store, clock, revisions[14] ?? 0);
        const history = await historyOf(store, storeRange('s'), revisions[14] ?? 0);
        expect(history.map(({ revision }) => revision)).toEqual(revisions.slice(15));
      });
    }

    it.each([3_600_000, -3_600_000])(
      'removes changes neither sooner nor later if the clock is set by %i ms',
      async (by) => {
        const clock = new ManualClock();
        const store = await newStore({ clock, retention });
        const revisions = await putValues(store, numbers(25));
        clock.setWall(by);
        clock.advance(compactionInterval);
        for (let tick = 0; tick < 20; tick++) await store.list(storeRange('s'));
        expect(await historyOf(store, storeRange('s'), 1)).toHaveLength(25);
        clock.advance(retention.ageMilliseconds);
        for (let tick = 0; tick < 20; tick++) await store.list(storeRange('s'));
        await untilCompacted(store, clock, revisions[14] ?? 0);
        expect(clock.elapsed()).toBeLessThan(3_600_000);
      },
    );

    it('keeps all changes that are younger than the age', async () => {
      const clock = new ManualClock();
      const store = await newStore({ clock, retention });
      const old = await putValues(store, numbers(15));
      clock.advance(retention.ageMilliseconds);
      const young = await putValues(store, numbers(15));
      for (let waited = 0; waited < retention.ageMilliseconds - 1 - compactionInterval; waited += compactionInterval) {
        clock.advance(compactionInterval);
        for (let tick = 0; tick < 20; tick++) await store.list(storeRange('s'));
      }
      const { code, detail = 0 } = await storeErrorOf(historyOf(store, storeRange('s'), 0));
      expect(code).toBe('Expired');
      expect(detail).toBeGreaterThanOrEqual(old.at(-1) ?? 0);
      expect(detail).toBeLessThan(young[0] ?? 0);
      const history = await historyOf(store, storeRange('s'), old.at(-1) ?? 0);
      expect(history.map(({ revision }) => revision)).toEqual(young);
    });
  });
}
