import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type JsonObject, type JsonValue, listAt, textAt, valueAt } from '@flotilla/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { protobufCodec } from '../../src/http/protobuf/envelope.ts';
import { mergePatch, type RequestOptions } from '../../src/server/server.fixture.ts';
import { createSpace, spacesOf } from '../../src/server/spaces.fixture.ts';
import { type Kubectl, kubectlWith } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { type Flotilla, openFlotilla } from './harness/open-flotilla.ts';
import { findKubernetes } from './harness/programs.ts';
import { type Kubernetes, startKubernetes } from './harness/start-kubernetes.ts';

const programs = findKubernetes();
const cluster = 'europe';
const spaces = spacesOf('default');
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const reviews = '/apis/authorization.k8s.io/v1';
/** Selects kubectl's older protocol (SPDY) instead of WebSockets. */
const spdy = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' };

describeIfAvailable(typeof programs === 'string' ? programs : undefined, 'a space on a real API server', () => {
  let kubernetes: Kubernetes;
  let flotilla: Flotilla;
  let own = '';
  let other = '';
  let anna: Kubectl;
  /** Two access keys: the first of the owner, the second of an admin with a scope for this space only. */
  const tokens: string[] = [];

  const ask = (path: string, call: RequestOptions = {}) =>
    flotilla.ask(`/kubernetes/project/default/space/web${path}`, { token: tokens[0] ?? '', ...call });

  const create = (name: string, user: string) =>
    createSpace(flotilla.bench, flotilla.server, { name }, { clusterRef: { cluster }, owner: { user } });

  beforeAll(async () => {
    if (typeof programs === 'string') return;
    kubernetes = await startKubernetes({ programs });
    flotilla = await openFlotilla(kubernetes);
    await flotilla.connect(cluster, kubernetes);
    const { bench, server } = flotilla;
    for (const name of ['anna', 'bob']) await bench.createObject(server, 'users', name);
    own = await create('web', 'anna');
    other = await create('shop', 'bob');
    const scope = { spaces: [{ project: 'default', space: 'web' }] };
    tokens.push(await bench.createKey(server, 'annas', { user: 'anna' }));
    tokens.push(await bench.createKey(server, 'scoped', { user: 'admin', scope }));
    const made = await flotilla.ask(`${spaces}/web/kubeconfig`, { method: 'POST', body: {}, token: tokens[0] ?? '' });
    const file = `${bench.root}/space.kubeconfig`;
    writeFileSync(file, textAt(made.json, 'status', 'kubeConfig'), { mode: 0o600 });
    anna = kubectlWith(file);
    await kubernetes.kubectl.ok(['create', 'secret', 'generic', 'kept', '-n', other, '--from-literal=word=hidden']);
  }, 120_000);
  afterAll(async () => {
    await flotilla?.close();
    await kubernetes?.stop();
  });

  it('serves kubectl in the namespace of the context, and nothing outside of it', async () => {
    await anna.ok(['create', 'configmap', 'first']);
    expect(await anna.ok(['get', 'configmaps', '-o', 'name'])).toMatch(/configmap\/first/);
    expect(await anna.ok(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'])).toBe('anna');
    expect(await anna.ok(['auth', 'can-i', 'create', 'pods'])).toMatch(/yes/);
    expect((await anna.run(['auth', 'can-i', 'get', 'secrets', '-n', other])).stdout).toMatch(/no/);
    expect((await anna.run(['auth', 'can-i', 'get', 'secrets', '-A'])).stdout).toMatch(/no/);
    expect(await anna.ok(['get', 'namespace', own, '-o', 'name'])).toBe(`namespace/${own}\n`);
    for (const args of [
      ['get', 'pods', '-A'],
      ['get', 'namespaces'],
      ['get', 'nodes'],
      ['get', 'secrets', '-n', other],
      ['label', 'namespace', own, 'pod-security.kubernetes.io/enforce=privileged', '--overwrite'],
      ['delete', 'namespace', own],
      ['create', 'namespace', 'more'],
      ['get', 'secrets', '--as=bob'],
      ['create', 'token', 'default', '-n', 'kube-system'],
    ])
      expect((await anna.run(args)).stderr, args.join(' ')).toMatch(/the space "web" of the project "default"/);
  });

  it('cannot be widened with paths, bodies and methods', async () => {
    const attacks: readonly (readonly [string, string, JsonValue?])[] = [
      ['GET', `/api/v1/namespaces/${other}/secrets/kept`],
      ['GET', '/api/v1/secrets'],
      ['GET', `/api/v1/secrets?fieldSelector=metadata.namespace%3D${own}`],
      ['GET', `/api/v1/watch/namespaces/${own}/secrets`],
      ['GET', `/api/v1/watch/namespaces/${other}/secrets`],
      ['GET', `/api/v1/namespaces/${own}/../${other}/secrets/kept`],
      ['GET', `/api/v1/namespaces/${own}%2F..%2F${other}/secrets/kept`],
      ['GET', `/api/v1/namespaces/${own}/secrets/..%2F..%2F${other}%2Fsecrets%2Fkept`],
      ['GET', `/api/v1//namespaces/${other}/secrets/kept`],
      ['GET', `/api/v1/namespaces/${own}/services/x/proxy/../../../../${other}/secrets/kept`],
      ['GET', `/api/v1/namespaces/${other}/services/x/proxy/`],
      ['GET', '/api/v1/nodes/x/proxy/metrics'],
      ['GET', '/metrics'],
      ['DELETE', `/api/v1/namespaces/${other}/secrets`],
      ['DELETE', '/api/v1/secrets'],
      ['PUT', `/api/v1/namespaces/${own}/finalize`, { metadata: { name: own }, spec: { finalizers: [] } }],
      ['POST', `/api/v1/namespaces/${other}/serviceaccounts/default/token`, {}],
      ['POST', '/api/v1/namespaces', { metadata: { name: 'more' } }],
      ['POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {}],
      ['POST', '/apis/apiregistration.k8s.io/v1/apiservices', {}],
      ['POST', `${rbac}/clusterrolebindings`, {}],
      ['POST', `${reviews}/subjectaccessreviews`, {}],
      ['POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'x' } }],
      ['POST', `/api/v1/namespaces/${own}/configmaps`, { metadata: { name: 'x', namespace: other } }],
      ['POST', `/api/v1/namespaces/${own}/configmaps`, { apiVersion: 'v1', kind: 'List', items: [] }],
      ['POST', `/api/v1/namespaces/${own}/nodes`, { metadata: { name: 'x' } }],
      ['GET', `/apis/apiextensions.k8s.io/v1/namespaces/${own}/customresourcedefinitions`],
      ['GET', `${rbac}/namespaces/${own}/clusterroles`],
    ];
    for (const token of tokens) {
      for (const [method, path, body] of attacks) {
        const call = { method, token, ...(body === undefined ? {} : { body }) } as RequestOptions;
        const { code, text } = await ask(path, call);
        expect([400, 403, 404], `${method} ${path}: ${code} ${text}`).toContain(code);
        expect(text).not.toContain('hidden');
      }
    }
    expect(await kubernetes.kubectl.ok(['get', 'secret', 'kept', '-n', other, '-o', 'name'])).toBe('secret/kept\n');
  });

  it('gives no permissions that the caller does not have, as Kubernetes checks it', async () => {
    const role = { metadata: { name: 'wide' }, rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] };
    const binding = {
      metadata: { name: 'wide' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'anna' }],
    };
    const post = (plural: string, body: JsonObject) =>
      ask(`${rbac}/namespaces/${own}/${plural}`, { method: 'POST', body });
    expect((await post('roles', role)).text).toMatch(/attempting to grant RBAC permissions not currently held/);
    expect((await post('rolebindings', binding)).text).toMatch(
      /attempting to grant RBAC permissions not currently held/,
    );
  });

  it('answers reviews with the permissions in the space, in JSON and in protobuf', async () => {
    const kind = 'SelfSubjectAccessReview';
    const apiVersion = 'authorization.k8s.io/v1';
    for (const token of tokens) {
      for (const [namespace, expected] of [
        [own, true],
        [other, false],
        ['', false],
      ] as const) {
        const spec = { resourceAttributes: { verb: 'get', resource: 'secrets', namespace } };
        const review = { apiVersion, kind, metadata: {}, spec };
        const path = `${reviews}/selfsubjectaccessreviews`;
        const plain = await ask(path, { method: 'POST', body: review, token });
        const raw = protobufCodec.encode(review as never);
        const type = 'application/vnd.kubernetes.protobuf';
        const encoded = await ask(path, { method: 'POST', raw, type, token });
        for (const { json, text } of [plain, encoded])
          expect(valueAt(json, 'status', 'allowed') ?? false, text).toBe(expected);
      }
      const rules = async (namespace: string) => {
        const body = { apiVersion, kind: 'SelfSubjectRulesReview', spec: { namespace } };
        return listAt(
          (await ask(`${reviews}/selfsubjectrulesreviews`, { method: 'POST', body, token })).json,
          'status',
          'resourceRules',
        );
      };
      expect((await rules(own)).length).toBeGreaterThan(0);
      expect(await rules(other)).toEqual([]);
    }
  });

  it('opens shells in pods of the namespace with both protocols of kubectl, until access ends', async () => {
    for (const [kubectl, namespace] of [
      [anna, own],
      [kubernetes.kubectl, other],
    ] as const) {
      await kubectl.ok(['run', 'web', '--image=web', '-n', namespace]);
      await kubectl.ok(['wait', '--for=condition=Ready', 'pod/web', '-n', namespace, '--timeout=30s']);
    }
    for (const env of [{}, spdy]) {
      expect(await anna.ok(['exec', 'web', '--', 'sh', '-c', 'echo "$POD"'], { env })).toBe(`${own}/web\n`);
      const elsewhere = await anna.run(['exec', 'web', '-n', other, '--', 'sh', '-c', 'echo "$POD"'], { env });
      expect([elsewhere.code === 0, elsewhere.stdout]).toEqual([false, '']);
      expect(elsewhere.stderr).toMatch(/the space "web" of the project "default"/);
    }
    const shell = anna.follow(['exec', 'web', '--', 'sh', '-c', 'echo up; sleep 600']);
    await shell.waitForOutput(/up/);
    const watch = anna.follow(['get', 'configmaps', '-w', '-o', 'name']);
    await watch.waitForOutput(/configmap/);
    await flotilla.ask(`${spaces}/web`, mergePatch({ spec: { owner: { user: 'bob' } } }));
    await Promise.all([shell, watch].map(({ child }) => child.exitCode ?? once(child, 'close')));
    expect((await anna.run(['get', 'configmaps'])).stderr).toMatch(/Forbidden/);
    await flotilla.ask(`${spaces}/web`, mergePatch({ spec: { owner: { user: 'anna' } } }));
    expect((await ask('/version')).code).toBe(200);
  });

  it('refuses tokens of service accounts, which are tokens of the cluster', async () => {
    const token = (await anna.ok(['create', 'token', 'default'])).trim();
    expect((await ask('/version', { token })).code).toBe(401);
  });
});
