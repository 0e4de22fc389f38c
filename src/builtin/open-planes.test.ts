import { type JsonValue, textAt } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { configMapKind } from '../api/core/config-map.ts';
import type { KubeObject } from '../api/meta.ts';
import { quarantineAnnotation } from '../api/naming.ts';
import { StatusError } from '../api/status.ts';
import { planeIdOf, virtualClusterKind } from '../api/storage/virtual-cluster.ts';
import { ManualClock } from '../lib/clock.ts';
import { openMemoryStore } from '../store/memory.ts';
import { propertiesOf, type Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import { inProcessClient } from './in-process-client.ts';
import { newTestObject, openPlanesTestEnv, type PlanesTestEnv } from './planes-test-env.fixture.ts';

const place = { namespace: 'default', name: 'one' };

/** Simulates a crash: after `writes` writes, no further write reaches the disk. */
function dyingAfter(store: Store, writes: number): Store {
  let left = writes;
  const alive = <T>(write: () => Promise<T>): Promise<T> =>
    left-- > 0 ? write() : Promise.reject(new StoreError('Unavailable', 'the process is dead'));
  return {
    ...propertiesOf(store),
    get: (key) => store.get(key),
    list: (range, options) => store.list(range, options),
    transact: (transaction) => alive(() => store.transact(transaction)),
    removePrefix: (range) => alive(() => store.removePrefix(range)),
    revision: (slice) => store.revision(slice),
    observe: (range, since, observer) => store.observe(range, since, observer),
    history: (range, since, options) => store.history(range, since, options),
    compact: (slice, upTo) => store.compact(slice, upTo),
    assertWritable: () => store.assertWritable(),
    dump: () => store.dump(),
    close: async () => {},
  };
}

/** Returns all rows for planes of virtual clusters, including pending maintenance. */
async function leftOf(store: Store): Promise<string[]> {
  const left: string[] = [];
  for await (const row of store.dump()) {
    if (row.row === 'slice' && row.slice.startsWith('vc-')) left.push(row.slice);
    if (row.row !== 'entry') continue;
    const text = [row.key.slice, ...row.key.segments].join(' ');
    if (/(^| )vc-/.test(text)) left.push(text);
  }
  return left;
}

const seen = ({ planes }: PlanesTestEnv): KubeObject | undefined =>
  planes.local.kinds.get(`virtualclusters.${virtualClusterKind.group}`)?.peek(place.namespace, place.name)?.object;

async function use({ planes }: PlanesTestEnv): Promise<void> {
  const visit = await planes.builtIn.virtualPlanes.enter(place);
  try {
    const borrowed = await planes.fleet.borrow(planes.builtIn.virtualPlanes.planeIdAt(place) ?? '');
    if (borrowed === undefined) return;
    const { plane, release } = borrowed;
    try {
      const maps = inProcessClient(plane.kinds, 'test').resource(configMapKind);
      await maps.create(newTestObject(configMapKind, { namespace: 'default', name: `map-${Math.random()}` }));
    } finally {
      release();
    }
  } finally {
    visit.close();
  }
}

/** Creates, uses, puts to sleep, wakes and deletes a virtual cluster; continues after failures. */
async function wholeLife(bench: PlanesTestEnv): Promise<void> {
  const client = bench.hostClient.resource(virtualClusterKind);
  const steps: (() => Promise<unknown>)[] = [
    () => client.create(newTestObject(virtualClusterKind, { ...place })),
    () => use(bench),
    () => bench.maintenance.idle(),
    () => client.patch(place, { spec: { asleep: true } }),
    () => client.patch(place, { spec: { asleep: false } }),
    () => use(bench),
    () => client.delete(place),
    () => bench.maintenance.idle(),
  ];
  for (const step of steps) {
    await step().catch((error: unknown) => {
      if (!(error instanceof StatusError)) throw error;
    });
  }
}

async function until(bench: PlanesTestEnv, holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 200 && !holds(); turn++) await bench.runMaintenance();
  expect(holds()).toBe(true);
}

describe('virtual clusters as planes of the built-in cluster', () => {
  it('a virtual cluster survives a crash at any write, and leaves nothing behind when deleted', async () => {
    let deaths = 0;
    for (let writes = 1; ; writes++) {
      const store = openMemoryStore({ clock: new ManualClock() });
      // The first start creates the built-in cluster. The simulated crashes begin only after this start.
      await (await openPlanesTestEnv({ store })).close();
      const first = await openPlanesTestEnv({ store: dyingAfter(store, writes) });
      await wholeLife(first);
      const isDone = seen(first) === undefined && (await leftOf(store)).length === 0 && writes > 12;
      await first.close();

      const second = await openPlanesTestEnv({ store });
      await until(second, () => seen(second)?.metadata.deletionTimestamp === undefined);
      if (seen(second) !== undefined) {
        const client = second.hostClient.resource(virtualClusterKind);
        await client.patch(place, { spec: { asleep: false } });
        await until(second, () => textAt(seen(second) as JsonValue, 'status', 'phase') === 'Ready');
        await use(second);
        await client.delete(place);
        await until(second, () => seen(second) === undefined);
      }
      expect(await leftOf(store), `after ${writes} writes`).toEqual([]);
      await second.close();
      await store.close();
      if (isDone) break;
      deaths++;
    }
    expect(deaths).toBeGreaterThan(10);
  });

  it('a request during the removal of a virtual cluster does not recreate it', async () => {
    const bench = await openPlanesTestEnv();
    const client = bench.hostClient.resource(virtualClusterKind);
    for (let round = 0; round < 20; round++) {
      const { metadata } = await client.create(newTestObject(virtualClusterKind, { ...place }));
      const visitors = Array.from({ length: 5 }, () => use(bench).catch(() => undefined));
      await client.delete(place);
      const late = Array.from({ length: 5 }, () => use(bench).catch(() => undefined));
      await until(bench, () => seen(bench)?.metadata.uid !== metadata.uid);
      await Promise.all([...visitors, ...late]);
      await bench.runMaintenance();
      expect(await leftOf(bench.store)).toEqual([]);
    }
    await bench.close();
  });

  it('a virtual cluster is usable and reports it as soon as its object exists, with a single write', async () => {
    const bench = await openPlanesTestEnv();
    const client = bench.hostClient.resource(virtualClusterKind);
    const before = await bench.store.revision('local');
    const created = await client.create(newTestObject(virtualClusterKind, { ...place }));
    expect(created.status).toMatchObject({ phase: 'Ready', observedGeneration: 1, conditions: [{ status: 'True' }] });
    expect(await bench.store.revision(planeIdOf(created))).toBeGreaterThan(before);
    await use(bench);
    await bench.runMaintenance();
    expect(seen(bench)?.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
    await bench.close();
  });

  it('each virtual cluster has its own plane, even with a reused name', async () => {
    const bench = await openPlanesTestEnv();
    const client = bench.hostClient.resource(virtualClusterKind);
    const first = await client.create(newTestObject(virtualClusterKind, { ...place }));
    await client.delete(place);
    await until(bench, () => seen(bench) === undefined);
    const second = await client.create(newTestObject(virtualClusterKind, { ...place }));
    expect(planeIdOf(second)).not.toBe(planeIdOf(first));
    expect(bench.planes.builtIn.virtualPlanes.planeIdAt(place)).toBe(planeIdOf(second));
    await bench.close();
  });

  it('a quarantined virtual cluster that is woken reports the quarantine at once', async () => {
    const bench = await openPlanesTestEnv();
    const client = bench.hostClient.resource(virtualClusterKind);
    await client.create(newTestObject(virtualClusterKind, { ...place }));
    const annotations = { [quarantineAnnotation]: 'the worker stalled' };
    await client.patch(place, { metadata: { annotations }, spec: { asleep: true } });
    const { virtualPlanes } = bench.planes.builtIn;
    const woken = virtualPlanes.whenUsable(place, AbortSignal.timeout(5_000));
    await client.patch(place, { spec: { asleep: false } });
    await woken;
    await expect(virtualPlanes.enter(place)).rejects.toMatchObject({
      code: 503,
      message: expect.stringContaining('is quarantined: the worker stalled'),
    });
    await bench.close();
  });

  it('a virtual cluster that cannot be opened reports the error and is retried', async () => {
    const bench = await openPlanesTestEnv();
    const client = bench.hostClient.resource(virtualClusterKind);
    const { fleet } = bench.planes;
    const borrow = fleet.borrow.bind(fleet);
    await client.create(newTestObject(virtualClusterKind, { ...place }));
    fleet.borrow = (id) => (id === 'local' ? borrow(id) : Promise.reject(new Error('out of order')));
    await client.patch(place, { spec: { displayName: 'One' } });
    await until(bench, () => textAt(seen(bench) as JsonValue, 'status', 'phase') === 'Failed');
    const message = textAt(seen(bench) as JsonValue, 'status', 'message');
    expect(message).toMatch(/cannot be opened: internal error.*Retrying automatically/);
    expect(message).not.toContain('out of order');
    fleet.borrow = borrow;
    await until(bench, () => textAt(seen(bench) as JsonValue, 'status', 'phase') === 'Ready');
    await bench.close();
  });
});
