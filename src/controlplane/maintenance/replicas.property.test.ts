import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { deadlineRange, gcRange, reconcileRange } from '../../registry/rows/rows.ts';
import { mountStoredKind } from '../../registry/verbs/stored-verbs.ts';
import { openMemoryStore } from '../../store/memory.ts';
import { openReplicas } from '../../store/replicas.fixture.ts';
import {
  openPlaneTestEnv,
  type PlaneTestEnv,
  testClientContext,
  testDeleteOptions,
  testKind,
} from '../plane.fixture.ts';
import type { PlanePart } from '../plane-part.ts';

const widgets = 'widgets.test.example';
const namespace = 'team';
const part: PlanePart = {
  resources: [testKind('widgets', 'Widget')],
  mount: (stores) => [...stores].filter(([key]) => key === widgets).map(([, store]) => mountStoredKind(store)),
};

interface Step {
  readonly replica: number;
  readonly do: 'create' | 'own' | 'delete' | 'foreground' | 'namespace' | 'deleteNamespace';
  readonly name: number;
  readonly owner: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  replica: fc.nat(2),
  do: fc.constantFrom('create', 'own', 'own', 'delete', 'delete', 'foreground', 'namespace', 'deleteNamespace'),
  name: fc.nat(5),
  owner: fc.nat(5),
});

async function ownedWidget(env: PlaneTestEnv, name: string, owner: string): Promise<void> {
  const options = { resourceVersion: '' };
  const { object } = await env.kind(widgets).verbs.get(testClientContext(namespace), owner, options);
  const reference = { apiVersion: object.apiVersion, kind: object.kind, name: owner, uid: object.metadata.uid ?? '' };
  const ownerReferences = [{ ...reference, blockOwnerDeletion: true }];
  await env.create(widgets, name, { metadata: { ownerReferences } }, namespace);
}

async function run(env: PlaneTestEnv, { do: action, name, owner }: Step): Promise<void> {
  const widget = `w${name}`;
  const { verbs } = env.kind(widgets);
  if (action === 'create') await env.create(widgets, widget, {}, namespace);
  else if (action === 'own') await ownedWidget(env, widget, `w${owner}`);
  else if (action === 'namespace') await env.create('namespaces', namespace);
  else if (action === 'deleteNamespace')
    await env.kind('namespaces').verbs.delete(testClientContext(), namespace, testDeleteOptions());
  else {
    const propagationPolicy = action === 'foreground' ? 'Foreground' : undefined;
    await verbs.delete(testClientContext(namespace), widget, testDeleteOptions({ propagationPolicy }));
  }
}

it('no replica loses maintenance work, whichever changes it has received', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { maxLength: 8 }), { maxLength: 5 }), async (rounds) => {
      const clock = new ManualClock();
      // Only the last replica runs maintenance. Nothing wakes it, because its observers receive changes late.
      const open = openReplicas(
        3,
        (store, index) => openPlaneTestEnv({ store, clock, parts: [part], withoutMaintenance: index < 2 }),
        openMemoryStore({ clock }),
      );
      const { replicas, shared } = await open;
      const [first, , last] = replicas;
      if (first === undefined || last === undefined) throw new Error('three replicas were requested');
      await first.env.create('namespaces', namespace);
      for (const { gate } of replicas) gate.hold();
      for (const round of rounds) {
        last.env.maintenance.wake();
        await Promise.allSettled(
          round.map(async (each) => {
            const env = replicas[each.replica]?.env;
            if (env !== undefined) await run(env, each);
          }),
        );
      }
      for (let pass = 0; pass < 12; pass++) {
        last.env.maintenance.wake();
        await last.env.maintenance.idle();
        clock.advance(60_000);
      }
      for (const { gate } of replicas) gate.open();
      for (const range of [gcRange, reconcileRange, deadlineRange])
        expect((await shared.list(range)).entries).toEqual([]);
      const objects = first.env
        .kind(widgets)
        .peekAll(namespace)
        .map(({ object }) => object);
      const uids = new Set(objects.map(({ metadata }) => metadata.uid));
      for (const { metadata } of objects) {
        expect(metadata.deletionTimestamp).toBeUndefined();
        for (const { uid } of metadata.ownerReferences ?? []) expect(uids).toContain(uid);
      }
      const team = first.env.peek('namespaces', namespace, '');
      expect(team?.metadata.deletionTimestamp).toBeUndefined();
      if (team === undefined) expect(objects).toEqual([]);
    }),
    { numRuns: 60 },
  );
});
