import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { interruptibleStore } from '../../store/interruptible-store.fixture.ts';
import { openMemoryStore } from '../../store/memory.ts';
import type { Change, Store } from '../../store/store.ts';
import { objectRowKey } from '../rows/rows.ts';
import {
  callerContext,
  newWidget,
  openWidgets,
  storeWithOverrides,
  testListOptions,
  testSlice,
  testWriteOptions,
} from '../widgets.fixture.ts';
import type { RowReceiver, RowState } from './missed-changes.ts';
import { SliceObjects } from './slice-objects.ts';

const put = (store: Store, resource: string, name: string, value = name) =>
  store.transact({ writes: [{ key: objectRowKey(testSlice, resource, 'a', name), value }] });

const openObjects = (store: Store) =>
  SliceObjects.open({ store, slice: testSlice, clock: new ManualClock(), log: silentLog });

function recorder() {
  const seen: string[] = [];
  const observer: RowReceiver = {
    changes: (changes: readonly Change[]) =>
      seen.push(...changes.map(({ key, revision }) => `${key.segments[3]}@${revision}`)),
    interrupted: () => seen.push('interrupted'),
    missedChanges: async () => [],
    reloaded: (revision) => seen.push(`reloaded@${revision}`),
    ended: () => seen.push('ended'),
  };
  return { seen, observer };
}

describe('SliceObjects', () => {
  it('each kind gets its own rows and the later changes', async () => {
    const store = openMemoryStore();
    await put(store, 'things', 'one');
    await put(store, 'thingsandmore', 'two');
    const objects = await openObjects(store);
    const rows = objects.rowsOf('things');
    expect(rows?.entries.map(({ value }) => value)).toEqual(['one']);
    expect(rows?.revision).toBe(3);
    const { seen, observer } = recorder();
    const observation = rows?.observe(observer);
    await put(store, 'thingsandmore', 'three');
    await put(store, 'things', 'four');
    expect(seen).toEqual(['four@5']);
    expect(objects.rowsOf('nothing-yet')?.entries).toEqual([]);
    observation?.close();
    await put(store, 'things', 'five');
    expect(seen).toEqual(['four@5']);
  });

  it('a kind must read from the store if the held rows are outdated', async () => {
    const store = openMemoryStore();
    const objects = await openObjects(store);
    await put(store, 'changed', 'one');
    expect(objects.rowsOf('changed')).toBeUndefined();
    objects.rowsOf('taken')?.observe(recorder().observer);
    expect(objects.rowsOf('taken')).toBeUndefined();
    objects.release();
    expect(objects.rowsOf('late')).toBeUndefined();
  });

  it('all kinds are reloaded after lost changes, and rows of kinds that were not open yet are read again', async () => {
    const memory = openMemoryStore();
    await put(memory, 'things', 'one');
    const replica = interruptibleStore(memory);
    const objects = await openObjects(replica.store);
    replica.hold();
    await put(memory, 'things', 'two');
    replica.interrupt();
    expect(objects.rowsOf('things')).toBeUndefined();
    await expect.poll(() => objects.rowsOf('things')?.entries.map(({ value }) => value)).toEqual(['one', 'two']);
    const { seen, observer } = recorder();
    const observation = objects.rowsOf('others')?.observe(observer);
    expect(observation?.recovery).toBeUndefined();
    replica.interrupt();
    expect(seen).toEqual(['interrupted']);
    await observation?.recovery;
    expect(seen).toEqual(['interrupted', 'reloaded@3']);
    expect(observation?.recovery).toBeUndefined();
    await put(memory, 'others', 'three');
    expect(seen).toEqual(['interrupted', 'reloaded@3', 'three@4']);
  });

  it('a kind that is opened after missed changes were delivered is not interrupted', async () => {
    const replica = interruptibleStore(openMemoryStore());
    let observing = () => {};
    const store = storeWithOverrides(replica.store, {
      async observe(...args) {
        observing();
        return await replica.store.observe(...args);
      },
    });
    const objects = await openObjects(store);
    const [early, late] = [recorder(), recorder()];
    objects.rowsOf('early')?.observe(early.observer);
    observing = () => objects.emptyRowsOf('late').observe(late.observer);
    replica.interrupt();
    await expect.poll(() => early.seen).toEqual(['interrupted', 'reloaded@1']);
    observing = () => {};
    await put(replica.store, 'late', 'one');
    await expect.poll(() => late.seen).toEqual(['one@2']);
  });

  it('the end of the slice is reported to every kind, and nothing after close', async () => {
    const store = openMemoryStore();
    const objects = await openObjects(store);
    const [one, other] = [recorder(), recorder()];
    objects.rowsOf('one')?.observe(one.observer);
    objects.rowsOf('other')?.observe(other.observer);
    await store.removePrefix({ slice: testSlice, prefix: [] });
    expect([one.seen, other.seen]).toEqual([['ended'], ['ended']]);
    const again = await openObjects(store);
    const late = recorder();
    again.rowsOf('one')?.observe(late.observer);
    again.close();
    await put(store, 'one', 'x');
    expect(late.seen).toEqual([]);
  });

  it('a kind that joins later gets each change once, also those that were made while its rows were read', async () => {
    const store = openMemoryStore();
    await put(store, 'late', 'one');
    let listed = async () => {};
    const slow = storeWithOverrides(store, {
      async list(range, options) {
        const rows = await store.list(range, options);
        await listed();
        return rows;
      },
    });
    const objects = await openObjects(slow);
    objects.release();
    listed = async () => {
      await put(store, 'late', 'two');
      await put(store, 'other', 'three');
    };
    const { seen, observer } = recorder();
    const start = (rows: RowState) => ({ opened: rows.entries.map(({ value }) => value), receiver: observer });
    expect(await objects.join('late', start)).toEqual(['one']);
    await put(store, 'late', 'four');
    expect(seen).toEqual(['two@3', 'four@5']);
  });

  it('a kind that joins does not get changes that its rows already contain', async () => {
    const memory = openMemoryStore();
    const replica = interruptibleStore(memory);
    const objects = await openObjects(replica.store);
    objects.release();
    replica.hold();
    await put(memory, 'late', 'one');
    const { seen, observer } = recorder();
    const start = (rows: RowState) => ({ opened: rows.entries.map(({ value }) => value), receiver: observer });
    expect(await objects.join('late', start)).toEqual(['one']);
    // The store delivers the change before this call returns the revision.
    await replica.store.revision(testSlice);
    await put(memory, 'late', 'two');
    expect(seen).toEqual(['two@3']);
  });

  it('a kind that joins reads its rows again if changes were lost meanwhile, and is reloaded with the others', async () => {
    const memory = openMemoryStore();
    const replica = interruptibleStore(memory);
    let lists = 0;
    const counting = storeWithOverrides(replica.store, {
      async list(range, options) {
        const rows = await replica.store.list(range, options);
        if (++lists === 2) {
          replica.hold();
          await put(memory, 'late', 'one');
          replica.interrupt();
        }
        return rows;
      },
    });
    const objects = await openObjects(counting);
    objects.release();
    const { seen, observer } = recorder();
    const start = (rows: RowState) => ({ opened: rows.entries.map(({ value }) => value), receiver: observer });
    expect(await objects.join('late', start)).toEqual(['one']);
    expect(seen).toEqual([]);
    const before = lists;
    replica.interrupt();
    expect(seen).toEqual(['interrupted']);
    await expect.poll(() => seen).toEqual(['interrupted', 'reloaded@2']);
    // The rows of all kinds were read with one list.
    expect(lists).toBe(before + 1);
  });

  it('a kind cannot join after the plane was closed', async () => {
    const objects = await openObjects(openMemoryStore());
    objects.close();
    const start = () => ({ opened: true, receiver: recorder().observer });
    await expect(objects.join('late', start)).rejects.toMatchObject({ code: 503 });
  });

  it('a kind opened from held rows does not query the store and has the same result', async () => {
    const store = openMemoryStore();
    const before = await openWidgets({}, { store });
    await before.kind.verbs.create(callerContext(), newWidget('w1'), testWriteOptions);
    const shared = await openObjects(store);
    const silent = storeWithOverrides(store, {
      list: () => Promise.reject(new Error('it was read already')),
      observe: () => Promise.reject(new Error('it is observed already')),
    });
    const { kind } = await openWidgets({}, { store: silent, shared });
    await before.kind.verbs.create(callerContext(), newWidget('w2'), testWriteOptions);
    const { items, resourceVersion } = await kind.verbs.list(callerContext(), testListOptions());
    expect([items.map(({ object }) => object.metadata.name), resourceVersion]).toEqual([['w1', 'w2'], '3']);
  });
});
