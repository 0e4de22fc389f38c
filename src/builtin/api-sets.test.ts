import { describe, expect, it } from 'vitest';
import { typedObject } from '../api/resource.ts';
import { StatusError } from '../api/status.ts';
import type { ApiSet } from '../api/storage/api-set.ts';
import { planeIdOf, type VirtualCluster, virtualClusterKind } from '../api/storage/virtual-cluster.ts';
import { fullSetKinds } from '../controlplane/kubernetes/kubernetes-kinds-part.ts';
import { planeCreationKey } from '../controlplane/plane-creation.ts';
import { KindStoreOnDemand } from '../registry/kind-store-on-demand.ts';
import { resourceKey } from '../registry/rows/rows.ts';
import { openTestStore } from '../store/test-store.fixture.ts';
import { newTestObject, openPlanesTestEnv, type PlanesTestEnv } from './planes-test-env.fixture.ts';

const place = { namespace: 'default', name: 'one' };

function virtualCluster(spec: NonNullable<VirtualCluster['spec']>): VirtualCluster {
  return typedObject(virtualClusterKind, { ...newTestObject(virtualClusterKind, { ...place }), spec });
}

async function withPlane<T>(
  env: PlanesTestEnv,
  created: VirtualCluster,
  work: (kinds: ReadonlyMap<string, unknown>) => T,
): Promise<T> {
  const borrowed = await env.planes.fleet.borrow(planeIdOf(created));
  if (borrowed === undefined) throw new Error('the plane does not exist');
  try {
    return work(borrowed.plane.kinds);
  } finally {
    borrowed.release();
  }
}

async function servesFullSet(env: PlanesTestEnv, created: VirtualCluster): Promise<boolean> {
  return await withPlane(env, created, (kinds) => fullSetKinds.every((kind) => kinds.has(resourceKey(kind))));
}

describe('the set of kinds of a virtual cluster', () => {
  it.each<{ given: ApiSet | undefined; byDefault: ApiSet; expected: ApiSet }>([
    { given: undefined, byDefault: 'minimal', expected: 'minimal' },
    { given: undefined, byDefault: 'full', expected: 'full' },
    { given: 'minimal', byDefault: 'full', expected: 'minimal' },
    { given: 'full', byDefault: 'minimal', expected: 'full' },
  ])('is $expected for spec.api $given and the default $byDefault', async ({ given, byDefault, expected }) => {
    const env = await openPlanesTestEnv({ defaultApi: byDefault });
    const client = env.hostClient.resource(virtualClusterKind);
    const created = await client.create(virtualCluster(given === undefined ? {} : { api: given }));
    expect(created.spec?.api ?? 'minimal').toBe(expected);
    expect(await servesFullSet(env, created)).toBe(expected === 'full');
    await env.close();
  });

  it('stays the same when the default changes', async () => {
    const store = openTestStore();
    const first = await openPlanesTestEnv({ store, defaultApi: 'minimal' });
    const created = await first.hostClient.resource(virtualClusterKind).create(virtualCluster({}));
    await first.close();
    const second = await openPlanesTestEnv({ store, defaultApi: 'full' });
    expect(await servesFullSet(second, created)).toBe(false);
    await second.hostClient.resource(virtualClusterKind).patch(place, { spec: { asleep: true } });
    await second.close();
  });

  it('cannot be changed, and stays if a write omits it', async () => {
    const env = await openPlanesTestEnv();
    const client = env.hostClient.resource(virtualClusterKind);
    await client.create(virtualCluster({ api: 'full' }));
    const refused = await client.patch(place, { spec: { api: 'minimal' } }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StatusError);
    expect((refused as StatusError).message).toContain(
      'spec.api: Invalid value: "minimal": cannot be changed from "full": a virtual cluster keeps the kinds that it was created with; create another virtual cluster',
    );
    const changed = await client.patch(place, { spec: { api: null, displayName: 'One' } });
    expect(changed.spec).toEqual({ api: 'full', displayName: 'One' });
    await env.close();
  });

  it('costs one short row, and its unused kinds have no open stores', async () => {
    const env = await openPlanesTestEnv();
    const created = await env.hostClient.resource(virtualClusterKind).create(virtualCluster({ api: 'full' }));
    const rows = await env.store.list({ slice: planeIdOf(created), prefix: [] });
    expect(rows.entries.map(({ key }) => key)).toEqual([planeCreationKey(planeIdOf(created))]);
    expect(rows.entries.reduce((sum, { value }) => sum + value.length, 0)).toBeLessThan(300);
    const open = await withPlane(env, created, (kinds) =>
      fullSetKinds
        .filter((kind) => {
          const store = kinds.get(resourceKey(kind));
          return !(store instanceof KindStoreOnDemand) || store.isOpen;
        })
        .map(({ plural }) => plural),
    );
    // Only these kinds have built-in objects.
    expect(open).toEqual(['apiservices', 'priorityclasses', 'services', 'ipaddresses', 'servicecidrs']);
    await env.close();
  });
});
