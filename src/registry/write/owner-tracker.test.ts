import { expect, it } from 'vitest';
import { openMemoryStore } from '../../store/memory.ts';
import { gatedStore, openReplicas } from '../../store/replicas.fixture.ts';
import { dependentKey, ownersMarkerKey } from '../rows/rows.ts';
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
  const mayHaveDependents = async (tracker: OwnerTracker, uid: string, slice = 'plane') =>
    (await tracker.removed(counted, slice, uid)).mayHaveDependents;
  for (const uid of ['a', 'b', 'c']) expect(await mayHaveDependents(owners, uid)).toBe(false);
  expect(lists).toBe(1);
  expect(await owners.markOwned(counted, 'plane')).toEqual({ checks: [], writes: [] });
  const key = dependentKey('plane', 'a', { resource: 'configmaps', namespace: 'x', name: 'y' });
  await store.transact({ writes: [{ key, value: 'uid', unlogged: true }] });
  expect(await mayHaveDependents(owners, 'a')).toBe(true);
  expect(await mayHaveDependents(owners, 'b')).toBe(false);
  expect(await mayHaveDependents(new OwnerTracker(), 'a')).toBe(true);
  expect(await mayHaveDependents(new OwnerTracker(), 'a', 'other')).toBe(false);
  await store.close();
});

it('a removal in a shared store fails if another process has added the first owner meanwhile', async () => {
  const { shared, replicas } = await openReplicas(2, () => new OwnerTracker());
  const [first, second] = replicas;
  if (first === undefined || second === undefined) throw new Error('two replicas were requested');
  const removal = await second.env.removed(second.store, 'plane', 'a');
  expect(removal).toMatchObject({ mayHaveDependents: false, checks: [{ key: ownersMarkerKey('plane') }] });
  const marker = await first.env.markOwned(first.store, 'plane');
  await first.store.transact(marker);
  await expect(second.store.transact({ checks: removal.checks, writes: [] })).rejects.toMatchObject({
    code: 'CheckFailed',
  });
  expect(removal.checks[0]?.onFailure?.()).toBeUndefined();
  expect(await second.env.removed(second.store, 'plane', 'a')).toEqual({ mayHaveDependents: true, checks: [] });
  expect(await second.env.markOwned(second.store, 'plane')).toEqual({ checks: [], writes: [] });
  await shared.close();
});

it('the marker is created for a plane that was imported with owners', async () => {
  const { store } = gatedStore(openMemoryStore());
  const key = dependentKey('plane', 'a', { resource: 'configmaps', namespace: 'x', name: 'y' });
  await store.transact({ writes: [{ key, value: 'uid', unlogged: true }] });
  expect(await new OwnerTracker().removed(store, 'plane', 'b')).toEqual({ mayHaveDependents: true, checks: [] });
  expect(await store.get(ownersMarkerKey('plane'))).toBeDefined();
});
