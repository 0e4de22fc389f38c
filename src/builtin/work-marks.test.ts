import { describe, expect, it } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store.fixture.ts';
import { type MarkingServer, WorkMarks, workMarksSlice } from './work-marks.ts';

const clock = new ManualClock();
const open = (store: Store, server?: MarkingServer) =>
  WorkMarks.open({ store, subject: 'planes', server, clock, log: silentLog });
const rows = async (store: Store) => (await store.list({ slice: workMarksSlice, prefix: [] })).entries.length;

describe('marks of work', () => {
  it('leave no row of work that has ended well', async () => {
    const store = openTestStore({ clock });
    const marks = await open(store);
    marks.begin('a');
    marks.begin('b');
    await marks.close();
    expect(await rows(store)).toBe(2);
    marks.finish('a');
    marks.remove('b');
    await marks.close();
    expect(await rows(store)).toBe(0);
  });

  it('count work that was in progress at each end of the server, until it succeeds', async () => {
    const store = openTestStore({ clock });
    for (const incidents of [0, 1, 2]) {
      const marks = await open(store);
      expect(marks.interrupted).toEqual(incidents === 0 ? [] : ['a']);
      expect(marks.get('a')?.incidents.length ?? 0).toBe(incidents);
      marks.begin('a');
      await marks.close();
    }
    const last = await open(store);
    last.remove('a');
    await last.close();
    expect((await open(store)).get('a')).toBeUndefined();
  });

  it('keep the incidents of work that continues, and why it must not', async () => {
    const store = openTestStore({ clock });
    const marks = await open(store);
    marks.addIncident('a');
    marks.begin('a');
    marks.finish('a');
    marks.addIncident('b', 'takes too long');
    await marks.close();
    const restarted = await open(store);
    expect(restarted.interrupted).toEqual([]);
    expect(restarted.get('a')).toMatchObject({ incidents: [clock.now()], failure: undefined });
    expect(restarted.get('b')?.failure).toBe('takes too long');
  });

  it('do not count the work that another server does now, but that of one that no longer runs', async () => {
    const store = openTestStore({ clock });
    const ofOther = await open(store, { id: 'other', others: async () => ['me'] });
    ofOther.begin('a');
    await ofOther.close();
    expect((await open(store, { id: 'me', others: async () => ['other'] })).interrupted).toEqual([]);
    expect((await open(store, { id: 'me', others: async () => ['third'] })).interrupted).toEqual(['a']);
  });

  it('are removed after a day', async () => {
    const store = openTestStore({ clock });
    const marks = await open(store);
    marks.addIncident('a', 'takes too long');
    await marks.close();
    clock.advance(25 * 60 * 60_000);
    const restarted = await open(store);
    expect(restarted.get('a')).toBeUndefined();
    await restarted.close();
    expect(await rows(store)).toBe(0);
  });

  it('are at most a thousand, without the oldest', async () => {
    const store = openTestStore({ clock });
    const marks = await open(store);
    for (let number = 0; number < 1_001; number++) marks.addIncident(`${number}`);
    await marks.close();
    expect([marks.get('0'), marks.get('1')?.incidents.length]).toEqual([undefined, 1]);
    expect(await rows(store)).toBe(1_000);
  });

  it('do not end the work if they cannot be stored', async () => {
    const store = openTestStore({ clock });
    const marks = await open(store);
    await store.close();
    marks.begin('a');
    await marks.close();
    expect(marks.get('a')).toBeDefined();
  });
});
