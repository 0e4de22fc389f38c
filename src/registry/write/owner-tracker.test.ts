import { expect, it } from 'vitest';
import { openMemoryStore } from '../../store/memory.ts';
import { dependentKey } from '../rows/rows.ts';
import { OwnerTracker } from './owner-tracker.ts';

it('the store is queried once if no object has an owner, and per uid otherwise (OWNER-05)', async () => {
  const store = openMemoryStore();
  let lists = 0;
  const counted = Object.create(store, {
    list: {
      value: (...args: Parameters<typeof store.list>) => {
        lists += 1;
        return store.list(...args);
      },
    },
  }) as typeof store;
  const owners = new OwnerTracker();
  for (const uid of ['a', 'b', 'c']) expect(await owners.hasDependents(counted, 'plane', uid)).toBe(false);
  expect(lists).toBe(1);
  owners.markOwned();
  const key = dependentKey('plane', 'a', { resource: 'configmaps', namespace: 'x', name: 'y' });
  await store.transact({ writes: [{ key, value: 'uid', unlogged: true }] });
  expect(await owners.hasDependents(counted, 'plane', 'a')).toBe(true);
  expect(await owners.hasDependents(counted, 'plane', 'b')).toBe(false);
  expect(await new OwnerTracker().hasDependents(store, 'plane', 'a')).toBe(true);
  expect(await new OwnerTracker().hasDependents(store, 'other', 'a')).toBe(false);
  await store.close();
});
