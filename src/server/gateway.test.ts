import { type JsonObject, listAt, textAt, valueAt } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { builtInClusterPath } from './built-in-cluster.fixture.ts';
import { GatewayTestEnv, gatewayPath, instances, namespacesPathIn, sharedWith } from './gateway.fixture.ts';
import { inPhase, isGone } from './instances.fixture.ts';
import { groupPath, mergePatch } from './server.fixture.ts';

const everything = { virtualClusters: [{ project: 'default', virtualCluster: 'demo' }] };

describe('the gateway to the virtual clusters of projects', () => {
  const at = GatewayTestEnv.forEach();
  const message = async (path: string, token?: string) => {
    const { code, json } = await at.send(path, token === undefined ? {} : { token });
    return [code, textAt(json, 'message')];
  };

  it('forwards to the virtual cluster of the instance (completions §8)', async () => {
    await at.createInstance('demo');
    const made = await at.post(namespacesPathIn('demo'), { metadata: { name: 'web' } });
    expect(made.code, made.text).toBe(201);
    expect(await at.code(`${namespacesPathIn('demo')}/web`)).toBe(200);
    expect(await at.code(`${builtInClusterPath}/api/v1/namespaces/web`)).toBe(404);
    expect(textAt((await at.send(`${gatewayPath('demo')}/version`)).json, 'gitVersion')).toMatch(/^v1\./);
    expect((await at.send(gatewayPath('demo'))).json).toMatchObject({
      paths: expect.arrayContaining(['/api', '/apis']),
    });
    const admin = await at.identityInside('demo');
    expect(admin.name).toBe('admin');
    expect(admin.groups).toContain('system:masters');
  });

  it('forwards up to 20 warnings, while the management API sends at most five (HDR-03)', async () => {
    await at.createInstance('demo');
    const unknown = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`unknown${index}`, 1]));
    const warningsOf = async (path: string, body: JsonObject) => {
      const response = await at.bench.request(at.server, path, { method: 'POST', body });
      await response.body.dump();
      expect(response.statusCode).toBe(201);
      const { warning } = response.headers;
      return Array.isArray(warning) ? warning : [];
    };
    const inside = await warningsOf(namespacesPathIn('demo'), { metadata: { name: 'web' }, ...unknown });
    const ours = await warningsOf(instances, { metadata: { name: 'other' }, spec: unknown });
    expect([inside.length, ours.length]).toEqual([20, 5]);
    expect(ours.at(-1)).toBe('299 - "26 more warnings are not shown"');
  });

  it('grants the roles of template and instance, and the default role only if no rule matches (completions §8)', async () => {
    await at.bench.createObject(at.server, 'virtualclustertemplates', 'strict', {
      template: {
        access: { defaultClusterRole: 'view', rules: [{ teams: ['painters'], clusterRole: 'edit' }] },
      },
    });
    const [anna, bob, carl] = [await at.createUser('anna'), await at.createUser('bob'), await at.createUser('carl')];
    await at.bench.createObject(at.server, 'teams', 'painters', { users: ['bob', 'carl'] });
    await at.createInstance('demo', {
      templateRef: { name: 'strict' },
      extraAccessRules: [{ users: ['carl'], clusterRole: 'cluster-admin' }],
      ...sharedWith('anna', 'bob', 'carl'),
    });
    const roles = async (token: string) =>
      (await at.identityInside('demo', token)).groups.filter((group) => String(group).startsWith('platform:role:'));
    expect(await roles(anna)).toEqual(['platform:role:view']);
    expect(await roles(bob)).toEqual(['platform:role:edit']);
    expect(await roles(carl)).toEqual(['platform:role:edit', 'platform:role:cluster-admin']);
    const map = { metadata: { name: 'paint' } };
    const maps = `${namespacesPathIn('demo')}/default/configmaps`;
    expect((await at.post(maps, map, anna)).code).toBe(403);
    expect((await at.post(maps, map, bob)).code).toBe(201);
    expect((await at.post(namespacesPathIn('demo'), { metadata: { name: 'x' } }, bob)).code).toBe(403);
    expect((await at.post(namespacesPathIn('demo'), { metadata: { name: 'x' } }, carl)).code).toBe(201);
  });

  it('passes on neither Kubernetes system groups nor role groups of the caller (completions §8)', async () => {
    const groups = ['crafts', 'platform:role:cluster-admin'];
    await at.bench.createObject(at.server, 'users', 'anna', { groups });
    const token = await at.bench.createKey(at.server, 'annas', { user: 'anna' });
    await at.createInstance('demo', {
      ...sharedWith('anna'),
      extraAccessRules: [{ users: ['*'], clusterRole: 'view' }],
    });
    const inside = await at.identityInside('demo', token);
    expect(inside.groups).toContain('crafts');
    expect(inside.groups).not.toContain('platform:role:cluster-admin');
    expect(inside.groups.filter((group) => String(group).startsWith('system:'))).toEqual(['system:authenticated']);
  });

  it('allows impersonation only with permission inside, and never beyond a scope (completions §8)', async () => {
    const view = { extraAccessRules: [{ users: ['anna'], clusterRole: 'view' }] };
    const anna = await at.createUser('anna');
    await at.createInstance('demo', { ...sharedWith('anna'), ...view });
    await at.createInstance('other', { ...sharedWith('anna'), ...view });
    const as = async (path: string, token: string, user: string, group = '') => {
      const headers = { 'impersonate-user': user, ...(group === '' ? {} : { 'impersonate-group': group }) };
      const { statusCode, body } = await at.bench.request(at.server, path, { token }, headers);
      await body.dump();
      return statusCode;
    };
    expect(await as(namespacesPathIn('demo'), anna, 'root', 'system:masters')).toBe(403);
    const admin = await at.bench.adminKey();
    expect(await as(namespacesPathIn('demo'), admin, 'bob')).toBe(403);
    expect(await as(namespacesPathIn('demo'), admin, 'bob', 'platform:role:view')).toBe(200);
    const scope = { virtualClusters: [{ project: 'default', virtualCluster: 'demo' }] };
    const scoped = await at.bench.createKey(at.server, 'narrow', { scope });
    expect(await as(namespacesPathIn('demo'), scoped, 'root', 'system:masters')).toBe(200);
    expect(await as(namespacesPathIn('other'), scoped, 'root', 'system:masters')).toBe(403);
  });

  it('applies the rules of the key to requests and to their implied permissions (completions §5)', async () => {
    await at.createInstance('demo');
    const resources = [{ group: '', resources: ['configmaps'] }];
    const scope = { rules: [{ verbs: ['get', 'patch'], resources, requestTargets: ['ProjectVirtualCluster'] }] };
    const token = await at.bench.createKey(at.server, 'narrow', { scope });
    const maps = `${namespacesPathIn('demo')}/default/configmaps`;
    const apply = (name: string) =>
      at.send(`${maps}/${name}?fieldManager=test`, {
        method: 'PATCH',
        type: 'application/apply-patch+yaml',
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: 'b' } },
        token,
      });
    expect((await at.post(maps, { metadata: { name: 'there' } })).code).toBe(201);
    expect((await apply('there')).code).toBe(200);
    expect((await apply('new')).code).toBe(403);
    expect(await at.code(`${namespacesPathIn('demo')}/default`, token)).toBe(403);
  });

  it('applies the scope of a key to access reviews, also with impersonation (AUTHZ-01, completions §5)', async () => {
    await at.createInstance('demo');
    const resources = [
      { group: '', resources: ['configmaps'] },
      { group: 'authorization.k8s.io', resources: ['*'] },
    ];
    const verbs = ['get', 'list', 'create', 'impersonate'];
    const scope = { rules: [{ verbs, resources, requestTargets: ['ProjectVirtualCluster'] }] };
    const token = await at.bench.createKey(at.server, 'narrow', { scope });
    for (const bearer of [
      token,
      await at.token('demo', await at.bench.createKey(at.server, 'wide', { scope: everything })),
    ]) {
      const may = async (verb: string, resource: string) => {
        const spec = { resourceAttributes: { verb, resource, namespace: 'default' } };
        const path = `${gatewayPath('demo')}/apis/authorization.k8s.io/v1/selfsubjectaccessreviews`;
        const { code, json, text } = await at.post(path, { spec }, bearer);
        expect(code, text).toBe(201);
        return valueAt(json, 'status', 'allowed');
      };
      const isNarrow = bearer === token;
      expect(await may('get', 'configmaps')).toBe(true);
      expect(await may('get', 'secrets')).toBe(!isNarrow);
      expect(await may('delete', 'configmaps')).toBe(!isNarrow);
    }
    const rules = await at.post(
      `${gatewayPath('demo')}/apis/authorization.k8s.io/v1/selfsubjectrulesreviews`,
      { spec: { namespace: 'default' } },
      token,
    );
    expect(valueAt(rules.json, 'status', 'incomplete')).toBe(true);
    expect(JSON.stringify(listAt(rules.json, 'status', 'resourceRules'))).not.toContain('"*"');
  });

  it('reports the cause: not found, not ready, sleeping, not connected (completions §8)', async () => {
    expect(await message(namespacesPathIn('nothing'))).toEqual([
      404,
      'virtualclusterinstances.management.platform.sh "nothing" not found',
    ]);
    for (const path of ['', '/', '/default', '/default/virtualcluster', '/default/space/demo/api']) {
      expect(await at.code(`/kubernetes/project${path}`), path).toBe(404);
    }
    expect(await at.code('/kubernetes/project/default/virtualcluster/nothing/api', '')).toBe(401);
    await at.createInstance('demo');
    await at.send(
      `${instances}/demo`,
      mergePatch({ metadata: { annotations: { 'sleepmode.platform.sh/force': 'true' } } }),
    );
    expect(await message(namespacesPathIn('demo'))).toEqual([
      503,
      'the virtual cluster "demo" is asleep because its VirtualClusterInstance has the annotation sleepmode.platform.sh/force. Remove the annotation to wake it',
    ]);
    await at.bench.createObject(at.server, 'clusters', 'far', { networkPeer: true });
    const spec = { clusterRef: { cluster: 'far' } };
    expect((await at.post(instances, { metadata: { name: 'away' }, spec })).code).toBe(201);
    expect(await message(namespacesPathIn('away'))).toEqual([
      501,
      'the virtual cluster "away" cannot be reached: it runs on the cluster "far", and this server has no gateway to that cluster',
    ]);
    expect((await at.post(`${instances}/away/kubeconfig`, {})).code).toBe(501);
  });

  it('rejects requests to a virtual cluster that does not belong to the instance', async () => {
    const namespace = 'taken';
    await at.post(`${builtInClusterPath}/api/v1/namespaces`, { metadata: { name: namespace } });
    const there = `${builtInClusterPath}/apis/storage.platform.sh/v1/namespaces/${namespace}/virtualclusters`;
    expect((await at.post(there, { metadata: { name: 'prize' } })).code).toBe(201);
    const spec = { clusterRef: { cluster: 'local', namespace, virtualCluster: 'prize' } };
    expect((await at.post(instances, { metadata: { name: 'demo' }, spec })).code).toBe(201);
    await at.waitForInstance('demo', inPhase('Failed'));
    const [code, text] = await message(namespacesPathIn('demo'));
    expect(code, String(text)).toBe(503);
    expect(text).toMatch(/is not ready/);
  });

  it('rejects requests during and after the deletion of the instance', async () => {
    await at.createInstance('demo');
    await at.send(`${instances}/demo`, mergePatch({ metadata: { finalizers: ['example.dev/hold'] } }));
    await at.send(`${instances}/demo`, { method: 'DELETE' });
    expect((await message(namespacesPathIn('demo')))[0]).toBe(503);
    await at.send(`${instances}/demo`, mergePatch({ metadata: { finalizers: [] } }));
    await at.waitForInstance('demo', isGone);
    expect((await message(namespacesPathIn('demo')))[0]).toBe(404);
  });

  it('accepts service account tokens of the virtual cluster if enabled (completions §8)', async () => {
    await at.createInstance('demo');
    await at.createInstance('other');
    const path = `${namespacesPathIn('demo')}/default/serviceaccounts/default/token`;
    const token = textAt((await at.post(path, { spec: {} })).json, 'status', 'token');
    expect((await at.identityInside('demo', token)).name).toBe('system:serviceaccount:default:default');
    expect(await at.code(`${gatewayPath('other')}/version`, token)).toBe(401);
    expect(await at.code(`${groupPath}/projects`, token)).toBe(401);
    expect(await at.code(namespacesPathIn('demo'), token)).toBe(403);
  });

  it('is described in the instance for each reader (completions §3)', async () => {
    const [anna, bob] = [await at.createUser('anna'), await at.createUser('bob')];
    const access = [
      { name: 'use', verbs: ['use', 'get'], users: ['anna'] },
      { name: 'change', verbs: ['update', 'get'], users: ['bob'] },
    ];
    await at.createInstance('demo', { access });
    const seen = async (path: string, token: string) => {
      const { json } = await at.send(path, { token });
      const object = listAt(json, 'items')[0] ?? json;
      return [valueAt(object, 'status', 'canUse'), valueAt(object, 'status', 'canUpdate')];
    };
    for (const path of [`${instances}/demo`, `${groupPath}/virtualclusterinstances`]) {
      expect(await seen(`${path}?extended=true`, anna)).toEqual([true, false]);
      expect(await seen(`${path}?extended=true`, bob)).toEqual([false, true]);
      expect(await seen(path, anna)).toEqual([undefined, undefined]);
    }
    const { json } = await at.send(`${instances}/demo?extended=true`);
    const { code } = await at.send(`${instances}/demo`, { method: 'PUT', body: json });
    expect(code).toBe(200);
    expect(await seen(`${instances}/demo`, anna)).toEqual([undefined, undefined]);
  });

  it('has no logs for a virtual cluster without its own process', async () => {
    await at.createInstance('demo');
    const { code, json } = await at.send(`${instances}/demo/log`);
    expect([code, textAt(json, 'message')]).toEqual([
      400,
      expect.stringMatching(/has no log of its own.*events --for/),
    ]);
    expect(await at.code(`${instances}/nothing/log`)).toBe(404);
  });
});
