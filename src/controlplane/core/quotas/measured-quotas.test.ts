import type { JsonObject } from '@flotilla/json';
import { textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kubernetesKindsPart } from '../../kubernetes/kubernetes-kinds-part.ts';
import { type CoreTestEnv, eventually, expectStatusError, openCoreTestEnv } from '../core.fixture.ts';

let plane: CoreTestEnv;
beforeEach(async () => {
  plane = await openCoreTestEnv({ moreParts: (dependencies) => [kubernetesKindsPart(dependencies)] });
});
afterEach(() => plane.close());

async function createQuota(hard: JsonObject): Promise<void> {
  await plane.create('resourcequotas', { metadata: { name: 'q' }, spec: { hard } });
  await eventually(() => used());
}

const used = () =>
  (plane.peek('resourcequotas', 'q')?.status as JsonObject | undefined)?.used as JsonObject | undefined;

async function untilUsed(expected: JsonObject): Promise<void> {
  await eventually(() => Object.entries(expected).every(([name, amount]) => textAt(used(), name) === amount));
}

const service = (name: string, type: string, ports = 1, more: JsonObject = {}) => ({
  metadata: { name },
  spec: {
    type,
    ports: Array.from({ length: ports }, (_, index) => ({ name: `p${index}`, port: 80 + index })),
    ...more,
  },
});

const claim = (name: string, storage: string, storageClassName?: string) => ({
  metadata: { name },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage } },
    ...(storageClassName === undefined ? {} : { storageClassName }),
  },
});

const messageOf = async (call: Promise<unknown>) => (await expectStatusError(call)).message;

describe('quotas of services', () => {
  it('count node ports and load balancers', async () => {
    await createQuota({ services: '9', 'services.nodeports': '3', 'services.loadbalancers': '1' });
    // The namespace also contains the service `kubernetes`.
    await plane.create('services', service('plain', 'ClusterIP', 2));
    await untilUsed({ services: '2', 'services.nodeports': '0', 'services.loadbalancers': '0' });
    await plane.create('services', service('ports', 'NodePort', 2));
    await untilUsed({ services: '3', 'services.nodeports': '2', 'services.loadbalancers': '0' });
    await plane.create('services', service('balancer', 'LoadBalancer', 1));
    await untilUsed({ services: '4', 'services.nodeports': '3', 'services.loadbalancers': '1' });
    await plane.create('services', service('more', 'ClusterIP'));
    expect(await messageOf(plane.create('services', service('second', 'LoadBalancer')))).toBe(
      'services "second" is forbidden: exceeded quota: q, requested: services.loadbalancers=1,services.nodeports=1, ' +
        'used: services.loadbalancers=1,services.nodeports=3, limited: services.loadbalancers=1,services.nodeports=3',
    );
    await plane.remove('services', 'balancer');
    await untilUsed({ services: '4', 'services.nodeports': '2', 'services.loadbalancers': '0' });
  });

  it('count only the given node ports of a load balancer that allocates none', async () => {
    await createQuota({ 'services.nodeports': '0', 'services.loadbalancers': '5' });
    await plane.create('services', service('none', 'LoadBalancer', 2, { allocateLoadBalancerNodePorts: false }));
    const ports = [{ port: 80, nodePort: 30_001 }];
    const given = { allocateLoadBalancerNodePorts: false, ports };
    expect(await messageOf(plane.create('services', service('one', 'LoadBalancer', 0, given)))).toContain(
      'requested: services.nodeports=1, used: services.nodeports=0',
    );
  });

  it('limit changes of the type, and not other updates', async () => {
    await plane.create('services', service('one', 'ClusterIP'));
    await createQuota({ 'services.nodeports': '0' });
    const spec = plane.peek('services', 'one')?.spec as JsonObject;
    expect(
      await messageOf(plane.update('services', { metadata: { name: 'one' }, spec: { ...spec, type: 'NodePort' } })),
    ).toBe(
      'services "one" is forbidden: exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=0, limited: services.nodeports=0',
    );
    await plane.update('services', { metadata: { name: 'one', labels: { a: 'b' } }, spec });
  });
});

describe('quotas of claims', () => {
  const gold = 'gold.storageclass.storage.k8s.io';

  it('count the requested storage, in total and by class', async () => {
    await createQuota({
      persistentvolumeclaims: '5',
      'requests.storage': '3Gi',
      [`${gold}/requests.storage`]: '2Gi',
      [`${gold}/persistentvolumeclaims`]: '1',
    });
    await plane.create('persistentvolumeclaims', claim('plain', '512Mi'));
    await untilUsed({
      persistentvolumeclaims: '1',
      'requests.storage': '512Mi',
      [`${gold}/requests.storage`]: '0',
      [`${gold}/persistentvolumeclaims`]: '0',
    });
    expect(await messageOf(plane.create('persistentvolumeclaims', claim('big', '2560Mi', 'gold')))).toContain(
      `requested: ${gold}/requests.storage=2560Mi, used: ${gold}/requests.storage=0, limited: ${gold}/requests.storage=2Gi`,
    );
    await plane.create('persistentvolumeclaims', claim('golden', '2Gi', 'gold'));
    await untilUsed({
      persistentvolumeclaims: '2',
      'requests.storage': '2560Mi',
      [`${gold}/requests.storage`]: '2Gi',
      [`${gold}/persistentvolumeclaims`]: '1',
    });
    expect(await messageOf(plane.create('persistentvolumeclaims', claim('second', '1', 'gold')))).toContain(
      `requested: ${gold}/persistentvolumeclaims=1,${gold}/requests.storage=1, used: ` +
        `${gold}/persistentvolumeclaims=1,${gold}/requests.storage=2Gi`,
    );
    await plane.remove('persistentvolumeclaims', 'golden');
    await untilUsed({ 'requests.storage': '512Mi', [`${gold}/persistentvolumeclaims`]: '0' });
  });

  it('count objects of all kinds by resource and group', async () => {
    await createQuota({ 'count/ingresses.networking.k8s.io': '0', 'count/deployments.apps': '1' });
    expect(
      await messageOf(
        plane.create('ingresses.networking.k8s.io', {
          metadata: { name: 'web' },
          spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
        }),
      ),
    ).toContain('requested: count/ingresses.networking.k8s.io=1');
    expect(used()).toEqual({ 'count/deployments.apps': '0', 'count/ingresses.networking.k8s.io': '0' });
  });

  it('are never exceeded by concurrent creates', async () => {
    await createQuota({ 'requests.storage': '10Gi' });
    const results = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) => plane.create('persistentvolumeclaims', claim(`c${index}`, '2Gi'))),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    await untilUsed({ 'requests.storage': '10Gi' });
  });
});

describe('quotas of claims for devices', () => {
  const claims = 'resourceclaims.resource.k8s.io';
  const ofClass = (name: string) => `${name}.deviceclass.resource.k8s.io/devices`;
  const deviceClaim = (name: string, ...requests: JsonObject[]) => ({
    metadata: { name },
    spec: { devices: { requests: requests.map((request, index) => ({ name: `r${index}`, ...request })) } },
  });
  const exactly = (deviceClassName: string, more: JsonObject = {}) => ({ exactly: { deviceClassName, ...more } });

  it('count the devices of each class', async () => {
    await createQuota({ [`count/${claims}`]: '3', [ofClass('gpu')]: '40', [ofClass('nic')]: '4' });
    await plane.create(claims, deviceClaim('two', exactly('gpu', { count: 2 }), exactly('gpu'), exactly('nic')));
    await untilUsed({ [`count/${claims}`]: '1', [ofClass('gpu')]: '3', [ofClass('nic')]: '1' });
    await plane.create(claims, deviceClaim('all', exactly('gpu', { allocationMode: 'All' })));
    await untilUsed({ [ofClass('gpu')]: '35' });
    expect(await messageOf(plane.create(claims, deviceClaim('much', exactly('gpu', { count: 6 }))))).toBe(
      `resourceclaims.resource.k8s.io "much" is forbidden: exceeded quota: q, requested: ${ofClass('gpu')}=6, ` +
        `used: ${ofClass('gpu')}=35, limited: ${ofClass('gpu')}=40`,
    );
    await plane.remove(claims, 'all');
    await untilUsed({ [`count/${claims}`]: '1', [ofClass('gpu')]: '3' });
  });

  it('count the largest number of devices of each class among alternatives', async () => {
    await createQuota({ [ofClass('gpu')]: '9', [ofClass('nic')]: '9' });
    const alternative = (name: string, deviceClassName: string, count: number) => ({ name, deviceClassName, count });
    const firstAvailable = [alternative('a', 'gpu', 2), alternative('b', 'gpu', 3), alternative('c', 'nic', 1)];
    await plane.create(claims, deviceClaim('first', { firstAvailable }, exactly('gpu')));
    await untilUsed({ [ofClass('gpu')]: '4', [ofClass('nic')]: '1' });
  });
});
