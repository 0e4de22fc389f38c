import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { namespaceKind } from '../../api/core/namespace.ts';
import { type VirtualCluster, virtualClusterKind } from '../../api/storage/virtual-cluster.ts';
import { newTestObject, openPlanesTestEnv } from '../../builtin/planes-test-env.fixture.ts';
import { type HostUnderTest, hostSuite } from '../host.suite.ts';
import { toHostedVirtualCluster } from './builtin-host.ts';

async function open(): Promise<HostUnderTest> {
  const bench = await openPlanesTestEnv();
  const { planes, hostClient } = bench;
  return {
    host: planes.host,
    runPendingWork: bench.runMaintenance,
    async createNamespace(name) {
      await hostClient.resource(namespaceKind).create(newTestObject(namespaceKind, { name }));
    },
    hasNamespace: async (name) => planes.local.kinds.get('namespaces')?.peek('', name) !== undefined,
    async createManually(place) {
      await hostClient.resource(virtualClusterKind).create(newTestObject(virtualClusterKind, { ...place }));
    },
    async close() {
      await bench.close();
      await bench.store.close();
    },
  };
}

hostSuite('built in', open);

it('a request leaves no listener on its signal', async () => {
  const { host, runPendingWork, close } = await open();
  const place = { namespace: 'a', name: 'b' };
  await host.install({ location: place, owner: 'me' });
  await runPendingWork();
  const { signal } = new AbortController();
  for (let count = 0; count < 3; count += 1) {
    const answer = await host.clusterApi(place).send({
      method: 'GET',
      path: '/readyz',
      headers: {},
      as: { name: 'tester', groups: ['system:masters'] },
      signal,
    });
    for await (const _ of answer.body);
  }
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  await close();
});

it('a virtual cluster that was just woken does not report why it slept', () => {
  const slept = { phase: 'Sleeping', reason: 'Asleep', message: 'Asleep by spec.asleep' } as const;
  const object: VirtualCluster = {
    apiVersion: 'v1',
    kind: 'VirtualCluster',
    metadata: { name: 'demo' },
    spec: {},
    status: slept,
  };
  expect(toHostedVirtualCluster(object)).toMatchObject({ phase: 'Pending', reason: '', message: '' });
  expect(toHostedVirtualCluster({ ...object, spec: { asleep: true } })).toMatchObject({
    phase: 'Sleeping',
    reason: 'Asleep',
  });
});
