import { afterEach, expect, it } from 'vitest';
import { describeIfAvailable } from '../../test/harness/suite.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { compactMethod, rangeMethod } from '../store/etcd/client/methods.ts';
import { EtcdCluster, noEtcd, testTimeouts } from '../store/etcd/etcd.fixture.ts';
import { openEtcdStore } from '../store/etcd/etcd-store.ts';
import { TcpProxy } from '../store/etcd/tcp-proxy.fixture.ts';
import type { Store } from '../store/store.ts';
import { SliceObjects } from './cache/slice-objects.ts';
import type { KindStore } from './kind-store.ts';
import {
  callerContext,
  describeEvent,
  newWidget,
  openWidgets,
  takeEvents,
  testDeleteOptions,
  testGetOptions,
  testListOptions,
  testPatchOptions,
  testSlice,
  testWatchOptions,
  testWriteOptions,
} from './widgets.fixture.ts';

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function openKind(endpoints: string): Promise<{ kind: KindStore; store: Store }> {
  const store = await openEtcdStore({ endpoints, prefix: 'kinds', timeouts: testTimeouts });
  cleanups.push(() => store.close());
  const shared = await SliceObjects.open({ store, slice: testSlice, clock: systemClock, log: silentLog });
  const { kind } = await openWidgets({}, { store, shared });
  return { kind, store };
}

async function start() {
  const cluster = await EtcdCluster.start();
  cleanups.push(() => cluster.stop());
  const proxy = await TcpProxy.start(cluster.member(0).url);
  cleanups.push(() => proxy.stop());
  const { kind, store } = await openKind(proxy.url);
  const { kind: other } = await openKind(cluster.endpoints);
  return { cluster, proxy, kind, store, other };
}

const create = (kind: KindStore, name: string) =>
  kind.verbs.create(callerContext(), newWidget(name, { spec: { color: 'red' } }), testWriteOptions);

const paint = (kind: KindStore, name: string, color: string) =>
  kind.verbs.patch(
    callerContext(),
    name,
    { type: 'merge', document: { spec: { color } }, findings: [] },
    testPatchOptions,
  );

const listOf = async (kind: KindStore) => {
  const { items, resourceVersion } = await kind.verbs.list(callerContext(), testListOptions());
  return { objects: items.map(({ object }) => object), resourceVersion };
};

describeIfAvailable(noEtcd, 'a kind in etcd', () => {
  it('is complete again after etcd has compacted changes that were not received, and its watches get 410', async () => {
    const { cluster, proxy, kind, other } = await start();
    for (const name of ['kept', 'changed', 'removed']) await create(other, name);
    await listOf(kind);
    const listened: string[] = [];
    kind.listen(({ before, after }) => {
      listened.push(`${before?.object.metadata.name} ${after?.object.metadata.name}`);
    });
    const watch = await kind.verbs.watch(callerContext(), testWatchOptions({ resourceVersion: '0' }));
    proxy.cut(true);
    await other.verbs.delete(callerContext(), 'removed', testDeleteOptions());
    await create(other, 'new');
    for (const color of ['green', 'blue']) await paint(other, 'changed', color);
    const client = cluster.client();
    const { revision } = await client.call(rangeMethod, { key: 'none' });
    await client.call(compactMethod, { revision });
    client.close();
    proxy.restore();
    expect(await listOf(kind)).toEqual(await listOf(other));
    expect(listened).toEqual(['undefined new', 'changed changed', 'removed undefined']);
    const events = (await takeEvents(watch, 10)).map(describeEvent);
    expect(events.map((event) => event.replace(/@.*/, ''))).toEqual([
      'ADDED changed',
      'ADDED kept',
      'ADDED removed',
      expect.stringContaining('ERROR 410'),
    ]);
    const { resourceVersion } = await listOf(kind);
    const next = await kind.verbs.watch(callerContext(), testWatchOptions({ resourceVersion }));
    await paint(other, 'kept', 'white');
    expect((await takeEvents(next, 1)).map((event) => event.type)).toEqual(['MODIFIED']);
  });

  it('gets writes of two processes to the same objects without loss or refusal', async () => {
    const { kind, other } = await start();
    await create(kind, 'w');
    const label = (target: KindStore, name: string) =>
      target.verbs.patch(
        callerContext(),
        'w',
        { type: 'merge', document: { metadata: { labels: { [name]: 'x' } } }, findings: [] },
        testPatchOptions,
      );
    const names = Array.from({ length: 40 }, (_, index) => `l${index}`);
    await Promise.all(names.map((name, index) => label(index % 2 === 0 ? kind : other, name)));
    const { object } = await kind.verbs.get(callerContext(), 'w', testGetOptions);
    expect(Object.keys(object.metadata.labels ?? {}).sort()).toEqual([...names].sort());
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      await create(kind, name);
      await paint(other, name, 'blue');
      await kind.verbs.delete(callerContext(), name, testDeleteOptions());
      await create(other, name);
      await other.verbs.delete(callerContext(), name, testDeleteOptions());
    }
    expect(await listOf(kind)).toEqual(await listOf(other));
  });
});
