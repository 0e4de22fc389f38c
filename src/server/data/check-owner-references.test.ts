import { describe, expect, it } from 'vitest';
import { dependentKey } from '../../registry/rows/rows.ts';
import { openMemoryStore } from '../../store/memory.ts';
import { collectAsync, putValue, storeKey } from '../../store/suite/suite-store.ts';
import { checkOwnerReferences } from './check-owner-references.ts';

async function storeWithOwners(owners: number) {
  const store = openMemoryStore();
  await putValue(store, storeKey('plane', 'objects', 'configmaps', 'default', 'busy'), '{}');
  const dependents = Array.from({ length: owners }, (_, n) => ({ owner: `uid-${n}`, name: 'busy' }));
  for (const { owner, name } of [...dependents, { owner: 'uid-0', name: 'other' }]) {
    const key = dependentKey('plane', owner, { resource: 'configmaps', namespace: 'default', name });
    await store.transact({ writes: [{ key, value: 'uid', unlogged: true }] });
  }
  return store;
}

describe('owner references of a dump', () => {
  it('up to the limit of etcd pass unchanged', async () => {
    const store = await storeWithOwners(30);
    expect(await collectAsync(checkOwnerReferences(store.dump()))).toEqual(await collectAsync(store.dump()));
  });

  it('above the limit of etcd are rejected with the name of the object', async () => {
    const store = await storeWithOwners(31);
    await expect(collectAsync(checkOwnerReferences(store.dump()))).rejects.toThrow(
      'the object plane/configmaps/default/busy has 31 owner references, but an object in etcd can have at most 30',
    );
  });
});
