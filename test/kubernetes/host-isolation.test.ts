import { type JsonObject, listAt, objectAt, textAt } from '@flotilla/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { managementGroup, projectNamespace, projectRoles } from '../../src/api/naming.ts';
import { groupPath, mergePatch } from '../../src/server/server.fixture.ts';
import type { Kubectl } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { type Flotilla, instancesPath, openFlotilla } from './harness/open-flotilla.ts';
import { findKubernetes } from './harness/programs.ts';
import { type Kubernetes, startKubernetes } from './harness/start-kubernetes.ts';

const programs = findKubernetes();
const cluster = 'europe';

const privilegedPod = `
apiVersion: v1
kind: Pod
metadata: {name: takeover}
spec:
  containers: [{name: root, image: x, securityContext: {privileged: true}, volumeMounts: [{name: host, mountPath: /host}]}]
  volumes: [{name: host, hostPath: {path: /}}]`;
const clusterAdmin = `
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: takeover}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: default}]`;
const harmless = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: harmless}\ndata: {a: b}';
const enforce = 'pod-security.kubernetes.io/enforce';

describeIfAvailable(typeof programs === 'string' ? programs : undefined, 'a host that tenants cannot own', () => {
  let kubernetes: Kubernetes;
  let flotilla: Flotilla;
  let mallory: Kubectl;

  beforeAll(async () => {
    if (typeof programs === 'string') return;
    kubernetes = await startKubernetes({ programs });
    flotilla = await openFlotilla(kubernetes);
    await flotilla.connect(cluster, kubernetes);
    mallory = await flotilla.createUser('mallory');
    const members = [{ kind: 'User', name: 'mallory', clusterRole: projectRoles.admin }];
    await flotilla.ask(`${groupPath}/projects/default`, mergePatch({ spec: { members } }));
  });
  afterAll(async () => {
    await flotilla?.close();
    await kubernetes?.stop();
  });

  const instance = (name: string, template: JsonObject) =>
    JSON.stringify({
      apiVersion: `${managementGroup}/v1`,
      kind: 'VirtualClusterInstance',
      metadata: { name, namespace: projectNamespace('default') },
      spec: { clusterRef: { cluster }, template },
    });
  const tryToCreate = async (template: JsonObject) =>
    (await mallory.run(['create', '-f', '-'], { input: instance('takeover', template) })).stderr;
  const placeOf = async (name: string) =>
    textAt((await flotilla.instance(name)) as JsonObject, 'spec', 'clusterRef', 'namespace');
  const inHost = (path: string) => kubernetes.api.request('GET', path);

  it('refuses the inline template of a project admin that acts on it, and names the field', async () => {
    const space = /Forbidden.*spec\.template\.spaceTemplate/s;
    expect(await tryToCreate({ spaceTemplate: { objects: privilegedPod } })).toMatch(space);
    expect(await tryToCreate({ spaceTemplate: { objects: clusterAdmin } })).toMatch(space);
    expect(await tryToCreate({ spaceTemplate: { metadata: { labels: { [enforce]: 'privileged' } } } })).toMatch(space);
    const manifests = { experimental: { deploy: { host: { manifests: privilegedPod } } } };
    expect(await tryToCreate({ helmRelease: { values: JSON.stringify(manifests) } })).toMatch(
      /Forbidden.*spec\.template\.helmRelease\.values.*experimental\.deploy\.host\.manifests/s,
    );
    expect((await flotilla.ask(`${instancesPath}/takeover`)).code).toBe(404);
  });

  it('refuses the same from values that are rendered later, and says so in a condition', async () => {
    const values = '{{ "experimental" }}: {deploy: {host: {manifests: "x: y"}}}';
    await mallory.ok(['create', '-f', '-'], { input: instance('smuggled', { helmRelease: { values } }) });
    await flotilla.wait('smuggled', 'condition=TemplateResolved=False');
    const path = 'jsonpath={.status.conditions[?(@.type=="TemplateResolved")].message}';
    expect(await flotilla.admin.ok(['get', 'vci/smuggled', '-o', path])).toContain(
      'helmRelease.values: Forbidden: the chart value experimental.deploy.host.manifests',
    );
    expect((await inHost(`/api/v1/namespaces/${await placeOf('smuggled')}`)).code).toBe(404);
    await flotilla.admin.ok(['delete', 'vci/smuggled', '--wait=false']);
  });

  it('runs virtual clusters of project admins with the allowed values, at the Pod Security level baseline', async () => {
    const values = 'controlPlane: {statefulSet: {resources: {requests: {cpu: 10m}}}}';
    await mallory.ok(['create', '-f', '-'], { input: instance('modest', { helmRelease: { values } }) });
    await flotilla.wait('modest', 'condition=Ready');
    const namespace = await placeOf('modest');
    const { body } = await inHost(`/api/v1/namespaces/${namespace}`);
    expect(textAt(body, 'metadata', 'labels', enforce)).toBe('baseline');
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'takeover' },
      spec: { containers: [{ name: 'c', image: 'x', securityContext: { privileged: true } }] },
    };
    const refused = await kubernetes.api.request('POST', `/api/v1/namespaces/${namespace}/pods`, pod);
    expect(textAt(refused.body, 'message')).toContain('violates PodSecurity "baseline:latest"');
  });

  /** The objects that isolate the namespace of an instance, by name. */
  const isolationPaths = (namespace: string) => {
    const policies = `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies/flotilla-isolation`;
    return {
      ingress: policies,
      api: `${policies}-api`,
      controlPlane: `${policies}-control-plane`,
      egress: `${policies}-egress`,
      quota: `/api/v1/namespaces/${namespace}/resourcequotas/flotilla-isolation`,
      limits: `/api/v1/namespaces/${namespace}/limitranges/flotilla-isolation`,
    };
  };

  it('isolates the namespaces of a new installation without any setting', async () => {
    const paths = isolationPaths(await placeOf('modest'));
    const specOf = async (path: string) => objectAt((await inHost(path)).body, 'spec');
    expect(await specOf(paths.ingress)).toEqual({
      podSelector: {},
      policyTypes: ['Ingress'],
      ingress: [
        {
          from: [{ podSelector: {} }, { namespaceSelector: { matchLabels: { 'platform.sh/tenant-access': 'true' } } }],
        },
      ],
    });
    expect(await specOf(paths.api)).toMatchObject({ podSelector: { matchLabels: { app: 'vcluster' } } });
    const egress = listAt(await specOf(paths.egress), 'egress');
    expect(egress.slice(0, 2)).toEqual([
      { to: [{ podSelector: {} }] },
      {
        ports: [
          { protocol: 'UDP', port: 53 },
          { protocol: 'TCP', port: 53 },
        ],
      },
    ]);
    const [open] = listAt(egress[2], 'to');
    expect(textAt(open, 'ipBlock', 'cidr')).toBe('0.0.0.0/0');
    expect(listAt(open, 'ipBlock', 'except')).toEqual(expect.arrayContaining(['169.254.0.0/16', '10.0.0.0/8']));
    expect(await specOf(paths.controlPlane)).toMatchObject({ policyTypes: ['Egress'], egress: [{}] });
    expect(await specOf(paths.quota)).toMatchObject({ hard: { pods: '200', 'requests.memory': '256Gi' } });
    expect(await specOf(paths.limits)).toEqual({
      limits: [{ type: 'Container', default: { memory: '2Gi' }, defaultRequest: { cpu: '50m', memory: '64Mi' } }],
    });
  });

  it('accepts the pods of the chart and of tenants with the default limits, and refuses what exceeds them', async () => {
    const namespace = await placeOf('modest');
    const pod = (name: string, resources: JsonObject) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: { containers: [{ name: 'c', image: 'x', resources }] },
    });
    const create = (body: JsonObject) => kubernetes.api.request('POST', `/api/v1/namespaces/${namespace}/pods`, body);
    const accepted = await create(pod('plain', {}));
    expect([accepted.code, listAt(accepted.body, 'spec', 'containers')]).toMatchObject([
      201,
      [{ resources: { limits: { memory: '2Gi' }, requests: { cpu: '50m', memory: '64Mi' } } }],
    ]);
    const large = { requests: { cpu: '65' } };
    await expect
      .poll(async () => textAt((await create(pod('large', large))).body, 'message'))
      .toContain('exceeded quota');
    await kubernetes.api.request('DELETE', `/api/v1/namespaces/${namespace}/pods/plain`);
  });

  it('follows hostIsolation of the cluster and the project, which can replace or remove each part', async () => {
    const paths = isolationPaths(await placeOf('modest'));
    const codes = async () => await Promise.all(Object.values(paths).map(async (path) => (await inHost(path)).code));
    const isolate = async (path: string, ...values: (JsonObject | null)[]) => {
      for (const hostIsolation of values)
        await flotilla.ask(`${groupPath}/${path}`, mergePatch({ spec: { hostIsolation } }));
    };
    const hard = async () => objectAt((await inHost(paths.quota)).body, 'spec', 'hard');
    await isolate(`clusters/${cluster}`, { resourceQuota: { pods: 50 } });
    await expect.poll(hard, { timeout: 60_000 }).toEqual({ pods: '50' });
    await isolate('projects/default', { resourceQuota: { pods: 20 } });
    await expect.poll(hard, { timeout: 60_000 }).toEqual({ pods: '20' });
    await isolate('projects/default', null);
    await isolate(`clusters/${cluster}`, null, {
      isolateNetwork: false,
      deniedEgressCIDRs: [],
      resourceQuota: {},
      limitRange: { default: {}, defaultRequest: {} },
    });
    await expect.poll(codes, { timeout: 60_000 }).toEqual([404, 404, 404, 404, 404, 404]);
    await isolate(`clusters/${cluster}`, null, { deniedEgressCIDRs: ['0.0.0.0/0', '::/0'], resourceQuota: {} });
    await expect.poll(codes, { timeout: 60_000 }).toEqual([200, 200, 200, 200, 404, 200]);
    const egressRules = async () => listAt((await inHost(paths.egress)).body, 'spec', 'egress');
    await expect.poll(egressRules, { timeout: 60_000 }).toHaveLength(2);
    await isolate(`clusters/${cluster}`, null);
    await expect.poll(codes, { timeout: 60_000 }).toEqual([200, 200, 200, 200, 200, 200]);
    await flotilla.admin.ok(['delete', 'vci/modest', '--wait=false']);
  });

  it('applies objects of an admin as an account of the namespace that may write only allowed resources', async () => {
    const objects = [harmless, privilegedPod, clusterAdmin].join('\n---\n');
    await flotilla.createInstance('by-admin', { clusterRef: { cluster }, template: { spaceTemplate: { objects } } });
    await flotilla.wait('by-admin', 'jsonpath={.status.reason}=ObjectsNotApplied');
    const message = textAt((await flotilla.instance('by-admin')) as JsonObject, 'status', 'message');
    expect(message).toContain('templates may not apply rolebindings.rbac.authorization.k8s.io on a host');
    expect(message).toContain('violates PodSecurity "baseline:latest"');
    const namespace = await placeOf('by-admin');
    expect((await inHost(`/api/v1/namespaces/${namespace}/configmaps/harmless`)).code).toBe(200);
    const account = `--as=system:serviceaccount:${namespace}:flotilla-template`;
    const can = async (...what: string[]) =>
      (await kubernetes.kubectl.run(['auth', 'can-i', ...what, '-n', namespace, account])).stdout.trim();
    expect(await can('patch', 'configmaps')).toBe('yes');
    expect(await can('create', 'rolebindings.rbac.authorization.k8s.io')).toBe('no');
    expect(await can('patch', 'namespaces')).toBe('no');
    const label = { spaceTemplate: { metadata: { labels: { [enforce]: 'privileged' } } } };
    const body = { metadata: { name: 'labelled' }, spec: { clusterRef: { cluster }, template: label } };
    expect(await flotilla.ask(instancesPath, { method: 'POST', body })).toMatchObject({ code: 422 });
    await flotilla.admin.ok(['delete', 'vci/by-admin', '--wait=false']);
  });
});
