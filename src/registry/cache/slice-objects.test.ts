import { describe, expect, it } from 'vitest';
import { openMemoryStore } from '../../store/memory.ts';
import type { Change, Observer, Store } from '../../store/store.ts';
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
import { SliceObjects } from './slice-objects.ts';

const put = (store: Store, resource: string, name: string, value = name) =>
  store.transact({ writes: [{ key: objectRowKey(testSlice, resource, 'a', name), value }] });

function recorder() {
  const seen: string[] = [];
  const observer: Observer = {
    changes: (changes: readonly Change[]) =>
      seen.push(...changes.map(({ key, revision }) => `${key.segments[3]}@${revision}`)),
    ended: () => seen.push('ended'),
  };
  return { seen, observer };
}

describe('SliceObjects', () => {
  it('each kind gets its own rows and the later changes', async () => {
    const store = openMemoryStore();
    await put(store, 'things', 'one');
    await put(store, 'thingsandmore', 'two');
    const objects = await SliceObjects.open(store, testSlice);
    const rows = objects.rowsOf('things');
    expect(rows?.entries.map(({ value }) => value)).toEqual(['one']);
    expect(rows?.revision).toBe(3);
    const { seen, observer } = recorder();
    const stop = rows?.observe(observer);
    await put(store, 'thingsandmore', 'three');
    await put(store, 'things', 'four');
    expect(seen).toEqual(['four@5']);
    expect(objects.rowsOf('nothing-yet')?.entries).toEqual([]);
    stop?.();
    await put(store, 'things', 'five');
    expect(seen).toEqual(['four@5']);
  });

  it('a kind must read from the store if the held rows are outdated', async () => {
    const store = openMemoryStore();
    const objects = await SliceObjects.open(store, testSlice);
    await put(store, 'changed', 'one');
    expect(objects.rowsOf('changed')).toBeUndefined();
    objects.rowsOf('taken')?.observe(recorder().observer);
    expect(objects.rowsOf('taken')).toBeUndefined();
    objects.release();
    expect(objects.rowsOf('late')).toBeUndefined();
  });

  it('the end of the slice is reported to every kind, and nothing after close', async () => {
    const store = openMemoryStore();
    const objects = await SliceObjects.open(store, testSlice);
    const [one, other] = [recorder(), recorder()];
    objects.rowsOf('one')?.observe(one.observer);
    objects.rowsOf('other')?.observe(other.observer);
    await store.removePrefix({ slice: testSlice, prefix: [] });
    expect([one.seen, other.seen]).toEqual([['ended'], ['ended']]);
    const again = await SliceObjects.open(store, testSlice);
    const late = recorder();
    again.rowsOf('one')?.observe(late.observer);
    again.close();
    await put(store, 'one', 'x');
    expect(late.seen).toEqual([]);
  });

  it('a kind opened from held rows does not query the store and has the same result', async () => {
    const store = openMemoryStore();
    const before = await openWidgets({}, { store });
    await before.kind.verbs.create(callerContext(), newWidget('w1'), testWriteOptions);
    const shared = await SliceObjects.open(store, testSlice);
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
