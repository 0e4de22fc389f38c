import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { namespaceKind } from '../../api/core/namespace.ts';
import { asleepAnnotation } from '../../api/naming.ts';
import { type VirtualCluster, virtualClusterKind } from '../../api/storage/virtual-cluster.ts';
import { newTestObject, openPlanesTestEnv } from '../../builtin/planes-test-env.fixture.ts';
import { type HostUnderTest, hostSuite } from '../host.suite.ts';
import { groupsWithRole } from '../spaces/binding-groups.fixture.ts';
import { type SpacesUnderTest, spaceSuite } from '../spaces/space.suite.ts';
import { toHostedVirtualCluster } from './builtin-host.ts';

async function open(): Promise<HostUnderTest & SpacesUnderTest> {
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
    groupsWithRole: (namespace, role) => groupsWithRole(hostClient, namespace, role),
    async close() {
      await bench.close();
      await bench.store.close();
    },
  };
}

hostSuite('built in', open);
spaceSuite('built in', open);

it('an interrupted sleep of a space is drift, which install completes', async () => {
  const bench = await openPlanesTestEnv();
  const { host } = bench.planes;
  const location = { namespace: 'a', name: '' };
  await host.spaces.install({ location, owner: 'me' });
  const annotations = { [asleepAnnotation]: 'falling-asleep' };
  await bench.hostClient.resource(namespaceKind).patch({ name: 'a' }, { metadata: { annotations } });
  expect(await host.spaces.observe(location)).toMatchObject({ phase: 'Sleeping', drift: expect.any(String) });
  await host.spaces.install({ location, owner: 'me' });
  const asleep = await host.spaces.observe(location);
  expect([asleep?.phase, asleep?.drift]).toEqual(['Sleeping', undefined]);
  await bench.close();
  await bench.store.close();
});

it('a template cannot apply role bindings, even if the operator allows the resource', async () => {
  const { host, close, groupsWithRole: groupsWith } = await open();
  const objects = [
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'all' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'authors' }],
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: {} },
  ];
  const space = { objects, allowedResources: ['configmaps', 'rolebindings.rbac.authorization.k8s.io'] };
  const refusal = /templates may not apply rolebindings\.rbac\.authorization\.k8s\.io on this host/;
  const asSpace = host.spaces.install({ location: { namespace: 'a', name: '' }, owner: 'me', space });
  await expect(asSpace).rejects.toThrow(refusal);
  const asCluster = host.install({ location: { namespace: 'b', name: 'b' }, owner: 'me', space });
  await expect(asCluster).rejects.toThrow(refusal);
  for (const namespace of ['a', 'b']) expect(await groupsWith(namespace, 'cluster-admin')).toBeUndefined();
  await close();
});

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
