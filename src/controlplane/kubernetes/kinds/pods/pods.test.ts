import { type JsonObject, type JsonValue, listAt, numberAt, objectAt, textAt } from '@flotilla/json';
import { beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../api/meta.ts';
import type { KindStore } from '../../../../registry/kind-store.ts';
import type { SubresourceVerbs } from '../../../../registry/verbs.ts';
import { deleteNamespaceContents } from '../../../core/namespaces/namespace-contents.ts';
import { testDeleteOptions, testWriteOptions } from '../../../plane.fixture.ts';
import { Kinds, refusal } from '../../kubernetes-kinds.fixture.ts';
import { podSubresources } from './subresources/pod-subresources.ts';

const web = { name: 'web', image: 'nginx' };

let kinds: Kinds;
beforeEach(async () => {
  kinds = await Kinds.open();
});

async function create(name: string, spec: JsonObject = {}, metadata: JsonObject = {}): Promise<KubeObject> {
  return await kinds.create('pods', name, { metadata: { name, ...metadata }, spec: { containers: [web], ...spec } });
}

const stored = (name: string) => kinds.store('pods').peek('default', name)?.object;
const scheduled = (pod: KubeObject | undefined) =>
  listAt(pod as JsonValue, 'status', 'conditions').find((condition) => textAt(condition, 'type') === 'PodScheduled');

function subresource(name: string): SubresourceVerbs {
  const storeOf = (key: string): KindStore | undefined => {
    // The test plane has no core kinds such as service accounts.
    return key === 'serviceaccounts' ? undefined : kinds.store(key);
  };
  const found = podSubresources(kinds.store('pods'), storeOf)[name];
  if (found === undefined) throw new Error(`pods have no subresource ${name}`);
  return found.verbs;
}

async function post(name: string, pod: string, body: JsonObject): Promise<unknown> {
  const object = { apiVersion: 'v1', kind: 'x', metadata: { name: pod }, ...body } as KubeObject;
  return await subresource(name).createNamed?.(kinds.context(), pod, object, testWriteOptions);
}

describe('a pod on the built-in host', () => {
  it('says in a condition that nothing runs it', async () => {
    const pod = await create('p');
    expect(pod.status).toMatchObject({ phase: 'Pending', qosClass: 'BestEffort' });
    expect(scheduled(pod)).toMatchObject({ status: 'False', reason: 'NoNodes' });
    expect(textAt(scheduled(pod), 'message')).toContain('nothing runs pods on the built-in host');
    expect(kinds.cells('pods', pod)).toEqual([
      'p',
      '0/1',
      'Pending',
      '0',
      '0s',
      '<none>',
      '<none>',
      '<none>',
      '<none>',
    ]);
  });

  it('has no such condition if it has a node or waits for its scheduling gates', async () => {
    expect(scheduled(await create('placed', { nodeName: 'n' }))).toBeUndefined();
    const gated = await create('gated', { schedulingGates: [{ name: 'example.com/gate' }] });
    expect(scheduled(gated)).toMatchObject({ reason: 'SchedulingGated' });
    const spec = { ...objectAt(gated as JsonValue, 'spec'), schedulingGates: [] };
    const open = await kinds.update('pods', gated, { spec });
    expect(scheduled(open)).toMatchObject({ reason: 'NoNodes' });
    expect(open.metadata.generation).toBe(2);
  });

  it('is removed at once, because it has no kubelet', async () => {
    await create('p');
    expect(await kinds.remove('pods', 'p')).toMatchObject({ isRemoved: true });
    expect(stored('p')).toBeUndefined();
  });

  it('stays with a node until it is deleted without a grace period', async () => {
    await create('p', { nodeName: 'n' });
    const remove = (seconds?: number) =>
      kinds.store('pods').verbs.delete(kinds.context(), 'p', { ...testDeleteOptions(), gracePeriodSeconds: seconds });
    await remove();
    expect(stored('p')?.metadata).toMatchObject({ deletionGracePeriodSeconds: 30, generation: 2 });
    await remove(60);
    expect(stored('p')?.metadata.deletionGracePeriodSeconds).toBe(30);
    await remove(5);
    expect(stored('p')?.metadata.deletionGracePeriodSeconds).toBe(5);
    await remove(0);
    expect(stored('p')).toBeUndefined();
  });

  it('is removed with its namespace, even if it has a node', async () => {
    await create('p', { nodeName: 'n' });
    await kinds.remove('pods', 'p');
    await create('q', { nodeName: 'n' });
    await deleteNamespaceContents({ stores: () => [kinds.store('pods')] }, 'default');
    expect([stored('p'), stored('q')]).toEqual([undefined, undefined]);
  });

  it('may change only its image, deadline, tolerations and gates', async () => {
    const pod = await create('p', { tolerations: [{ key: 'k', operator: 'Exists' }] });
    const spec = objectAt(pod as JsonValue, 'spec') ?? {};
    const change = (members: JsonObject) => kinds.update('pods', pod, { spec: { ...spec, ...members } });
    expect(await refusal(change({ hostname: 'h' }))).toContain('pod updates may not change fields other than');
    expect(await refusal(change({ tolerations: [] }))).toContain('spec.tolerations');
    expect(await refusal(change({ containers: [web, { ...web, name: 'b' }] }))).toContain('may not add or remove');
    const [container] = listAt(spec, 'containers');
    const next = await change({ containers: [{ ...(container as JsonObject), image: 'nginx:2' }] });
    expect(next.metadata.generation).toBe(2);
  });

  it('needs a priority class and a runtime class that exist', async () => {
    expect(await refusal(create('p', { priorityClassName: 'none' }))).toContain('no PriorityClass with name none');
    expect(await refusal(create('p', { runtimeClassName: 'none' }))).toContain('RuntimeClass "none" not found');
    expect(await refusal(create('p', { serviceAccountName: 'none' }))).toContain('serviceaccount "none" not found');
    const critical = await create('p', { priorityClassName: 'system-node-critical' });
    expect(numberAt(critical as JsonValue, 'spec', 'priority')).toBe(2_000_001_000);
  });

  it('gets the defaults of its namespace, and must keep within its limits', async () => {
    const limit = { type: 'Container', max: { cpu: '1' }, default: { cpu: '500m' } };
    await kinds.create('limitranges', 'l', { spec: { limits: [limit] } });
    const pod = await create('p');
    expect(textAt(pod as JsonValue, 'spec', 'containers', 0, 'resources', 'limits', 'cpu')).toBe('500m');
    expect(pod.metadata.annotations?.['kubernetes.io/limit-ranger']).toContain('cpu limit for container web');
    const large = { ...web, resources: { limits: { cpu: '2' } } };
    const message = await refusal(create('large', { containers: [large] }));
    expect(message).toContain('maximum cpu usage per Container is 1, but limit is 2');
  });
});

describe('the subresources of a pod', () => {
  it('bind it to a node once, without a new generation', async () => {
    await create('p');
    await post('binding', 'p', { target: { name: 'n' } });
    expect(stored('p')).toMatchObject({ metadata: { generation: 1 }, spec: { nodeName: 'n' } });
    expect(scheduled(stored('p'))).toMatchObject({ status: 'True' });
    expect(await refusal(post('binding', 'p', { target: { name: 'm' } }))).toContain('already assigned to node "n"');
  });

  it('evict it only if its disruption budget allows that', async () => {
    const pod = await create('p', { nodeName: 'n' }, { labels: { a: 'b' } });
    await kinds.updateStatus('pods', pod, {
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    });
    const budget = await kinds.create('poddisruptionbudgets.policy', 'b', {
      spec: { minAvailable: 1, selector: { matchLabels: { a: 'b' } } },
    });
    expect(await refusal(post('eviction', 'p', {}))).toContain("violate the pod's disruption budget");
    const status = {
      observedGeneration: 1,
      disruptionsAllowed: 1,
      currentHealthy: 2,
      desiredHealthy: 1,
      expectedPods: 2,
    };
    await kinds.updateStatus('poddisruptionbudgets.policy', budget, { status });
    await post('eviction', 'p', {});
    expect(stored('p')?.metadata.deletionTimestamp).toBeDefined();
    const left = kinds.store('poddisruptionbudgets.policy').peek('default', 'b')?.object;
    expect(numberAt(left as JsonValue, 'status', 'disruptionsAllowed') ?? 0).toBe(0);
  });

  it('do not connect to a pod without a node', async () => {
    await create('p');
    const connect = subresource('exec').connect?.(kinds.context(), 'p', new URLSearchParams());
    expect(await refusal(connect ?? Promise.resolve())).toBe('pod p does not have a host assigned');
    const log = await subresource('log').read?.(kinds.context(), 'p', new URLSearchParams());
    expect(log?.status).toBe(204);
  });

  it('change only their own part of it', async () => {
    const pod = await create('p');
    const spec = {
      ...objectAt(pod as JsonValue, 'spec'),
      hostname: 'h',
      ephemeralContainers: [{ ...web, name: 'debug' }],
    };
    const sent = kinds.decoded('pods', { ...(pod as JsonObject), spec });
    await expect(
      subresource('ephemeralcontainers').update?.(kinds.context(), 'p', sent, testWriteOptions),
    ).rejects.toThrow('service account');
    const resources = { requests: { cpu: '1' } };
    const resized = { ...objectAt(pod as JsonValue, 'spec'), hostname: 'h', containers: [{ ...web, resources }] };
    const message = await refusal(
      subresource('resize').update?.(
        kinds.context(),
        'p',
        kinds.decoded('pods', { ...(pod as JsonObject), spec: resized }),
        testWriteOptions,
      ) ?? Promise.resolve(),
    );
    expect(message).toContain('Pod QOS Class may not change as a result of resizing');
  });
});
