import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import { listAt, textAt, valueAt } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { protobufCodec } from '../../http/protobuf/envelope.ts';
import { demoInstancePath, ForwardingTestEnv, type TestRequest, webSpacePath } from '../forwarding.fixture.ts';

const reviews = '/apis/authorization.k8s.io/v1';
const outside = /the space "web" of the project "default" gives access only to the namespace "own"$/;

/** The method and path of a request to the space. */
type Case = readonly [method: string, path: string];

const forbidden: readonly Case[] = [
  ['GET', '/api/v1/pods'],
  ['GET', '/api/v1/pods?watch=true'],
  ['GET', '/api/v1/pods?fieldSelector=metadata.namespace%3Down'],
  ['GET', '/api/v1/pods?namespaces=own'],
  ['GET', '/api/v1/namespaces'],
  ['GET', '/api/v1/namespaces?fieldSelector=metadata.name%3Down'],
  ['GET', '/api/v1/namespaces/other'],
  ['GET', '/api/v1/namespaces/other/secrets'],
  ['DELETE', '/api/v1/namespaces/other/secrets'],
  ['DELETE', '/api/v1/secrets'],
  ['POST', '/api/v1/namespaces'],
  ['PUT', '/api/v1/namespaces/own'],
  ['PATCH', '/api/v1/namespaces/own'],
  ['DELETE', '/api/v1/namespaces/own'],
  ['PUT', '/api/v1/namespaces/own/finalize'],
  ['PATCH', '/api/v1/namespaces/own/status'],
  ['GET', '/api/v1/namespaces/own/status'],
  ['GET', '/api/v1/watch/namespaces/own/pods'],
  ['GET', '/api/v1/watch/pods'],
  ['GET', '/api/v1/nodes/x/proxy/metrics'],
  ['GET', '/api/v1/namespaces/other/services/web/proxy/'],
  ['GET', '/api/v1/namespaces/other/pods/web/proxy/'],
  ['POST', '/api/v1/namespaces/other/serviceaccounts/x/token'],
  ['POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'],
  ['POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'],
  ['POST', '/apis/apiregistration.k8s.io/v1/apiservices'],
  ['POST', `${reviews}/subjectaccessreviews`],
  ['POST', `${reviews}/namespaces/other/localsubjectaccessreviews`],
  ['POST', '/apis/authentication.k8s.io/v1/tokenreviews'],
  ['GET', '/metrics'],
  ['GET', '/healthz'],
  ['GET', '/api/v1//nodes'],
  ['GET', '/api/v1/namespaces/own%2Fpods'],
  ['GET', '/api/v1/namespaces/own/pods/..%2F..%2Fother%2Fpods'],
  ['GET', '/api/v1/namespaces/own/services/web/proxy/..%2f..%2f..%2fother'],
];

describe('the gateway to a space of a remote cluster (completions §12)', () => {
  const at = ForwardingTestEnv.forEach();
  const seen = () => at.state.seen.map(({ method, url }) => `${method} ${url}`);
  const ask = (path: string, request: TestRequest = {}) => at.request(`${webSpacePath}${path}`, request);
  const post = (path: string, body: object, request: TestRequest = {}) =>
    ask(path, { method: 'POST', body: JSON.stringify(body), ...request });
  const echo = (status: object) => {
    at.state.respond = (request, response) => {
      void json(request).then((review) => {
        response.writeHead(201, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ ...(review as object), status }));
      });
    };
  };

  it('forwards requests in the namespace with the name and the groups of the caller', async () => {
    // Spaces bind roles to the groups of users and teams. Callers get no group for a role, because such a group would
    // apply to other spaces too.
    at.state.space.spec = { ...at.state.space.spec, extraAccessRules: [{ users: ['*'], clusterRole: 'edit' }] };
    at.state.decide = (_who, { target }) => ({ allowed: target?.type === 'ProjectSpace', reason: '' });
    expect((await ask('/api/v1/namespaces/own/pods?limit=5')).code).toBe(200);
    expect((await ask('/api/v1/namespaces/own')).code).toBe(200);
    expect((await ask('/apis')).code).toBe(200);
    expect((await ask('/apis/apps/v1/namespaces/own/deployments', { method: 'DELETE' })).code).toBe(200);
    expect(seen()).toEqual([
      'GET /api/v1/namespaces/own/pods?limit=5',
      'GET /api/v1/namespaces/own',
      'GET /apis',
      'DELETE /apis/apps/v1/namespaces/own/deployments',
    ]);
    const { headers } = at.state.seen[0] ?? {};
    expect(headers?.['impersonate-user']).toBe('anna');
    expect(headers?.['impersonate-group']).toBe('testers, system:authenticated');
    expect(headers?.authorization).toBe('Bearer host-credential');
  });

  it.each(forbidden)('refuses %s %s, even for admins, and does not forward it to the cluster', async (method, path) => {
    for (const token of ['anna-token', 'root-token']) {
      const answer = await ask(path, { method, token, ...(method === 'GET' ? {} : { body: '{}' }) });
      expect([answer.code, textAt(answer.json, 'message')]).toEqual([403, expect.stringMatching(outside)]);
    }
    expect(seen()).toEqual([]);
  });

  it.each([
    '/api/v1/namespaces/own/../other/pods',
    '/api/v1/namespaces/own/%2e%2e/other/pods',
    '/api/v1/namespaces/own/pods/../../../nodes',
    '/api/v1/namespaces/own/services/web/proxy/../../../../other/pods',
    '/../../../../cluster/far/api/v1/nodes',
    '/api/v1/namespaces/own/./pods',
    '/version/../metrics',
    '//api/v1/nodes',
    '/api/v1/namespaces/own/pods;/../../nodes',
    '/api/v1/namespaces/own/pods#/../x',
  ])('refuses the path %s as it was sent', async (path) => {
    const head = 'Host: x\r\nAuthorization: Bearer root-token\r\nConnection: close\r\n\r\n';
    expect(await at.rawResponse(`GET ${webSpacePath}${path} HTTP/1.1\r\n${head}`)).toMatch(/^HTTP\/1.1 40[034] /);
    expect(seen()).toEqual([]);
  });

  it('reveals nothing about the space to a caller without access', async () => {
    at.state.decide = () => ({ allowed: false, reason: 'not shared' });
    const messages = await Promise.all(
      ['/api/v1/nodes', '/api/v1/namespaces/own/pods', '/version'].map(async (path) =>
        textAt((await ask(path)).json, 'message'),
      ),
    );
    expect(new Set(messages)).toEqual(
      new Set([
        'spaceinstances.management.platform.sh "web" is forbidden: User "anna" cannot use resource "spaceinstances" in API group "management.platform.sh" in the namespace "platform-p-default": not shared',
      ]),
    );
    expect(seen()).toEqual([]);
  });

  it('does not wake a space for a request outside of it', async () => {
    at.state.phase = 'Sleeping';
    expect((await ask('/api/v1/nodes')).code).toBe(403);
    expect([at.state.woken, at.gateways.activity.lastActivity('s1')]).toEqual([0, undefined]);
    const waking = ask('/api/v1/namespaces/own/pods');
    await expect.poll(() => at.state.woken).toBe(1);
    at.state.phase = 'Ready';
    at.state.onHostChange();
    expect((await waking).code).toBe(200);
    expect(at.gateways.activity.lastActivity('s1')).toBeGreaterThan(0);
  });

  it.each([
    ['has no namespace yet', { hostNamespace: undefined }],
    ['has a namespace on another cluster', { hostNamespace: { cluster: 'local', name: 'own', uid: 'n1' } }],
    ['has another namespace than its spec', { hostNamespace: { cluster: 'far', name: 'other', uid: 'n1' } }],
    ['has a namespace that somebody replaced', { hostNamespace: { cluster: 'far', name: 'own', uid: 'n0' } }],
  ])('is unavailable while the space %s', async (_what, status) => {
    at.state.space = { ...at.state.space, status: { ...at.state.space.status, ...status } as never };
    for (const token of ['anna-token', 'root-token']) {
      for (const path of ['/api/v1/namespaces/own/pods', '/api/v1/namespaces/other/pods', '/version', '/api/v1/nodes'])
        expect([403, 503]).toContain((await ask(path, { token })).code);
      expect((await ask('/api/v1/namespaces/own/pods', { token })).code).toBe(503);
    }
    expect(seen()).toEqual([]);
  });

  it('answers reviews with the permissions in the space', async () => {
    echo({ allowed: true });
    const may = async (attributes: object, request: TestRequest = {}) => {
      const answer = await post(`${reviews}/selfsubjectaccessreviews`, { spec: attributes }, request);
      expect(answer.code, answer.text).toBe(201);
      return valueAt(answer.json, 'status', 'allowed');
    };
    const resource = (namespace: string, more = {}) => ({
      resourceAttributes: { verb: 'get', resource: 'pods', namespace, ...more },
    });
    expect(await may(resource('own'))).toBe(true);
    expect(await may(resource('own', { resource: 'namespaces', name: 'own' }))).toBe(true);
    expect(await may({ nonResourceAttributes: { verb: 'get', path: '/version' } })).toBe(true);
    expect(at.state.seen.length).toBe(3);
    for (const attributes of [
      resource('other'),
      resource(''),
      resource('', { resource: 'nodes' }),
      resource('own', { resource: 'namespaces', name: 'own', verb: 'update' }),
      { nonResourceAttributes: { verb: 'get', path: '/metrics' } },
      { nonResourceAttributes: { verb: '*', path: '*' } },
      {},
    ])
      expect(await may(attributes, { token: 'root-token' }), JSON.stringify(attributes)).toBe(false);
    expect(at.state.seen.length).toBe(3);
  });

  it('answers reviews in protobuf in the same way', async () => {
    echo({ allowed: true });
    const kind = 'SelfSubjectAccessReview';
    for (const [namespace, allowed] of [
      ['other', false],
      ['', false],
    ] as const) {
      const review = {
        apiVersion: 'authorization.k8s.io/v1',
        kind,
        metadata: {},
        spec: { resourceAttributes: { verb: 'get', resource: 'secrets', namespace } },
      };
      const answer = await ask(`${reviews}/selfsubjectaccessreviews`, {
        method: 'POST',
        headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
        body: protobufCodec.encode(review as never),
      });
      expect([answer.code, valueAt(answer.json, 'status', 'allowed')]).toEqual([201, allowed]);
    }
    expect(at.state.seen).toEqual([]);
  });

  it('shows no rules of other namespaces', async () => {
    echo({
      resourceRules: [
        { verbs: ['get', 'update'], apiGroups: [''], resources: ['pods', 'namespaces'] },
        { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      ],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/version', '/metrics', '*'] }],
      incomplete: false,
    });
    const rules = async (namespace: string) =>
      (await post(`${reviews}/selfsubjectrulesreviews`, { spec: { namespace } })).json;
    const other = await rules('other');
    expect(listAt(other, 'status', 'resourceRules')).toEqual([]);
    expect(listAt(other, 'status', 'nonResourceRules')).toEqual([{ verbs: ['get'], nonResourceURLs: ['/version'] }]);
    expect(textAt(other, 'status', 'evaluationError')).toMatch(/^restricted by the space "web"/);
    expect(listAt(await rules('own'), 'status', 'resourceRules')).toEqual([
      { verbs: ['get', 'update'], apiGroups: [''], resources: ['pods'] },
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    ]);
  });

  it('allows impersonation only of service accounts of the namespace, if a role allows it', async () => {
    const as = (user: string, more: Record<string, string> = {}, token = 'anna-token') =>
      ask('/api/v1/namespaces/own/pods', { token, headers: { 'impersonate-user': user, ...more } });
    for (const token of ['anna-token', 'root-token']) {
      for (const answer of [
        await as('root', {}, token),
        await as('anna', { 'impersonate-group': 'system:masters' }, token),
        await as('system:serviceaccount:other:x', {}, token),
        await as('system:serviceaccount:kube-system:x', {}, token),
        await as('system:serviceaccount:own:x', { 'impersonate-group': 'system:masters' }, token),
        await as('system:serviceaccount:own:x', { 'impersonate-uid': '1' }, token),
        await as('system:serviceaccount:own:x', { 'impersonate-extra-scopes': 'a' }, token),
      ])
        expect(answer.code, answer.text).toBe(403);
    }
    expect(seen().filter((url) => !url.includes('subjectaccessreviews'))).toEqual([]);
    at.state.seen.length = 0;
    at.state.respond = (request, response) => {
      request.resume();
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ status: { allowed: true } }));
    };
    expect((await as('system:serviceaccount:own:x')).code).toBe(201);
    expect(at.state.seen.at(-1)?.headers['impersonate-user']).toBe('system:serviceaccount:own:x');
    expect(at.state.seen.at(-1)?.headers['impersonate-group']).toBe(
      'system:serviceaccounts, system:serviceaccounts:own, system:authenticated',
    );
    // The boundary stays in effect under impersonation.
    at.state.seen.length = 0;
    const nodes = await ask('/api/v1/nodes', { headers: { 'impersonate-user': 'system:serviceaccount:own:x' } });
    expect([nodes.code, seen()]).toEqual([403, []]);
  });

  it.each(['websocket', 'SPDY/3.1'])('opens shells with %s in the namespace only', async (protocol) => {
    at.state.onUpgrade = (_request, socket) =>
      socket.end(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`);
    const open = (path: string) =>
      at.rawResponse(
        `${protocol === 'websocket' ? 'GET' : 'POST'} ${webSpacePath}${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer root-token\r\n` +
          `Connection: Upgrade\r\nUpgrade: ${protocol}\r\nContent-Length: 0\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
      );
    for (const path of [
      '/api/v1/namespaces/other/pods/x/exec?command=sh',
      '/api/v1/namespaces/other/pods/x/attach',
      '/api/v1/namespaces/other/pods/x/portforward',
      '/api/v1/namespaces/own%2F..%2Fother/pods/x/exec',
      '/api/v1/namespaces/own/pods/..%2f..%2f..%2fother%2fpods%2fx/exec',
      '/api/v1/nodes/x/proxy/exec/other/x/y?command=sh',
      '/api/v1/namespaces/other/services/x/proxy/',
      '/api/v1/watch/namespaces/other/pods',
    ])
      expect(await open(path), path).toMatch(/^HTTP\/1.1 403/);
    expect(at.state.seen).toEqual([]);
    expect(await open('/api/v1/namespaces/own/pods/x/exec?command=sh')).toMatch(/^HTTP\/1.1 101/);
  });

  it.each([
    ['roles of the space change', { status: { space: { access: { defaultClusterRole: 'view' } } } }, 410],
    ['role bindings of the space change', { status: { installHash: 'y' } }, 410],
    ['space falls asleep', { status: { phase: 'Sleeping' } }, 503],
    ['space is deleted', { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } }, 503],
  ])('ends watches when the %s', async (_what, change, code) => {
    at.state.respond = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"type":"ADDED"}\n');
    };
    const { body } = await at.send(`${webSpacePath}/api/v1/namespaces/own/pods?watch=true`);
    const before = at.state.space;
    let text = '';
    body.on('data', (chunk) => {
      text += chunk;
      if (text !== '{"type":"ADDED"}\n') return;
      const after = {
        ...before,
        metadata: { ...before.metadata, ...('metadata' in change ? change.metadata : {}) },
        status: { ...before.status, ...('status' in change ? change.status : {}) },
      };
      at.gateways.spaceChanges.handleChange(before, after as typeof before);
    });
    await once(body, 'end');
    const last = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '');
    expect([last.type, last.object.code]).toEqual(['ERROR', code]);
  });

  it('accepts no service account tokens, and no path of a virtual cluster', async () => {
    const claims = Buffer.from(JSON.stringify({ sub: 'system:serviceaccount:own:x' })).toString('base64url');
    expect((await ask('/api/v1/namespaces/own/pods', { token: `e30.${claims}.x` })).code).toBe(401);
    expect((await at.request('/kubernetes/project/default/space/demo/version')).code).toBe(404);
    expect((await at.request('/kubernetes/project/default/virtualcluster/web/version')).code).toBe(404);
    expect((await at.request('/kubernetes/project/default/spaces/web/version')).code).toBe(404);
    expect((await at.request('/kubernetes/project/default/space//version')).code).toBe(404);
    expect((await at.request(`${demoInstancePath}/api/v1/nodes`)).code).toBe(200);
    expect(seen()).toEqual(['GET /api/v1/nodes']);
  });

  it('records requests and refusals in the audit log', async () => {
    await ask('/api/v1/namespaces/own/pods', { method: 'POST', body: '{}' });
    await ask('/api/v1/nodes');
    const events = at.state.audit.events.filter(({ stage }) => stage === 'ResponseComplete');
    expect(events.map(({ requestURI, responseStatus }) => [requestURI, responseStatus?.code])).toEqual([
      [`${webSpacePath}/api/v1/namespaces/own/pods`, 200],
      [`${webSpacePath}/api/v1/nodes`, 403],
    ]);
  });
});
