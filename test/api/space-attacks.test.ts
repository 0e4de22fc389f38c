import { type JsonObject, type JsonValue, listAt, textAt, valueAt } from '@flotilla/json';
import { load } from 'js-yaml';
import { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoles } from '../../src/api/naming.ts';
import { protobufCodec } from '../../src/http/protobuf/envelope.ts';
import {
  groupPath,
  mergePatch,
  type ParsedResponse,
  type RequestOptions,
  ServerTestEnv,
} from '../../src/server/server.fixture.ts';
import { createSpace } from '../../src/server/spaces.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

const inRed = `${groupPath}/namespaces/platform-p-red`;
const local = '/kubernetes/cluster/local';
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const reviews = '/apis/authorization.k8s.io/v1';
const gatewayOf = (space: string) => `/kubernetes/project/red/space/${space}`;

interface Attack {
  readonly method?: NonNullable<RequestOptions['method']>;
  readonly path: string;
  readonly body?: JsonValue;
  readonly type?: string;
  readonly headers?: Record<string, string>;
}

describe('the boundary of a space on the built-in cluster (completions §12)', () => {
  let bench: ServerTestEnv;
  let server: RunningServer;
  let client: Agent;
  /** The namespaces of two spaces: `web`, which belongs to anna, and `shop`, which belongs to bob. */
  let own = '';
  let other = '';
  let anna = '';
  let bob = '';
  /** Credentials that have access to the space `web`. */
  const intruders: Record<string, string> = {};

  const create = (name: string, user: string) =>
    createSpace(bench, server, { project: 'red', name }, { clusterRef: { cluster: 'local' }, owner: { user } });

  /** Sends a request without changing its path. Other HTTP clients would resolve `..` in the path. */
  async function send({
    path,
    method = 'GET',
    ...call
  }: Attack & { readonly token?: string }): Promise<ParsedResponse> {
    const response = await client.request({
      origin: server.url,
      path,
      method,
      headers: {
        authorization: `Bearer ${call.token ?? ''}`,
        'content-type': call.type ?? 'application/json',
        ...call.headers,
      },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    });
    const text = await response.body.text();
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    return { code: response.statusCode, text, json: isJson ? JSON.parse(text) : {} };
  }
  const inside = (path: string, call: Omit<Attack, 'path'> & { readonly token?: string } = {}) =>
    send({ token: anna, ...call, path: `${gatewayOf('web')}${path}` });
  const byAdmin = async (path: string, call: RequestOptions) => {
    const answer = await bench.send(server, path, call);
    expect(answer.code, answer.text).toBeLessThan(300);
    return answer.json;
  };
  const tokenIn = ({ json }: ParsedResponse) => {
    const config = load(textAt(json, 'status', 'kubeConfig')) as JsonObject;
    return textAt(listAt(config, 'users')[0], 'user', 'token');
  };

  beforeAll(async () => {
    bench = await ServerTestEnv.open();
    server = await bench.start();
    client = new Agent({ connect: { ca: await bench.read('ca.crt') } });
    for (const name of ['anna', 'bob']) await bench.createObject(server, 'users', name);
    anna = await bench.createKey(server, 'of-anna', { user: 'anna' });
    bob = await bench.createKey(server, 'of-bob', { user: 'bob' });
    await bench.createObject(server, 'projects', 'red', {
      members: ['anna', 'bob'].map((name) => ({ kind: 'User', name, clusterRole: projectRoles.user })),
      allowedClusters: [{ name: '*' }],
      allowedTemplates: [{ name: '*' }, { kind: 'SpaceTemplate', name: '*' }],
    });
    own = await create('web', 'anna');
    other = await create('shop', 'bob');
    for (const namespace of [own, other, 'default']) {
      const body = { metadata: { name: 'kept' }, stringData: { word: `secret of ${namespace}` } };
      await byAdmin(`${local}/api/v1/namespaces/${namespace}/secrets`, { method: 'POST', body });
    }
    const scope = { spaces: [{ project: 'red', space: 'web' }] };
    intruders['the owner'] = anna;
    intruders['a scoped key of the owner'] = await bench.createKey(server, 'narrow', { user: 'anna', scope });
    intruders['a scoped key of an admin'] = await bench.createKey(server, 'admins', { user: 'admin', scope });
    intruders['an admin'] = await bench.adminKey();
    const kubeconfig = { method: 'POST', body: {} } as const;
    const path = `${inRed}/spaceinstances/web/kubeconfig`;
    intruders['a kubeconfig of the owner'] = tokenIn(await send({ path, token: anna, ...kubeconfig }));
    intruders['a kubeconfig of an admin'] = tokenIn(await bench.send(server, path, kubeconfig));
  });
  afterAll(async () => {
    await client.destroy();
    await bench.close();
  });

  const secretOf = (name: string) => ({ metadata: { name }, stringData: { a: 'b' } });
  const attacks = (): readonly Attack[] => [
    // Requests for other namespaces, and for all namespaces at once.
    { path: `/api/v1/namespaces/${other}/secrets` },
    { path: `/api/v1/namespaces/${other}/secrets/kept` },
    { path: '/api/v1/namespaces/default/secrets/kept' },
    { path: `/api/v1/namespaces/${own.toUpperCase()}/secrets` },
    { path: '/api/v1/secrets' },
    { path: `/api/v1/secrets?fieldSelector=metadata.namespace%3D${own}` },
    { path: `/api/v1/secrets?fieldSelector=metadata.namespace%3D${own},metadata.name%3Dkept` },
    { path: `/api/v1/secrets?namespace=${own}` },
    { path: `/api/v1/secrets?namespaces=${own}` },
    { path: '/api/v1/secrets?watch=true' },
    { path: `/api/v1/namespaces/${other}/secrets?watch=true&resourceVersion=0` },
    { path: '/api/v1/events' },
    { path: '/apis/events.k8s.io/v1/events' },
    { path: '/apis/coordination.k8s.io/v1/leases' },
    { method: 'POST', path: `/api/v1/namespaces/${other}/secrets`, body: secretOf('new') },
    { method: 'POST', path: '/api/v1/secrets', body: secretOf('new') },
    { method: 'PUT', path: `/api/v1/namespaces/${other}/secrets/kept`, body: secretOf('kept') },
    { ...mergePatch({ data: {} }), path: `/api/v1/namespaces/${other}/secrets/kept` } as Attack,
    { method: 'DELETE', path: `/api/v1/namespaces/${other}/secrets/kept` },
    { method: 'DELETE', path: `/api/v1/namespaces/${other}/secrets` },
    { method: 'DELETE', path: '/api/v1/secrets' },
    { method: 'DELETE', path: `/api/v1/secrets?fieldSelector=metadata.namespace%3D${own}` },
    // The namespace itself.
    { path: '/api/v1/namespaces' },
    { path: `/api/v1/namespaces?fieldSelector=metadata.name%3D${own}` },
    { path: `/api/v1/namespaces?watch=1&fieldSelector=metadata.name%3D${own}` },
    { path: `/api/v1/namespaces/${other}` },
    { path: `/api/v1/namespaces/${own}/status` },
    { method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'mine' } } },
    {
      ...mergePatch({ metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } } }),
      path: `/api/v1/namespaces/${own}`,
    } as Attack,
    {
      path: `/api/v1/namespaces/${own}?fieldManager=me&force=true`,
      method: 'PATCH',
      type: 'application/apply-patch+yaml',
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: own, labels: { a: 'b' } } },
    },
    { method: 'PUT', path: `/api/v1/namespaces/${own}`, body: { metadata: { name: own } } },
    { method: 'PUT', path: `/api/v1/namespaces/${own}/finalize`, body: { metadata: { name: own }, spec: {} } },
    { method: 'PUT', path: `/api/v1/namespaces/${own}/status`, body: { metadata: { name: own } } },
    { method: 'DELETE', path: `/api/v1/namespaces/${own}` },
    { method: 'DELETE', path: '/api/v1/namespaces' },
    { method: 'PATCH', path: `/api/v1/namespaces/${own}/namespaces/${own}`, body: {} },
    // Cluster-scoped resources.
    { path: '/api/v1/nodes' },
    { path: '/api/v1/nodes/x/proxy/metrics' },
    { path: '/api/v1/persistentvolumes' },
    { path: `${rbac}/clusterroles` },
    { path: `${rbac}/clusterroles/view` },
    { path: `${rbac}/rolebindings` },
    {
      method: 'POST',
      path: `${rbac}/clusterrolebindings`,
      body: {
        metadata: { name: 'mine' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'anna' }],
      },
    },
    { path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions' },
    { method: 'POST', path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', body: {} },
    { method: 'POST', path: '/apis/apiregistration.k8s.io/v1/apiservices', body: {} },
    { path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies' },
    { path: '/apis/storage.platform.sh/v1/virtualclusters' },
    { path: `/apis/storage.platform.sh/v1/namespaces/${other}/virtualclusters` },
    { path: `/apis/storage.platform.sh/v1/namespaces/${other}/virtualclusters/x/proxy/api` },
    { method: 'POST', path: `${reviews}/subjectaccessreviews`, body: {} },
    { method: 'POST', path: '/apis/authentication.k8s.io/v1/tokenreviews', body: { spec: { token: 'x' } } },
    // Subresources and proxies of other namespaces.
    { method: 'POST', path: `/api/v1/namespaces/${other}/serviceaccounts/default/token`, body: {} },
    { method: 'POST', path: '/api/v1/namespaces/kube-system/serviceaccounts/default/token', body: {} },
    { path: `/api/v1/namespaces/${other}/services/web/proxy/` },
    { path: `/api/v1/namespaces/${other}/pods/web:80/proxy/` },
    { method: 'POST', path: `/api/v1/namespaces/${other}/pods/x/exec?command=sh` },
    { method: 'POST', path: `${reviews}/namespaces/${other}/localsubjectaccessreviews`, body: {} },
    // Other ways to write a path.
    { path: '/api/v1/watch/secrets' },
    { path: `/api/v1/watch/namespaces/${own}` },
    { path: `/api/v1/watch/namespaces/${own}/secrets` },
    { path: `/api/v1/watch/namespaces/${other}/secrets` },
    { path: `/api/v1/proxy/namespaces/${other}/services/web` },
    { path: `/api/v1/namespaces/${own}/../${other}/secrets` },
    { path: `/api/v1/namespaces/${own}/%2e%2e/${other}/secrets` },
    { path: `/api/v1/namespaces/${own}%2F..%2F${other}/secrets` },
    { path: `/api/v1/namespaces/${own}/secrets/..%2F..%2F${other}%2Fsecrets%2Fkept` },
    { path: `/api/v1/namespaces/${own}%2f%2e%2e%2f${other}/secrets/kept` },
    { path: `/api/v1/namespaces/${own}/secrets/%252e%252e/x` },
    { path: `/api/v1//namespaces/${other}/secrets` },
    { path: `/api/v1/namespaces//${other}/secrets` },
    { path: `//api/v1/namespaces/${other}/secrets` },
    { path: `/api/v1/namespaces/${other}/secrets/kept/` },
    { path: `/api/v1/namespaces/${other}/secrets/kept?x=/api/v1/namespaces/${own}/` },
    { path: `/api/v1/namespaces/${own}/services/web/proxy/../../../../${other}/secrets` },
    { path: '/../../../../cluster/local/api/v1/secrets' },
    { path: '/metrics' },
    { path: '/healthz' },
    { path: '/logs/' },
    { method: 'POST', path: '/version', body: {} },
    // Acting as somebody else.
    ...['admin', 'bob', 'system:admin', `system:serviceaccount:${other}:default`, 'system:anonymous'].map((user) => ({
      path: `/api/v1/namespaces/${own}/secrets`,
      headers: { 'impersonate-user': user },
    })),
    {
      path: `/api/v1/namespaces/${own}/secrets`,
      headers: { 'impersonate-user': 'anna', 'impersonate-group': 'system:masters' },
    },
    {
      path: `/api/v1/namespaces/${own}/secrets`,
      headers: { 'impersonate-user': `system:serviceaccount:${own}:default`, 'impersonate-group': 'system:masters' },
    },
    {
      path: `/api/v1/namespaces/${other}/secrets`,
      headers: { 'impersonate-user': `system:serviceaccount:${own}:default` },
    },
    { path: '/api/v1/nodes', headers: { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' } },
    {
      path: `/api/v1/namespaces/${other}/secrets`,
      headers: { 'x-http-method-override': 'GET', 'x-original-url': '/' },
    },
  ];

  async function outsideState(): Promise<string> {
    const lists = await Promise.all(
      [
        '/api/v1/namespaces',
        '/api/v1/secrets',
        '/api/v1/serviceaccounts',
        `${rbac}/clusterrolebindings`,
        `${rbac}/rolebindings`,
        '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      ].map(async (path) => listAt((await bench.send(server, `${local}${path}`)).json, 'items')),
    );
    return JSON.stringify(lists.flat().map((item) => [item, textAt(item, 'metadata', 'resourceVersion')]));
  }

  it('refuses every request outside of the namespace from every caller, and changes nothing', async () => {
    const before = await outsideState();
    const all = attacks();
    expect(all.length).toBeGreaterThan(85);
    const wrong: string[] = [];
    for (const [who, token] of Object.entries(intruders)) {
      for (const attack of all) {
        const { code, text } = await inside(attack.path, { ...attack, token });
        const isRefused = [400, 403, 404].includes(code) && !text.includes('secret of');
        // The path is part of the message only where the path itself is refused.
        const isNamed = code !== 403 || /the space \\?"web\\?" of the project|cannot impersonate/.test(text);
        if (!isRefused || !isNamed) wrong.push(`${who}: ${attack.method ?? 'GET'} ${attack.path}: ${code} ${text}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(await outsideState()).toBe(before);
  }, 120_000);

  it('allows what the role allows inside, also to scoped keys and kubeconfigs', async () => {
    const maps = `/api/v1/namespaces/${own}/configmaps`;
    let count = 0;
    for (const [who, token] of Object.entries(intruders)) {
      count += 1;
      const made = await inside(maps, { method: 'POST', body: { metadata: { name: `map-${count}` } }, token });
      expect(made.code, `${who}: ${made.text}`).toBe(201);
      for (const path of ['/api', '/apis', '/version', '/openapi/v2', '/openapi/v3', `/api/v1/namespaces/${own}`, maps])
        expect((await inside(path, { token })).code, `${who} ${path}`).toBe(200);
    }
    expect((await inside(maps, { method: 'DELETE' })).code).toBe(200);
    const gone = await inside(maps);
    expect(listAt(gone.json, 'items').map((item) => textAt(item, 'metadata', 'name'))).not.toContain('map-1');
    const denied = await inside('/api/v1/nodes');
    expect(textAt(denied.json, 'message')).toBe(
      `nodes is forbidden: User "anna" cannot list resource "nodes" in API group "" at the cluster scope: the space "web" of the project "red" gives access only to the namespace "${own}"`,
    );
  });

  it('refuses bodies for other namespaces, and several objects at once', async () => {
    const maps = `/api/v1/namespaces/${own}/configmaps`;
    const before = await outsideState();
    for (const body of [
      { metadata: { name: 'x', namespace: other } },
      { apiVersion: 'v1', kind: 'List', items: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }] },
      { apiVersion: 'v1', kind: 'ConfigMapList', items: [{ metadata: { name: 'x', namespace: other } }] },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' } },
      [{ metadata: { name: 'x' } }, { metadata: { name: 'y' } }],
    ] as JsonValue[]) {
      for (const token of [anna, intruders['a scoped key of an admin'] ?? ''])
        expect((await inside(maps, { method: 'POST', body, token })).code, JSON.stringify(body)).toBe(400);
    }
    const apply = { method: 'PATCH', type: 'application/apply-patch+yaml' } as const;
    const moved = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: other } };
    expect((await inside(`${maps}/x?fieldManager=me`, { ...apply, body: moved })).code).toBe(400);
    expect(await outsideState()).toBe(before);
  });

  it('gives nobody permissions that the caller does not have', async () => {
    const role = (name: string, rules: JsonValue) => ({ metadata: { name }, rules });
    const binding = (name: string, clusterRole: string, subject: JsonObject) => ({
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: clusterRole },
      subjects: [subject],
    });
    const post = (plural: string, body: JsonValue, token = anna) =>
      inside(`${rbac}/namespaces/${own}/${plural}`, { method: 'POST', body, token });
    const everything = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
    const toAnna = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'anna' };
    const toBob = { ...toAnna, name: 'bob' };
    for (const token of [
      anna,
      intruders['a scoped key of the owner'] ?? '',
      intruders['a kubeconfig of the owner'] ?? '',
    ]) {
      expect((await post('roles', role('wide', everything), token)).code).toBe(403);
      expect((await post('rolebindings', binding('wide', 'cluster-admin', toAnna), token)).code).toBe(403);
      const quotas = [{ apiGroups: [''], resources: ['resourcequotas'], verbs: ['delete'] }];
      expect((await post('roles', role('quotas', quotas), token)).code).toBe(403);
    }
    expect(
      (await post('roles', role('maps', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]))).code,
    ).toBe(201);
    // A RoleBinding that a user creates in the namespace gives no access to the space.
    expect((await post('rolebindings', binding('guest', 'view', toBob))).code).toBe(201);
    for (const path of [`/api/v1/namespaces/${own}/configmaps`, '/version'])
      expect((await inside(path, { token: bob })).code).toBe(403);
    const fromShop = await send({ path: `${gatewayOf('shop')}/api/v1/namespaces/${own}/configmaps`, token: bob });
    expect(fromShop.code).toBe(403);
    // Even a role for everything in the namespace does not include the namespace.
    const admin = intruders['a scoped key of an admin'] ?? '';
    expect((await post('rolebindings', binding('all', 'cluster-admin', toAnna), admin)).code).toBe(201);
    const labels = mergePatch({ metadata: { labels: { a: 'b' } } }) as Omit<Attack, 'path'>;
    expect((await inside(`/api/v1/namespaces/${own}`, labels)).code).toBe(403);
    expect((await inside(`/api/v1/namespaces/${own}`, { method: 'DELETE' })).code).toBe(403);
    expect((await inside(`${rbac}/namespaces/${own}/rolebindings/all`, { method: 'DELETE', token: admin })).code).toBe(
      200,
    );
  });

  it('answers reviews with the permissions in the space, in JSON and in protobuf', async () => {
    const kind = 'SelfSubjectAccessReview';
    const apiVersion = 'authorization.k8s.io/v1';
    const path = `${gatewayOf('web')}${reviews}/selfsubjectaccessreviews`;
    const may = async (spec: JsonObject, token: string) => {
      const plain = await send({ path, method: 'POST', body: { spec }, token });
      const raw = protobufCodec.encode({ apiVersion, kind, metadata: {}, spec } as never);
      const type = 'application/vnd.kubernetes.protobuf';
      const encoded = await bench.send(server, path, { method: 'POST', token, raw, type });
      expect([plain.code, encoded.code], plain.text + encoded.text).toEqual([201, 201]);
      return [plain, encoded].map(({ json }) => valueAt(json, 'status', 'allowed') ?? false);
    };
    const about = (namespace: string, more: JsonObject = {}): JsonObject => ({
      resourceAttributes: { verb: 'get', group: '', resource: 'secrets', namespace, ...more },
    });
    for (const [who, token] of Object.entries(intruders)) {
      expect(await may(about(own), token), who).toEqual([true, true]);
      for (const spec of [
        about(other),
        about(''),
        about('default'),
        about('', { resource: 'nodes' }),
        about(own, { resource: 'namespaces', verb: 'delete', name: own }),
        about('', { verb: 'impersonate', resource: 'users', name: 'bob' }),
        { nonResourceAttributes: { verb: 'get', path: '/metrics' } },
      ])
        expect(await may(spec, token), `${who} ${JSON.stringify(spec)}`).toEqual([false, false]);
      const rulesIn = async (namespace: string) => {
        const body = { spec: { namespace } };
        const answer = await inside(`${reviews}/selfsubjectrulesreviews`, { method: 'POST', body, token });
        expect(answer.code, answer.text).toBe(201);
        return listAt(answer.json, 'status', 'resourceRules');
      };
      expect((await rulesIn(own)).length).toBeGreaterThan(0);
      for (const namespace of [other, 'default', '*', 'kube-system']) expect(await rulesIn(namespace)).toEqual([]);
    }
    const moved = { spec: { user: 'bob', resourceAttributes: { verb: 'get', resource: 'secrets', namespace: other } } };
    const review = await inside(`${reviews}/namespaces/${own}/localsubjectaccessreviews`, {
      method: 'POST',
      body: moved,
      token: intruders['an admin'] ?? '',
    });
    expect([400, 403, 422]).toContain(review.code);
  });

  it('rejects tokens of service accounts, which are tokens of the host (decision 62)', async () => {
    const accounts = `/api/v1/namespaces/${own}/serviceaccounts`;
    expect((await inside(accounts, { method: 'POST', body: { metadata: { name: 'robot' } } })).code).toBe(201);
    const made = await inside(`${accounts}/robot/token`, { method: 'POST', body: { spec: {} } });
    expect(made.code, made.text).toBe(201);
    const token = textAt(made.json, 'status', 'token');
    for (const path of ['/version', `/api/v1/namespaces/${own}/secrets`])
      expect((await inside(path, { token })).code).toBe(401);
    expect((await send({ path: `${local}/api/v1/namespaces/${own}/secrets`, token })).code).toBe(403);
    expect((await send({ path: `${local}/api/v1/namespaces/${other}/secrets`, token })).code).toBe(403);
    expect((await send({ path: `${groupPath}/projects`, token })).code).toBe(401);
  });

  it('gives a scoped key its SpaceInstance and its kubeconfig in the management API, and nothing else', async () => {
    const scoped = intruders['a scoped key of an admin'] ?? '';
    const code = async (path: string, call: Omit<Attack, 'path'> = {}) =>
      (await send({ path, token: scoped, ...call })).code;
    const spaces = `${inRed}/spaceinstances`;
    expect(await code(`${spaces}/web`)).toBe(200);
    expect(await code(`${spaces}/web/kubeconfig`, { method: 'POST', body: {} })).toBe(201);
    const listed = await send({ path: spaces, token: scoped });
    expect(listAt(listed.json, 'items').map((item) => textAt(item, 'metadata', 'name'))).toEqual(['web']);
    const refused: readonly Attack[] = [
      { path: `${spaces}/shop` },
      { path: `${spaces}/shop/kubeconfig`, method: 'POST', body: {} },
      { path: spaces, method: 'POST', body: { metadata: { name: 'more' } } },
      { path: spaces, method: 'DELETE' },
      { path: `${spaces}/web`, method: 'DELETE' },
      { ...mergePatch({ spec: { displayName: 'x' } }), path: `${spaces}/web` } as Attack,
      { ...mergePatch({ spec: { clusterRef: { namespace: other } } }), path: `${spaces}/web` } as Attack,
      { ...mergePatch({ status: { hostNamespace: { name: other } } }), path: `${spaces}/web/status` } as Attack,
      { path: `${inRed}/virtualclusterinstances` },
      { path: `${groupPath}/projects/red` },
      { path: `${groupPath}/projects/red/importspace`, method: 'POST', body: {} },
      { path: `${groupPath}/clusters/local` },
      { path: `${groupPath}/users` },
      { path: `${groupPath}/ownedaccesskeys` },
      { path: '/kubernetes/management/api/v1/namespaces/platform-p-red/secrets' },
      { path: `${local}/api/v1/namespaces/${own}/secrets` },
      { path: '/kubernetes/project/red/virtualcluster/web/version' },
      { path: `${gatewayOf('shop')}/version` },
      { path: '/kubernetes/project/default/space/web/version' },
    ];
    for (const attack of refused) expect(await code(attack.path, attack), attack.path).toBe(403);
    // Keys that are created with the scoped key have no wider access.
    const body = { metadata: { name: 'wider' }, spec: { scope: { spaces: [{ project: '*', space: '*' }] } } };
    const made = await send({ path: `${groupPath}/ownedaccesskeys`, method: 'POST', body, token: scoped });
    const wider = textAt(made.json, 'spec', 'key');
    expect((await send({ path: `${gatewayOf('web')}/version`, token: wider })).code).toBe(200);
    expect((await send({ path: `${gatewayOf('shop')}/version`, token: wider })).code).toBe(403);
  });

  it('gives rules with the target ProjectSpace access to spaces only, by verb and resource', async () => {
    const scope = {
      rules: [
        {
          verbs: ['get', 'list'],
          resources: [{ group: '', resources: ['configmaps'] }],
          requestTargets: ['ProjectSpace'],
        },
      ],
    };
    const token = await bench.createKey(server, 'ruled', { user: 'anna', scope });
    expect((await inside(`/api/v1/namespaces/${own}/configmaps`, { token })).code).toBe(200);
    const post = { method: 'POST', body: { metadata: { name: 'new' } } } as const;
    expect((await inside(`/api/v1/namespaces/${own}/configmaps`, { token, ...post })).code).toBe(403);
    expect((await inside(`/api/v1/namespaces/${own}/secrets`, { token })).code).toBe(403);
    expect((await inside(`/api/v1/namespaces/${other}/configmaps`, { token })).code).toBe(403);
    expect((await send({ path: `${inRed}/spaceinstances/web`, token })).code).toBe(403);
    const elsewhere = { rules: [{ requestTargets: ['ProjectVirtualCluster', 'Cluster', 'Management'] }] };
    const wrong = await bench.createKey(server, 'wrong-target', { user: 'anna', scope: elsewhere });
    expect((await inside('/version', { token: wrong })).code).toBe(403);
  });

  it('binds kubeconfigs to the space and not to its name', async () => {
    const body = { metadata: { name: 'web' }, spec: { clusterRef: { cluster: 'local' }, owner: { user: 'anna' } } };
    await byAdmin(`${inRed}/virtualclusterinstances`, { method: 'POST', body });
    const path = `${inRed}/virtualclusterinstances/web/kubeconfig`;
    const virtual = tokenIn(await send({ path, method: 'POST', body: {}, token: anna }));
    expect((await inside('/version', { token: virtual })).code).toBe(401);
    const space = intruders['a kubeconfig of the owner'] ?? '';
    expect((await send({ path: '/kubernetes/project/red/virtualcluster/web/version', token: space })).code).toBe(401);
    expect((await send({ path: `${gatewayOf('shop')}/version`, token: space })).code).toBe(401);
    const made = await send({ path: `${inRed}/spaceinstances/web/kubeconfig`, method: 'POST', body: {}, token: anna });
    const config = load(textAt(made.json, 'status', 'kubeConfig')) as JsonObject;
    expect(textAt(listAt(config, 'contexts')[0], 'context', 'namespace')).toBe(own);
    expect(textAt(listAt(config, 'clusters')[0], 'cluster', 'server')).toBe(`${server.url}${gatewayOf('web')}`);
  });

  it('ends streams and access when the owner changes', async () => {
    const maps = `/api/v1/namespaces/${other}/configmaps`;
    const watch = await bench.request(server, `${gatewayOf('shop')}${maps}?watch=true`, { token: bob });
    expect(watch.statusCode).toBe(200);
    await byAdmin(`${inRed}/spaceinstances/shop`, mergePatch({ spec: { owner: { user: 'anna' } } }));
    await watch.body.text();
    expect((await send({ path: `${gatewayOf('shop')}${maps}`, token: bob })).code).toBe(403);
    expect((await send({ path: `${gatewayOf('shop')}${maps}`, token: anna })).code).toBe(200);
  });
});
