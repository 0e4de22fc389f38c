import { type JsonObject, type JsonValue, objectAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { podSubresources } from '../../kubernetes/kinds/pods/subresources/pod-subresources.ts';
import { kubernetesKindsPart } from '../../kubernetes/kubernetes-kinds-part.ts';
import { testWriteOptions } from '../../plane.fixture.ts';
import { type CoreTestEnv, eventually, expectStatusError, openCoreTestEnv } from '../core.fixture.ts';
import { measuredPods } from './measured-pods.ts';

let plane: CoreTestEnv;
beforeEach(async () => {
  plane = await openCoreTestEnv({ moreParts: (dependencies) => [kubernetesKindsPart(dependencies)] });
});
afterEach(() => plane.close());

async function createQuota(hard: JsonObject, spec: JsonObject = {}, name = 'q'): Promise<void> {
  await plane.create('resourcequotas', { metadata: { name }, spec: { hard, ...spec } });
  await eventually(() => used(name));
}

const used = (name = 'q') => objectAt(plane.peek('resourcequotas', name) as JsonValue | undefined, 'status', 'used');
const untilUsed = (expected: JsonObject, name = 'q') =>
  eventually(() => Object.entries(expected).every(([key, amount]) => used(name)?.[key] === amount));

const container = (requests?: JsonObject, limits?: JsonObject, name = 'c') => ({
  name,
  image: 'nginx',
  resources: { ...(requests && { requests }), ...(limits && { limits }) },
});
const pod = (name: string, containers: JsonObject[] = [container()], spec: JsonObject = {}) => ({
  metadata: { name },
  spec: { containers, ...spec },
});
const create = (...given: Parameters<typeof pod>) => plane.create('pods', pod(...given));
const messageOf = async (call: Promise<unknown>) => (await expectStatusError(call)).message;

async function writeStatus(name: string, status: JsonObject): Promise<void> {
  const object = plane.peek('pods', name);
  if (object === undefined) throw new Error(`no pod ${name}`);
  const next = { ...object, status: { ...objectAt(object as JsonValue, 'status'), ...status } };
  const store = plane.plane.kinds.get('pods');
  await store?.status?.update(plane.context(), name, next, testWriteOptions);
}

async function resize(name: string, containers: JsonObject[]): Promise<unknown> {
  const store = plane.plane.kinds.get('pods');
  const object = plane.peek('pods', name);
  if (store === undefined || object === undefined) throw new Error(`no pod ${name}`);
  const { verbs } = podSubresources(store, (key) => plane.plane.kinds.get(key)).resize ?? {};
  const next = { ...object, spec: { ...objectAt(object as JsonValue, 'spec'), containers } };
  return await verbs?.update?.(plane.context(), name, next, testWriteOptions);
}

describe('quotas of pods', () => {
  it('measure requests, limits and the number of pods', async () => {
    await createQuota({
      cpu: '2',
      'requests.memory': '1Gi',
      'limits.cpu': '3',
      'limits.ephemeral-storage': '5Gi',
      'requests.example.com/gpu': '2',
      'hugepages-2Mi': '8Mi',
      pods: '5',
      'count/pods': '6',
    });
    const requests = { cpu: '500m', memory: '256Mi' };
    const scarce = { 'example.com/gpu': '1', 'hugepages-2Mi': '4Mi' };
    await create('a', [
      container({ ...requests, ...scarce }, { cpu: '1', 'ephemeral-storage': '1Gi', ...scarce }),
      container(requests, { cpu: '1' }, 'd'),
    ]);
    await untilUsed({
      cpu: '1',
      'requests.memory': '512Mi',
      'limits.cpu': '2',
      'limits.ephemeral-storage': '1Gi',
      'requests.example.com/gpu': '1',
      'hugepages-2Mi': '4Mi',
      pods: '1',
      'count/pods': '1',
    });
    const large = container({ cpu: '1500m', memory: '1Gi' }, { cpu: '1500m' });
    expect(await messageOf(create('b', [large]))).toBe(
      'pods "b" is forbidden: exceeded quota: q, requested: cpu=1500m,limits.cpu=1500m,requests.memory=1Gi, ' +
        'used: cpu=1,limits.cpu=2,requests.memory=512Mi, limited: cpu=2,limits.cpu=3,requests.memory=1Gi',
    );
  });

  it('do not measure pods that have ended, except as stored objects', async () => {
    await createQuota({ cpu: '1', pods: '1', 'count/pods': '2' });
    await create('a', [container({ cpu: '1' })]);
    await writeStatus('a', { phase: 'Succeeded' });
    await untilUsed({ cpu: '0', pods: '0', 'count/pods': '1' });
    await create('b', [container({ cpu: '1' })]);
    await plane.remove('pods', 'a');
    await untilUsed({ cpu: '1', pods: '1', 'count/pods': '1' });
  });

  it('require requests and limits of cpu and memory from each container', async () => {
    await createQuota({ 'limits.cpu': '1', memory: '1Gi', 'requests.ephemeral-storage': '1Gi' });
    const containers = [container(undefined, undefined, 'b'), container(undefined, { cpu: '1' }, 'a')];
    const refused = create('p', containers, { initContainers: [container(undefined, undefined, 'init')] });
    expect(await messageOf(refused)).toBe(
      'pods "p" is forbidden: failed quota: q: must specify limits.cpu for: b,init; memory for: a,b,init',
    );
    const whole = { resources: { requests: { memory: '1Mi' }, limits: { cpu: '1' } } };
    await create('p', [container()], whole);
    await untilUsed({ memory: '1Mi', 'limits.cpu': '1' });
  });

  it('name a bounded number of containers', async () => {
    await createQuota({ cpu: '1' });
    const containers = Array.from({ length: 300 }, (_, index) => container(undefined, undefined, `c${index}`));
    expect(await messageOf(create('p', containers))).toMatch(/,c\d+ and 200 more$/);
  });

  it('limit a resize and the larger amount while it is in progress', async () => {
    await createQuota({ cpu: '1' });
    await create('p', [container({ cpu: '500m' })]);
    const stored = plane.peek('pods', 'p') as JsonValue;
    const sized = (cpu: string) => [
      { ...(objectAt(stored, 'spec', 'containers', 0) ?? {}), resources: { requests: { cpu } } },
    ];
    expect(await messageOf(resize('p', sized('1500m')))).toContain(
      'exceeded quota: q, requested: cpu=1, used: cpu=500m',
    );
    await resize('p', sized('750m'));
    await untilUsed({ cpu: '750m' });
    const resources = { requests: { cpu: '900m' } };
    const state = { name: 'c', image: 'nginx', imageID: '', ready: false, restartCount: 0, resources };
    await writeStatus('p', { containerStatuses: [state] });
    await untilUsed({ cpu: '900m' });
  });

  it('hold under concurrent creates', async () => {
    await createQuota({ cpu: '1' }, { scopes: ['NotTerminating'] });
    const creates = Array.from({ length: 12 }, (_, index) => create(`p${index}`, [container({ cpu: '200m' })]));
    const results = await Promise.allSettled(creates);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    await untilUsed({ cpu: '1' });
  });
});

describe('scopes of quotas', () => {
  it('select pods by deadline and quality of service', async () => {
    for (const scope of ['Terminating', 'NotTerminating', 'BestEffort', 'NotBestEffort']) {
      await createQuota({ pods: '1' }, { scopes: [scope] }, scope.toLowerCase());
    }
    await create('a', [container()], { activeDeadlineSeconds: 60 });
    await create('b', [container({ cpu: '1' })]);
    for (const name of ['terminating', 'notterminating', 'besteffort', 'notbesteffort'])
      await untilUsed({ pods: '1' }, name);
    expect(await messageOf(create('c', [container({ cpu: '1' })]))).toContain('exceeded quota: notbesteffort');
    await plane.remove('pods', 'a');
    await untilUsed({ pods: '0' }, 'terminating');
    await untilUsed({ pods: '0' }, 'besteffort');
  });

  it('limit an update that moves a pod into a scope, and no other update', async () => {
    await create('p');
    await createQuota({ pods: '0' }, { scopes: ['Terminating'] });
    await createQuota({ cpu: '0' }, { scopes: ['NotTerminating'] }, 'other');
    const stored = plane.peek('pods', 'p');
    const spec = objectAt(stored as JsonValue, 'spec') ?? {};
    const update = (more: JsonObject, labels: JsonObject = {}) =>
      plane.update('pods', { metadata: { name: 'p', labels }, spec: { ...spec, ...more } });
    expect(await messageOf(update({ activeDeadlineSeconds: 5 }))).toContain('exceeded quota: q, requested: pods=1');
    await update({}, { a: 'b' });
  });

  it('select pods by priority class', async () => {
    for (const name of ['high', 'low']) {
      await plane.create('priorityclasses.scheduling.k8s.io', { metadata: { name }, value: 5 }, '');
    }
    const select = (operator: string, values?: string[]) => ({
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator, ...(values && { values }) }] },
    });
    await createQuota({ pods: '9' }, select('In', ['high']), 'in');
    await createQuota({ pods: '9' }, select('NotIn', ['high']), 'notin');
    await createQuota({ pods: '9' }, select('Exists'), 'exists');
    await createQuota({ pods: '9' }, select('DoesNotExist'), 'none');
    await create('a', [container()], { priorityClassName: 'high' });
    await create('b', [container()], { priorityClassName: 'low' });
    await create('c');
    await untilUsed({ pods: '1' }, 'in');
    await untilUsed({ pods: '2' }, 'notin');
    await untilUsed({ pods: '2' }, 'exists');
    await untilUsed({ pods: '1' }, 'none');
  });

  it('select pods with affinity to other namespaces', async () => {
    await createQuota({ pods: '0' }, { scopes: ['CrossNamespacePodAffinity'] });
    const affinity = (term: JsonObject) => {
      const podAffinityTerm = { topologyKey: 'zone', labelSelector: {}, ...term };
      const preferredDuringSchedulingIgnoredDuringExecution = [{ weight: 1, podAffinityTerm }];
      return { affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution } } };
    };
    await create('own', [container()], affinity({}));
    expect(await messageOf(create('p', [container()], affinity({ namespaces: ['x'] })))).toContain('exceeded quota: q');
    expect(await messageOf(create('p', [container()], affinity({ namespaceSelector: {} })))).toContain(
      'exceeded quota',
    );
  });

  it('select claims by volume attributes class', async () => {
    const matchExpressions = [{ scopeName: 'VolumeAttributesClass', operator: 'In', values: ['fast'] }];
    await createQuota(
      { persistentvolumeclaims: '1', 'requests.storage': '1Gi' },
      { scopeSelector: { matchExpressions } },
    );
    const claim = (name: string, more: JsonObject = {}) => ({
      metadata: { name },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...more },
    });
    await plane.create('persistentvolumeclaims', claim('plain'));
    await plane.create('persistentvolumeclaims', claim('a', { volumeAttributesClassName: 'fast' }));
    await untilUsed({ persistentvolumeclaims: '1', 'requests.storage': '1Gi' });
    const second = plane.create('persistentvolumeclaims', claim('b', { volumeAttributesClassName: 'fast' }));
    expect(await messageOf(second)).toContain('requested: persistentvolumeclaims=1,requests.storage=1Gi');
  });

  it('can be at most 1,000 in a namespace', async () => {
    const scopes = new Array(1_001).fill('BestEffort');
    expect(await messageOf(createQuota({ pods: '1' }, { scopes }))).toContain('can have at most 1000 scopes together');
  });
});

describe('the amounts of a pod', () => {
  const amountsOf = (spec: JsonObject) => {
    const amounts = measuredPods.amountsOf({ apiVersion: 'v1', kind: 'Pod', metadata: {}, spec });
    return Object.fromEntries([...amounts].map(([name, { billionths }]) => [name, Number(billionths / 1_000_000n)]));
  };

  it('contain init containers, sidecars and the overhead', () => {
    const initContainers = [
      { ...container({ cpu: '1' }), restartPolicy: 'Always' },
      container({ cpu: '3' }),
      container(undefined, { memory: '0' }),
    ];
    const spec = { containers: [container({ cpu: '2' })], initContainers, overhead: { cpu: '500m', memory: '1' } };
    expect(amountsOf(spec)).toEqual({
      'count/pods': 1000,
      pods: 1000,
      cpu: 4500,
      'requests.cpu': 4500,
      memory: 1000,
      'requests.memory': 1000,
    });
  });
});
