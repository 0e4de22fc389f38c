import { expect, it } from 'vitest';
import { openMemoryStore } from '../store/memory.ts';
import { OwnersKnown } from './owners-known.ts';
import { dependentKey } from './rows.ts';

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
  const owners = new OwnersKnown();
  for (const uid of ['a', 'b', 'c']) expect(await owners.hasDependents(counted, 'plane', uid)).toBe(false);
  expect(lists).toBe(1);
  owners.note();
  const key = dependentKey('plane', 'a', { resource: 'configmaps', namespace: 'x', name: 'y' });
  await store.transact({ writes: [{ key, value: 'uid', quiet: true }] });
  expect(await owners.hasDependents(counted, 'plane', 'a')).toBe(true);
  expect(await owners.hasDependents(counted, 'plane', 'b')).toBe(false);
  expect(await new OwnersKnown().hasDependents(store, 'plane', 'a')).toBe(true);
  expect(await new OwnersKnown().hasDependents(store, 'other', 'a')).toBe(false);
  await store.close();
});
