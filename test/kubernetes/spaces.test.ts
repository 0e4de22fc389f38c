import { flagAt, type JsonObject, type JsonValue, numberAt, textAt, valueAt } from '@flotilla/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { projectRoles, sleepForceAnnotation } from '../../src/api/naming.ts';
import { inPhase, isGone, isReconciled, spacesOf, waitForInstance } from '../../src/server/instances.fixture.ts';
import { groupPath, mergePatch } from '../../src/server/server.fixture.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { type Flotilla, openFlotilla } from './harness/open-flotilla.ts';
import { findKubernetes } from './harness/programs.ts';
import { type Kubernetes, startKubernetes } from './harness/start-kubernetes.ts';

const programs = findKubernetes();
const cluster = 'europe';
const spaces = spacesOf('default');
const enforce = 'pod-security.kubernetes.io/enforce';

describeIfAvailable(typeof programs === 'string' ? programs : undefined, 'a space on a real cluster', () => {
  let kubernetes: Kubernetes;
  let flotilla: Flotilla;
  let namespace = '';

  beforeAll(async () => {
    if (typeof programs === 'string') return;
    kubernetes = await startKubernetes({ programs });
    flotilla = await openFlotilla(kubernetes);
    await flotilla.connect(cluster, kubernetes);
    for (const name of ['anna', 'ben']) await flotilla.createUser(name);
    const members = ['anna', 'ben'].map((name) => ({ kind: 'User', name, clusterRole: projectRoles.user }));
    const hostIsolation = {
      podSecurity: 'restricted',
      isolateNetwork: true,
      resourceQuota: { pods: 20, configmaps: 50 },
      limitRange: { default: { cpu: '500m' } },
    };
    await flotilla.ask(`${groupPath}/projects/default`, mergePatch({ spec: { members, hostIsolation } }));
  });
  afterAll(async () => {
    await flotilla?.close();
    await kubernetes?.stop();
  });

  const waitFor = (name: string, has: (space: JsonObject | undefined) => boolean) =>
    waitForInstance(flotilla.bench, flotilla.server, { plural: 'spaceinstances', name }, has);
  const onHost = async (path: string) => (await kubernetes.api.request('GET', path)).body;
  const isAllowed = async (user: string, verb: string, resource: string, where = namespace) => {
    const resourceAttributes = { namespace: where, verb, resource };
    const spec = { user, groups: [`platform:user:${user}`, 'platform:authenticated'], resourceAttributes };
    const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
    return flagAt(await kubernetes.api.ok('POST', path, review), 'status', 'allowed');
  };

  it('is created as an isolated namespace with the limits of its template, and becomes Ready', async () => {
    const template = { resourceQuota: { pods: 10 }, metadata: { labels: { team: 'shop' } } };
    const body = { metadata: { name: 'shop' }, spec: { owner: { user: 'anna' }, clusterRef: { cluster }, template } };
    const made = await flotilla.ask(spaces, { method: 'POST', body });
    expect(made.code, made.text).toBe(201);
    const space = await waitFor('shop', inPhase('Ready'));
    namespace = textAt(space, 'spec', 'clusterRef', 'namespace');
    expect(valueAt(space, 'status', 'hostNamespace')).toMatchObject({ cluster, name: namespace });
    const host = await onHost(`/api/v1/namespaces/${namespace}`);
    expect(textAt(host, 'metadata', 'labels', enforce)).toBe('restricted');
    expect(textAt(host, 'metadata', 'labels', 'team')).toBe('shop');
    const quota = await onHost(`/api/v1/namespaces/${namespace}/resourcequotas/flotilla-isolation`);
    expect(valueAt(quota, 'spec', 'hard')).toEqual({ pods: '10', configmaps: '50' });
    const limits = await onHost(`/api/v1/namespaces/${namespace}/limitranges/flotilla-isolation`);
    expect(textAt(limits, 'kind')).toBe('LimitRange');
    const policies = `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`;
    expect(textAt(await onHost(`${policies}/flotilla-isolation`), 'kind')).toBe('NetworkPolicy');
    expect((await kubernetes.api.request('GET', `${policies}/flotilla-isolation-api`)).code).toBe(404);
  });

  it('gives its owner the role admin, and others only the roles that it grants', async () => {
    await expect.poll(() => isAllowed('anna', 'create', 'secrets')).toBe(true);
    expect(await isAllowed('anna', 'delete', 'resourcequotas')).toBe(false);
    expect(await isAllowed('anna', 'patch', 'namespaces')).toBe(false);
    expect(await isAllowed('anna', 'get', 'secrets', 'default')).toBe(false);
    expect(await isAllowed('ben', 'get', 'pods')).toBe(false);
    const access = [{ verbs: ['get', 'use'], users: ['ben'] }];
    const extraAccessRules = [{ users: ['ben'], clusterRole: 'view' }];
    await flotilla.ask(`${spaces}/shop`, mergePatch({ spec: { access, extraAccessRules } }));
    await waitFor('shop', isReconciled);
    await expect.poll(() => isAllowed('ben', 'get', 'pods')).toBe(true);
    expect(await isAllowed('ben', 'create', 'pods')).toBe(false);
    await flotilla.ask(`${spaces}/shop`, mergePatch({ spec: { access: [], extraAccessRules: [] } }));
    await expect.poll(() => isAllowed('ben', 'get', 'pods')).toBe(false);
  });

  it('scales its workloads to zero when it sleeps, and restores them when it wakes', async () => {
    const container = { name: 'c', image: 'x' };
    const selector = { matchLabels: { app: 'web' } };
    const pods = { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } };
    const jobs = { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } };
    const workloads: [path: string, body: JsonObject][] = [
      ['apps/v1 deployments web', { replicas: 3, selector, template: pods }],
      ['apps/v1 statefulsets db', { replicas: 1, selector, template: pods, serviceName: 'db' }],
      ['apps/v1 deployments off', { replicas: 0, selector, template: pods }],
      ['v1 replicationcontrollers old', { replicas: 2, selector: selector.matchLabels, template: pods }],
      ['batch/v1 cronjobs nightly', { schedule: '0 3 * * *', jobTemplate: jobs }],
    ];
    const kinds: Record<string, string> = {
      deployments: 'Deployment',
      statefulsets: 'StatefulSet',
      replicationcontrollers: 'ReplicationController',
      cronjobs: 'CronJob',
    };
    const pathOf = (text: string) => {
      const [group = '', plural = '', name = ''] = text.split(' ');
      const root = group === 'v1' ? 'api' : 'apis';
      return { group, plural, name, collection: `/${root}/${group}/namespaces/${namespace}/${plural}` };
    };
    for (const [text, spec] of workloads) {
      const { group, plural, name, collection } = pathOf(text);
      const body = { apiVersion: group, kind: kinds[plural] ?? '', metadata: { name }, spec };
      await kubernetes.api.ok('POST', collection, body);
    }
    const state = async () => {
      const found: JsonValue[] = [];
      for (const [text] of workloads) {
        const { collection, name } = pathOf(text);
        const object = await onHost(`${collection}/${name}`);
        found.push(numberAt(object, 'spec', 'replicas') ?? flagAt(object, 'spec', 'suspend'));
      }
      return found;
    };
    expect(await state()).toEqual([3, 1, 0, 2, false]);
    await flotilla.ask(`${spaces}/shop`, mergePatch({ metadata: { annotations: { [sleepForceAnnotation]: 'true' } } }));
    await waitFor('shop', inPhase('Sleeping'));
    expect(await state()).toEqual([0, 0, 0, 0, true]);
    await flotilla.ask(`${spaces}/shop`, mergePatch({ metadata: { annotations: { [sleepForceAnnotation]: null } } }));
    await waitFor('shop', inPhase('Ready'));
    expect(await state()).toEqual([3, 1, 0, 2, false]);
  });

  it('leaves nothing on the cluster when it is deleted', async () => {
    expect((await flotilla.ask(`${spaces}/shop`, { method: 'DELETE' })).code).toBe(200);
    await waitFor('shop', isGone);
    expect((await kubernetes.api.request('GET', `/api/v1/namespaces/${namespace}`)).code).toBe(404);
  });

  it('can be an imported namespace, which has its former labels and roles after the space is deleted', async () => {
    const labels = { [enforce]: 'privileged', kept: 'yes' };
    await kubernetes.api.ok('POST', '/api/v1/namespaces', { metadata: { name: 'old', labels } });
    const sourceSpace = { name: 'old', cluster, importName: 'imported', owner: { user: 'anna' } };
    const path = `${groupPath}/projects/default/importspace`;
    const made = await flotilla.ask(path, { method: 'POST', body: { sourceSpace } });
    expect(made.code, made.text).toBe(201);
    await waitFor('imported', inPhase('Ready'));
    await expect.poll(() => isAllowed('anna', 'create', 'secrets', 'old')).toBe(true);
    expect(textAt(await onHost('/api/v1/namespaces/old'), 'metadata', 'labels', enforce)).toBe('privileged');
    expect((await flotilla.ask(`${spaces}/imported`, { method: 'DELETE' })).code).toBe(200);
    await waitFor('imported', isGone);
    const left = await onHost('/api/v1/namespaces/old');
    expect(valueAt(left, 'metadata', 'labels')).toEqual({ ...labels, 'kubernetes.io/metadata.name': 'old' });
    await expect.poll(() => isAllowed('anna', 'create', 'secrets', 'old')).toBe(false);
  });
});
