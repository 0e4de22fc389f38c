import { expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { gcRange, reconcileRange } from '../../registry/rows/rows.ts';
import { storeWithOverrides } from '../../registry/widgets.fixture.ts';
import { openMemoryStore } from '../../store/memory.ts';
import type { Store, Transaction } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import { addableTestKind, openPlaneTestEnv, testKind } from '../plane.fixture.ts';

const widgets = testKind('widgets', 'Widget');
const key = 'widgets.test.example';

/** Returns a store that commits a given number of transactions and then fails, as if the process had ended. */
function failingAfter(store: Store, transactions: number): Store {
  let left = transactions;
  return storeWithOverrides(store, {
    transact(this: Store, transaction: Transaction) {
      if (left === 0) return Promise.reject(new StoreError('Closed', 'the process has ended'));
      left -= 1;
      return store.transact(transaction);
    },
  });
}

it('a namespace is emptied and removed, wherever the process crashes in between', async () => {
  let rounds = 0;
  for (let transactions = 1; rounds < 1; transactions++) {
    const clock = new ManualClock();
    const store = openMemoryStore({ clock });
    const first = await openPlaneTestEnv({ store, clock });
    await first.plane.add([addableTestKind(widgets)]);
    await first.create('namespaces', 'one');
    const owner = await first.create(key, 'owner', {}, 'one');
    const { name = '', uid = '' } = owner.metadata;
    const ownerReferences = [{ apiVersion: 'test.example/v1', kind: 'Widget', name, uid }];
    await first.create(key, 'owned', { metadata: { ownerReferences } }, 'one');
    await first.create(key, 'third', {}, 'one');
    await first.maintenance.stop();
    first.plane.close();

    const failing = await openPlaneTestEnv({ store: failingAfter(store, transactions), clock });
    await failing.plane.add([addableTestKind(widgets)]);
    await failing.remove('namespaces', 'one').catch(() => {});
    await failing.maintenance.stop();
    failing.plane.close();
    if (failing.peek('namespaces', 'one') === undefined) rounds += 1;

    const next = await openPlaneTestEnv({ store, clock, parts: [{ resources: [widgets], mount: () => [] }] });
    for (let round = 0; round < 3; round++) {
      await next.maintenance.idle();
      clock.advance(60_000);
    }
    await next.maintenance.idle();
    expect(next.peek('namespaces', 'one'), `after ${transactions} transactions`).toBeUndefined();
    expect(next.kind(key).count()).toBe(0);
    for (const range of [reconcileRange, gcRange]) expect((await store.list(range)).entries).toEqual([]);
    expect(transactions).toBeLessThan(50);
  }
});
