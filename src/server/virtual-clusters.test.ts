import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listAt, textAt } from '@flotilla/json';
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import {
  BuiltInClusterTestEnv,
  builtInClusterPath,
  inPhase,
  proxyPath,
  virtualClustersPath,
} from './built-in-cluster.fixture.ts';
import { runBackup } from './data/backup.ts';
import { runRestore } from './data/restore.ts';
import { groupPath, mergePatch } from './server.fixture.ts';

describe('the built-in cluster over HTTP', () => {
  const at = BuiltInClusterTestEnv.forEach();

  it('creates a virtual cluster for an object, which becomes ready soon', async () => {
    await at.createVirtualCluster('one');
    expect((await at.send(`${proxyPath('one')}/api/v1/namespaces/default`)).code).toBe(200);
    const ready = await at.waitForVirtualCluster('one', inPhase('Ready'));
    const [condition] = listAt(ready, 'status', 'conditions');
    expect(condition).toMatchObject({ type: 'Ready', status: 'True', reason: 'Serving', observedGeneration: 1 });
    expect(textAt(ready, 'status', 'kubernetesVersion')).toMatch(/^v1\./);
    expect(textAt((await at.send(`${proxyPath('one')}/version`)).json, 'gitVersion')).toMatch(/^v1\./);
    expect((await at.send(proxyPath('one'))).json).toMatchObject({ paths: expect.arrayContaining(['/api', '/apis']) });
    const written = await at.send(`${virtualClustersPath}/one/status`, mergePatch({ status: { phase: 'Pending' } }));
    expect(written.code).toBe(405);
  });

  it('isolates virtual clusters from each other and from itself', async () => {
    await at.createVirtualCluster('one');
    await at.createVirtualCluster('two');
    const body = { metadata: { name: 'shared' }, data: { from: 'one' } };
    expect((await at.post(`${proxyPath('one')}/api/v1/namespaces/default/configmaps`, body)).code).toBe(201);
    for (const root of [proxyPath('two'), builtInClusterPath]) {
      expect((await at.send(`${root}/api/v1/namespaces/default/configmaps/shared`)).code).toBe(404);
    }
    expect((await at.send(`${proxyPath('one')}/apis/storage.platform.sh/v1`)).code).toBe(404);
    expect((await at.send(`${proxyPath('none')}/api/v1/namespaces`)).json).toMatchObject({
      code: 404,
      message: 'virtualclusters.storage.platform.sh "none" not found',
    });
  });

  it('requires permission for the proxy, then permission inside the virtual cluster', async () => {
    await at.bench.createObject(at.server, 'users', 'anna');
    const token = await at.bench.createKey(at.server, 'annas', { user: 'anna' });
    const access = { spec: { access: [{ name: 'use', verbs: ['use'], users: ['anna'] }] } };
    await at.send(`${groupPath}/clusters/local`, mergePatch(access));
    await at.createVirtualCluster('one');
    const namespaces = `${proxyPath('one')}/api/v1/namespaces`;
    const outside = await at.send(namespaces, { token });
    expect([outside.code, textAt(outside.json, 'message')]).toEqual([
      403,
      'virtualclusters.storage.platform.sh "one" is forbidden: User "anna" cannot get resource "virtualclusters/proxy" in API group "storage.platform.sh" in the namespace "default"',
    ]);
    const role = {
      metadata: { name: 'through', namespace: 'default' },
      rules: [{ apiGroups: ['storage.platform.sh'], resources: ['virtualclusters/proxy'], verbs: ['get'] }],
    };
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'anna' }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'through' };
    expect((await at.post(`${builtInClusterPath}${rbac}/namespaces/default/roles`, role)).code).toBe(201);
    const bindings = `${builtInClusterPath}${rbac}/namespaces/default/rolebindings`;
    expect((await at.post(bindings, { metadata: { name: 'through' }, roleRef, subjects })).code).toBe(201);
    const inside = await at.send(namespaces, { token });
    expect([inside.code, textAt(inside.json, 'message')]).toEqual([
      403,
      'namespaces is forbidden: User "anna" cannot list resource "namespaces" in API group "" at the cluster scope',
    ]);
    const all = { ...roleRef, kind: 'ClusterRole', name: 'cluster-admin' };
    const inner = `${proxyPath('one')}${rbac}/clusterrolebindings`;
    expect((await at.post(inner, { metadata: { name: 'anna' }, roleRef: all, subjects })).code).toBe(201);
    expect((await at.send(namespaces, { token })).code).toBe(200);
    // The proxy permission is read-only.
    expect((await at.post(namespaces, { metadata: { name: 'x' } }, token)).code).toBe(403);
    // The virtual cluster itself authorizes impersonation inside.
    const as = { 'impersonate-user': 'bob' };
    expect((await at.request(namespaces, { token }, as)).statusCode).toBe(403);
    const self = await at.post(`${proxyPath('one')}/apis/authentication.k8s.io/v1/selfsubjectreviews`, {});
    expect(listAt(self.json, 'status', 'userInfo', 'groups')).toContain('system:masters');
  });

  it('accepts a service account token only in the cluster that issued it', async () => {
    await at.createVirtualCluster('one');
    await at.createVirtualCluster('two');
    const tokenOf = async (root: string) => {
      const path = `${root}/api/v1/namespaces/default/serviceaccounts/default/token`;
      const answer = await at.post(path, { spec: {} });
      expect(answer.code, answer.text).toBe(201);
      return textAt(answer.json, 'status', 'token');
    };
    const self = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const whoami = async (root: string, token: string) => {
      const { code, json } = await at.post(`${root}${self}`, {}, token);
      return code === 201 ? textAt(json, 'status', 'userInfo', 'username') : code;
    };
    const account = 'system:serviceaccount:default:default';
    const inOne = await tokenOf(proxyPath('one'));
    expect(await whoami(proxyPath('one'), inOne)).toBe(account);
    expect(await whoami(proxyPath('two'), inOne)).toBe(401);
    expect(await whoami(builtInClusterPath, inOne)).toBe(401);
    expect((await at.send(`${groupPath}/projects`, { token: inOne })).code).toBe(401);
    const inLocal = await tokenOf(builtInClusterPath);
    expect(await whoami(builtInClusterPath, inLocal)).toBe(account);
    expect((await at.send(`${groupPath}/projects`, { token: inLocal })).code).toBe(401);
    // Inside the virtual cluster, the host's service account has another name than the virtual cluster's own account
    // `default`.
    expect(await whoami(proxyPath('one'), inLocal)).toBe(403);
    await at.post(`${builtInClusterPath}/apis/rbac.authorization.k8s.io/v1/clusterrolebindings`, {
      metadata: { name: 'accounts-pass' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }],
    });
    expect(await whoami(proxyPath('one'), inLocal)).toBe('platform:host:serviceaccount:default:default');
  });

  it('publishes the keys that verify service account tokens (DISC-21)', async () => {
    await at.createVirtualCluster('one');
    const root = proxyPath('one');
    const path = `${root}/api/v1/namespaces/default/serviceaccounts/default/token`;
    const token = textAt((await at.post(path, { spec: {} })).json, 'status', 'token');
    // Service accounts may read both documents.
    const read = async (document: string) => {
      const { headers, body } = await at.request(`${root}${document}`, { token });
      return { type: headers['content-type'], json: await body.json() };
    };
    const configuration = await read('/.well-known/openid-configuration');
    expect(configuration.type).toBe('application/json');
    expect(configuration.json).toEqual({
      issuer: decodeJwt(token).iss,
      jwks_uri: `${at.server.url}${root}/openid/v1/jwks`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    });
    const keys = await read('/openid/v1/jwks');
    expect(keys.type).toBe('application/jwk-set+json');
    const verified = await jwtVerify(token, createLocalJWKSet(keys.json as JSONWebKeySet));
    expect(verified.payload.sub).toBe('system:serviceaccount:default:default');
    expect((await at.send(root)).json).toMatchObject({
      paths: expect.arrayContaining(['/.well-known/openid-configuration', '/openid/v1/jwks']),
    });
  });

  it('puts a virtual cluster to sleep, which ends watches and rejects requests, and wakes it (completions §3)', async () => {
    await at.createVirtualCluster('one');
    await at.waitForVirtualCluster('one', inPhase('Ready'));
    await at.post(`${proxyPath('one')}/api/v1/namespaces`, { metadata: { name: 'kept' } });
    const watch = await at.request(`${proxyPath('one')}/api/v1/namespaces?watch=true`);
    const sleep = (asleep: boolean) => at.send(`${virtualClustersPath}/one`, mergePatch({ spec: { asleep } }));
    expect((await sleep(true)).code).toBe(200);
    expect(await watch.body.text()).toMatch(/"type":"ERROR".*asleep/);
    const refused = await at.send(`${proxyPath('one')}/api/v1/namespaces/kept`);
    expect([refused.code, textAt(refused.json, 'message')]).toEqual([503, expect.stringMatching(/set spec\.asleep/)]);
    const [condition] = listAt(await at.waitForVirtualCluster('one', inPhase('Sleeping')), 'status', 'conditions');
    expect(condition).toMatchObject({ status: 'False', reason: 'Asleep', observedGeneration: 2 });
    expect((await sleep(false)).code).toBe(200);
    expect((await at.send(`${proxyPath('one')}/api/v1/namespaces/kept`)).code).toBe(200);
    await at.waitForVirtualCluster('one', inPhase('Ready'));
  });

  it('removes the plane before its object, after all other finalizers are gone', async () => {
    const object = { metadata: { name: 'one', finalizers: ['example.dev/hold'] } };
    expect((await at.post(virtualClustersPath, object)).code).toBe(201);
    await at.waitForVirtualCluster('one', inPhase('Ready'));
    const watch = await at.request(`${proxyPath('one')}/api/v1/namespaces?watch=true`);
    const deleted = await at.send(`${virtualClustersPath}/one`, { method: 'DELETE' });
    expect(deleted.json).toMatchObject({ metadata: { finalizers: ['example.dev/hold', 'platform.sh/cleanup'] } });
    expect((await at.send(`${proxyPath('one')}/api/v1/namespaces`)).code).toBe(200);
    const cut = await at.send(`${virtualClustersPath}/one`, mergePatch({ metadata: { finalizers: [] } }));
    expect(cut.json).toMatchObject({ metadata: { finalizers: ['platform.sh/cleanup'] } });
    await at.waitForVirtualCluster('one', (seen) => Object.keys(seen).length === 0);
    await watch.body.text();
    expect((await at.send(`${virtualClustersPath}/one`)).code).toBe(404);
    expect((await at.send(`${proxyPath('one')}/api/v1/namespaces`)).code).toBe(404);
  });

  it('removes the virtual clusters of a deleted namespace', async () => {
    await at.post(`${builtInClusterPath}/api/v1/namespaces`, { metadata: { name: 'team' } });
    const there = virtualClustersPath.replace('default', 'team');
    expect((await at.post(there, { metadata: { name: 'one' } })).code).toBe(201);
    const query = '?watch=true&fieldSelector=metadata.name%3Dteam&timeoutSeconds=20';
    const watch = await at.request(`${builtInClusterPath}/api/v1/namespaces${query}`);
    expect((await at.send(`${builtInClusterPath}/api/v1/namespaces/team`, { method: 'DELETE' })).code).toBe(200);
    let seen = '';
    for await (const chunk of watch.body) {
      seen += chunk;
      if (seen.includes('"DELETED"')) break;
    }
    expect(seen).toMatch(/"DELETED"/);
    expect((await at.send(`${there}/one`)).code).toBe(404);
  });

  it('keeps virtual clusters and their contents after a restart', async () => {
    await at.createVirtualCluster('one');
    await at.post(`${proxyPath('one')}/api/v1/namespaces`, { metadata: { name: 'kept' } });
    await at.restart();
    expect((await at.send(`${proxyPath('one')}/api/v1/namespaces/kept`)).code).toBe(200);
    await at.waitForVirtualCluster('one', inPhase('Ready'));
  });

  it('includes virtual clusters and their secrets in backups', async () => {
    await at.createVirtualCluster('one');
    const secrets = `${proxyPath('one')}/api/v1/namespaces/default/secrets`;
    const body = { metadata: { name: 'canary' }, stringData: { word: 'sesame-open-up' } };
    expect((await at.post(secrets, body)).code).toBe(201);
    const before = await at.send(`${secrets}/canary`);
    const { bench } = at;
    const backup = join(bench.root, 'all.backup');
    await runBackup(backup, bench.dataDir);
    const key = await bench.adminKey();
    await at.stop();
    const sealKey = bench.file('seal.key');
    bench.dataDir = join(bench.root, 'restored');
    await runRestore(backup, bench.dataDir, { sealKeyFile: sealKey, trustsKeys: true });
    await writeFile(bench.file('admin.key'), `${key}\n`, { mode: 0o600 });
    await at.start({ store: 'embedded' });
    expect((await at.send(`${secrets}/canary`)).json).toEqual(before.json);
  });

  it('keeps planes in use in memory, and unloads unused ones beyond the budget', async () => {
    const config = `${at.bench.root}/small.yaml`;
    await writeFile(config, `planes: {memoryBytes: ${1024 * 1024}}`);
    await at.restart({ config });
    const loaded = async () => {
      const { text } = await at.send('/metrics');
      return Number(/^flotilla_control_planes_loaded (\d+)$/m.exec(text)?.[1]);
    };
    const names = Array.from({ length: 12 }, (_, number) => `one-${number}`);
    const maps = (name: string) => `${proxyPath(name)}/api/v1/namespaces/default/configmaps`;
    const watches = [];
    for (const name of names) {
      await at.createVirtualCluster(name);
      const data = { text: 'x'.repeat(400_000) };
      expect((await at.post(maps(name), { metadata: { name: 'large' }, data })).code).toBe(201);
      watches.push(await at.request(`${maps(name)}?watch=true`));
    }
    await expect.poll(loaded, { timeout: 10_000 }).toBe(names.length + 1);
    expect((await at.post(maps('one-0'), { metadata: { name: 'small' } })).code).toBe(201);
    const [first, ...others] = watches;
    let seen = '';
    for await (const chunk of first?.body ?? []) {
      seen += chunk;
      if (seen.includes('"small"')) break;
    }
    for (const { body } of others) body.on('error', () => {}).destroy();
    while ((await loaded()) > 5) await at.send(`${maps('one-0')}/small`);
    for (const name of names) expect((await at.send(`${maps(name)}/large`)).code).toBe(200);
  });

  it('audits requests to virtual clusters, including rejected ones', async () => {
    await at.bench.createObject(at.server, 'users', 'anna');
    const token = await at.bench.createKey(at.server, 'annas', { user: 'anna' });
    const access = { spec: { access: [{ name: 'use', verbs: ['use'], users: ['anna'] }] } };
    await at.send(`${groupPath}/clusters/local`, mergePatch(access));
    await at.createVirtualCluster('one');
    const maps = `${proxyPath('one')}/api/v1/namespaces/default/configmaps`;
    expect((await at.post(maps, { metadata: { name: 'map' } })).code).toBe(201);
    expect((await at.send(maps, { token })).code).toBe(403);
    const lines = (await at.bench.read('audit.log')).trim().split('\n');
    const ofMaps = lines.map((line) => JSON.parse(line)).filter(({ requestURI }) => requestURI === maps);
    expect(ofMaps).toMatchObject([
      { stage: 'RequestReceived', verb: 'create', user: { username: 'admin' }, accessKey: 'admin' },
      {
        stage: 'ResponseComplete',
        objectRef: { resource: 'configmaps', namespace: 'default' },
        responseStatus: { code: 201 },
        decision: { allowed: true },
      },
      {
        stage: 'ResponseComplete',
        verb: 'list',
        user: { username: 'anna' },
        accessKey: 'annas',
        responseStatus: { code: 403 },
        decision: { allowed: false },
      },
    ]);
  });
});
