import type { JsonObject } from '@flotilla/json';
import { expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import { openMemoryStore } from '../../store/memory.ts';
import type { RevisionCheck } from '../../store/store.ts';
import {
  callerContext,
  newWidget,
  openWidgets,
  rejectionStatus,
  storeWithOverrides,
  testDeleteOptions,
  testGetOptions,
  testPatchOptions,
  testSlice,
  testWriteOptions,
} from '../widgets.fixture.ts';

const fenceKey = { slice: 'fences', segments: ['one'] };

async function openFencedWidgets() {
  const store = openMemoryStore();
  let transactions = 0;
  const counting = storeWithOverrides(store, {
    transact(transaction) {
      transactions += 1;
      return store.transact(transaction);
    },
  });
  const { kind } = await openWidgets({}, { store: counting });
  const [revision] = await store.transact({ writes: [{ key: fenceKey, value: '' }] });
  const fence: RevisionCheck = { key: fenceKey, revision };
  const { verbs, status } = kind;
  const context = { ...callerContext(), fence };
  for (const name of ['w1', 'w2']) await verbs.create(context, newWidget(name), testWriteOptions);
  const patched = { type: 'merge', document: { spec: { color: 'red' } }, findings: [] } as const;
  const current = async (change: JsonObject): Promise<KubeObject> => {
    const { object } = await verbs.get(context, 'w1', testGetOptions);
    return { ...object, ...change };
  };
  const writes: Record<string, () => Promise<unknown>> = {
    create: () => verbs.create(context, newWidget('w3'), testWriteOptions),
    update: async () => verbs.update(context, 'w1', await current({ spec: { color: 'blue' } }), testWriteOptions),
    patch: () => verbs.patch(context, 'w1', patched, testPatchOptions),
    updateStatus: async () => status?.update(context, 'w1', await current({ status: { count: 1 } }), testWriteOptions),
    delete: () => verbs.delete(context, 'w2', testDeleteOptions({ gracePeriodSeconds: 0 })),
    deleteWithGracePeriod: () => verbs.delete(context, 'w1', testDeleteOptions({ gracePeriodSeconds: 30 })),
  };
  return { store, writes, transactions: () => transactions };
}

it('a write with a valid fence succeeds', async () => {
  const { writes } = await openFencedWidgets();
  for (const write of Object.values(writes)) await write();
});

it('no verb writes or retries after its fence has failed', async () => {
  const { store, writes, transactions } = await openFencedWidgets();
  await store.transact({ writes: [{ key: fenceKey, value: 'taken over' }] });
  const before = await store.revision(testSlice);
  for (const write of Object.values(writes)) {
    const count = transactions();
    expect(await rejectionStatus(write())).toMatchObject({
      code: 503,
      message: 'another server has taken over this work; nothing was written',
    });
    expect(transactions()).toBe(count + 1);
  }
  expect(await store.revision(testSlice)).toBe(before);
});

it('a write is retried if the object has changed and the fence is valid', async () => {
  const { store, writes } = await openFencedWidgets();
  await Promise.all([writes.patch?.(), writes.deleteWithGracePeriod?.(), writes.patch?.()]);
  const { entries } = await store.list({ slice: testSlice, prefix: ['objects'] });
  const texts = entries.map(({ value }) => value).join();
  expect(texts).toContain('"color":"red"');
  expect(texts).toContain('"deletionTimestamp"');
});
