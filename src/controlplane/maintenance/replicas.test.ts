import { expect, it } from 'vitest';
import type { KubeObject, ObjectMeta } from '../../api/meta.ts';
import { ManualClock } from '../../lib/clock.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { type GcWork, gcRange } from '../../registry/rows/rows.ts';
import { mountStoredKind } from '../../registry/verbs/stored-verbs.ts';
import { storeWithOverrides } from '../../registry/widgets.fixture.ts';
import { openMemoryStore } from '../../store/memory.ts';
import { twoReplicas } from '../../store/replicas.fixture.ts';
import type { Store } from '../../store/store.ts';
import { openPlaneTestEnv, type PlaneTestEnv, testDeleteOptions, testKind } from '../plane.fixture.ts';
import type { PlanePart } from '../plane-part.ts';
import { systemContext } from '../system-context.ts';

const widgets = 'widgets.test.example';
const part: PlanePart = {
  resources: [testKind('widgets', 'Widget')],
  mount: (stores) => [...stores.values()].filter(isWidgets).map((store) => mountStoredKind(store)),
};

function isWidgets({ resource }: KindStore): boolean {
  return resource.plural === 'widgets';
}

interface ReplicaOptions {
  /** The replica that runs maintenance. */
  readonly maintenance: 'current' | 'delayed';
  /** Wraps the store of the delayed replica. */
  readonly wrapStore?: (store: Store) => Store;
}

/** Opens a plane on two replicas that share a clock. Only one of the replicas runs maintenance. */
async function openPlaneReplicas({ maintenance, wrapStore = (store) => store }: ReplicaOptions) {
  const clock = new ManualClock();
  const replicas = await twoReplicas(
    (store, index) =>
      openPlaneTestEnv({
        store: index === 0 ? store : wrapStore(store),
        clock,
        parts: [part],
        withoutMaintenance: index !== (maintenance === 'current' ? 0 : 1),
      }),
    openMemoryStore({ clock }),
  );
  return { ...replicas, clock };
}

async function runMaintenance({ maintenance }: PlaneTestEnv): Promise<void> {
  maintenance.wake();
  await maintenance.idle();
}

function ownedBy({ apiVersion, kind, metadata: { name = '', uid = '' } }: KubeObject): { metadata: ObjectMeta } {
  return { metadata: { ownerReferences: [{ apiVersion, kind, name, uid }] } };
}

async function garbageWork(store: Store): Promise<GcWork['what'][]> {
  const { entries } = await store.list(gcRange);
  return entries.map(({ value }) => (JSON.parse(value) as GcWork).what);
}

it('maintenance behind the store does not lose the deletion of a namespace', async () => {
  const { current, delayed, gate } = await openPlaneReplicas({ maintenance: 'delayed' });
  await current.create('namespaces', 'team');
  await current.create(widgets, 'one', {}, 'team');
  gate.hold();
  await current.remove('namespaces', 'team', '');
  expect(delayed.peek('namespaces', 'team', '')?.metadata.deletionTimestamp).toBeUndefined();
  await runMaintenance(delayed);
  expect(current.peek('namespaces', 'team', '')).toBeUndefined();
  expect(current.peek(widgets, 'one', 'team')).toBeUndefined();
});

it('maintenance behind the store finds the dependents of a removed owner', async () => {
  const { current, delayed, gate, shared } = await openPlaneReplicas({ maintenance: 'delayed' });
  const owner = await current.create(widgets, 'owner');
  gate.hold();
  await current.create(widgets, 'dependent', ownedBy(owner));
  await shared.removePrefix(gcRange);
  await current.remove(widgets, 'owner');
  expect(delayed.peek(widgets, 'dependent')).toBeUndefined();
  await runMaintenance(delayed);
  expect(current.peek(widgets, 'dependent')).toBeUndefined();
});

it('a replica that knows no owners notices the first one when it removes an object', async () => {
  const { current, delayed, gate, shared } = await openPlaneReplicas({ maintenance: 'current' });
  const owner = await current.create(widgets, 'owner');
  await current.create(widgets, 'other');
  // During this delete, the delayed replica finds that no object in the plane is an owner yet.
  await delayed.remove(widgets, 'other');
  expect(await garbageWork(shared)).toEqual([]);
  gate.hold();
  await current.create(widgets, 'dependent', ownedBy(owner));
  await current.maintenance.idle();
  await delayed.remove(widgets, 'owner');
  expect(await garbageWork(shared)).toEqual(['gone']);
  await runMaintenance(current);
  expect(current.peek(widgets, 'dependent')).toBeUndefined();
});

it('a terminating namespace is removed if its last object was removed by a replica that did not know', async () => {
  const steps = { beforeWrite: async () => {} };
  const { current, delayed, clock } = await openPlaneReplicas({
    maintenance: 'current',
    wrapStore: (store) =>
      storeWithOverrides(store, {
        async transact(transaction) {
          await steps.beforeWrite();
          return store.transact(transaction);
        },
      }),
  });
  await current.create('namespaces', 'team');
  await current.create(widgets, 'held', { metadata: { finalizers: ['example.com/held'] } }, 'team');
  await current.remove(widgets, 'held', 'team');
  steps.beforeWrite = async () => {
    steps.beforeWrite = async () => {};
    await current.remove('namespaces', 'team', '');
    // The first pass has written conditions, which start another pass.
    clock.advance(1_000);
    await current.maintenance.idle();
  };
  const patch = { type: 'merge', document: { metadata: { finalizers: null } }, findings: [] } as const;
  const options = { dryRun: false, fieldManager: 'test', fieldValidation: 'Strict', force: false } as const;
  await delayed.kind(widgets).verbs.patch(systemContext('team'), 'held', patch, options);
  await current.maintenance.idle();
  expect(current.peek(widgets, 'held', 'team')).toBeUndefined();
  expect(current.peek('namespaces', 'team', '')).toBeDefined();
  clock.advance(5_000);
  await current.maintenance.idle();
  expect(current.peek('namespaces', 'team', '')).toBeUndefined();
});

it('an object that is deleted in the foreground waits for dependents that maintenance does not know yet', async () => {
  const { current, delayed, gate } = await openPlaneReplicas({ maintenance: 'delayed' });
  const owner = await current.create(widgets, 'owner');
  gate.hold();
  const { metadata } = ownedBy(owner);
  const blocking = metadata.ownerReferences?.map((reference) => ({ ...reference, blockOwnerDeletion: true })) ?? [];
  const finalizers = ['example.com/held'];
  await current.create(widgets, 'dependent', { metadata: { ownerReferences: blocking, finalizers } });
  await current
    .kind(widgets)
    .verbs.delete(systemContext('default'), 'owner', testDeleteOptions({ propagationPolicy: 'Foreground' }));
  await runMaintenance(delayed);
  expect(current.peek(widgets, 'dependent')?.metadata.deletionTimestamp).toBeDefined();
  expect(current.peek(widgets, 'owner')?.metadata.finalizers).toEqual(['foregroundDeletion']);
});
