import { listAt, textAt } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { BuiltInClusterTestEnv, builtInClusterPath, inPhase } from './built-in-cluster.fixture.ts';
import { groupPath, mergePatch } from './server.fixture.ts';

describe('the built-in cluster over HTTP', () => {
  const at = BuiltInClusterTestEnv.forEach();

  it('serves its kinds and health checks to admins', async () => {
    const names = listAt((await at.send(`${builtInClusterPath}/api/v1/namespaces`)).json, 'items').map((one) =>
      textAt(one, 'metadata', 'name'),
    );
    expect(names).toEqual(expect.arrayContaining(['default', 'kube-public', 'kube-system']));
    expect((await at.send(`${builtInClusterPath}/readyz`)).text).toBe('ok');
    expect((await at.send(`${builtInClusterPath}/metrics`)).code).toBe(404);
    const { json } = await at.send(`${builtInClusterPath}/apis/storage.platform.sh/v1`);
    expect(listAt(json, 'resources').map((one) => [textAt(one, 'name'), listAt(one, 'verbs')])).toEqual([
      ['virtualclusters', expect.arrayContaining(['create', 'watch'])],
      ['virtualclusters/status', ['get']],
      ['virtualclusters/proxy', ['create', 'delete', 'get', 'patch', 'update']],
    ]);
  });

  it('is an online cluster whose object does not change on a restart (completions §7)', async () => {
    const read = async () => (await at.send(`${groupPath}/clusters/local`)).json;
    // If other servers may share the store, the status is written after this server has registered.
    await expect.poll(read, { timeout: 10_000 }).toMatchObject({
      spec: { local: true },
      status: { phase: 'Initialized', online: true, kubernetesVersion: expect.stringMatching(/^v1\./) },
    });
    const before = await read();
    await at.restart();
    expect(await read()).toEqual(before);
  });

  it('maps admins to system:masters and rejects all others without access to the cluster', async () => {
    await at.bench.createObject(at.server, 'users', 'anna');
    const token = await at.bench.createKey(at.server, 'annas', { user: 'anna' });
    const namespaces = `${builtInClusterPath}/api/v1/namespaces`;
    expect((await at.send(namespaces, { token: '' })).code).toBe(401);
    const refused = await at.send(namespaces, { token });
    expect(refused.code).toBe(403);
    expect(textAt(refused.json, 'message')).toMatch(/no role, ownership or access entry/);

    const access = { spec: { access: [{ name: 'use', verbs: ['use'], users: ['anna'] }] } };
    expect((await at.send(`${groupPath}/clusters/local`, mergePatch(access))).code).toBe(200);
    const inside = await at.send(namespaces, { token });
    expect(inside.code).toBe(403);
    expect(textAt(inside.json, 'message')).toBe(
      'namespaces is forbidden: User "anna" cannot list resource "namespaces" in API group "" at the cluster scope',
    );
    const binding = {
      metadata: { name: 'anna-views' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'anna' }],
    };
    expect(
      (await at.post(`${builtInClusterPath}/apis/rbac.authorization.k8s.io/v1/clusterrolebindings`, binding)).code,
    ).toBe(201);
    expect((await at.send(namespaces, { token })).code).toBe(200);
    expect((await at.post(namespaces, { metadata: { name: 'annas' } }, token)).code).toBe(403);
  });

  it('applies the scope of a key, also with impersonation', async () => {
    const scope = { rules: [{ verbs: ['get', 'impersonate'], requestTargets: ['Cluster'] }] };
    const token = await at.bench.createKey(at.server, 'reading', { user: 'admin', scope });
    const elsewhere = await at.bench.createKey(at.server, 'elsewhere', {
      user: 'admin',
      scope: { projects: [{ project: '*' }] },
    });
    const one = `${builtInClusterPath}/api/v1/namespaces/default`;
    expect((await at.send(one, { token })).code).toBe(200);
    expect((await at.send(one, { token: elsewhere })).code).toBe(403);
    const remove = { method: 'DELETE', token } as const;
    const refused = await at.send(one, remove);
    expect([refused.code, textAt(refused.json, 'message')]).toEqual([
      403,
      expect.stringMatching(/outside of the scope/),
    ]);
    const canI = async (verb: string) => {
      const spec = { resourceAttributes: { verb, resource: 'namespaces', name: 'default' } };
      const reviews = `${builtInClusterPath}/apis/authorization.k8s.io/v1/selfsubjectaccessreviews`;
      const writing = await at.bench.createKey(at.server, `asks-${verb}`, {
        user: 'admin',
        scope: { rules: [{ verbs: ['get', 'create'], requestTargets: ['Cluster'] }] },
      });
      return (await at.post(reviews, { spec }, writing)).json;
    };
    expect(await canI('get')).toMatchObject({ status: { allowed: true } });
    expect(await canI('delete')).toMatchObject({ status: { allowed: false, reason: expect.stringMatching(/scope/) } });
    const as = { 'impersonate-user': 'somebody', 'impersonate-group': 'system:masters' };
    expect((await at.request(one, { token }, as)).statusCode).toBe(200);
    expect((await at.request(one, remove, as)).statusCode).toBe(403);
  });

  it('rejects requests to unknown and unconnected clusters', async () => {
    const unknown = await at.send('/kubernetes/cluster/none/api');
    expect([unknown.code, textAt(unknown.json, 'message')]).toEqual([
      404,
      'clusters.management.platform.sh "none" not found',
    ]);
    await at.bench.createObject(at.server, 'clusters', 'far', { networkPeer: true });
    expect((await at.send('/kubernetes/cluster/far/api')).code).toBe(501);
    expect((await at.send('/kubernetes/cluster')).code).toBe(404);
  });

  it('lists its virtual clusters to users with access (completions §4)', async () => {
    await at.createVirtualCluster('one');
    await at.waitForVirtualCluster('one', inPhase('Ready'));
    const { code, json } = await at.send(`${groupPath}/clusters/local/virtualclusters`);
    expect(code).toBe(200);
    expect(json).toMatchObject({
      kind: 'ClusterVirtualClusters',
      virtualClusters: [{ name: 'one', namespace: 'default', status: 'Ready', version: expect.stringMatching(/^v1/) }],
    });
  });
});
