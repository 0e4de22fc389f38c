import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonObject, listAt, textAt } from '@flotilla/json';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import { GatewayTestEnv, gatewayPath, instances, namespacesPathIn, sharedWith } from './gateway.fixture.ts';
import { isGone } from './instances.fixture.ts';
import { groupPath, mergePatch } from './server.fixture.ts';

describe('kubeconfigs of virtual clusters', () => {
  const at = GatewayTestEnv.forEach();
  const fieldsOf = (json: JsonObject) => listAt(json, 'details', 'causes').map((cause) => textAt(cause, 'field'));

  it('contain a token that is valid for that instance only (completions §3)', async () => {
    const anna = await at.createUser('anna');
    const demo = await at.createInstance('demo', sharedWith('anna'));
    await at.createInstance('other', sharedWith('anna'));
    const kubeconfig = await at.kubeconfig('demo', {}, anna);
    expect(kubeconfig).toMatchObject({
      apiVersion: 'v1',
      kind: 'Config',
      contexts: [{ name: 'default/demo', context: { cluster: 'default/demo', user: 'default/demo' } }],
      'current-context': 'default/demo',
    });
    const cluster = listAt(kubeconfig, 'clusters')[0];
    expect(textAt(cluster, 'cluster', 'server')).toBe(`${at.server.url}${gatewayPath('demo')}`);
    const authority = Buffer.from(textAt(cluster, 'cluster', 'certificate-authority-data'), 'base64').toString();
    expect(authority).toBe(await at.bench.read('ca.crt'));
    const token = textAt(listAt(kubeconfig, 'users')[0], 'user', 'token');
    expect(decodeJwt(token)).toMatchObject({
      aud: 'virtual-cluster',
      sub: 'anna',
      instance: textAt(demo, 'metadata', 'uid'),
      accessKey: { name: 'annas' },
    });
    const { exp = 0, iat = 0 } = decodeJwt(token);
    expect(exp - iat).toBe(86_400);
    const inside = await at.identityInside('demo', token);
    expect([inside.name, inside.groups.includes('platform:role:cluster-admin')]).toEqual(['anna', true]);
    expect((await at.post(namespacesPathIn('demo'), { metadata: { name: 'a' } }, token)).code).toBe(201);
    const elsewhere = ['/kubernetes/management/api', '/kubernetes/cluster/local/api', '/auth/logout', '/metrics'];
    for (const path of [`${gatewayPath('other')}/api`, `${groupPath}/projects`, ...elsewhere]) {
      expect(await at.code(path, token), path).toBeOneOf([401, 405]);
    }
    const vc = `${textAt(demo, 'spec', 'clusterRef', 'namespace')}/virtualclusters/demo`;
    const proxy = `/kubernetes/cluster/local/apis/storage.platform.sh/v1/namespaces/${vc}/proxy/api`;
    expect(await at.code(proxy, token)).toBe(401);
  });

  it('are valid in a TokenReview by their holder, and so is an access key; nobody else can review them', async () => {
    const anna = await at.createUser('anna');
    await at.createInstance('demo', sharedWith('anna'));
    const token = await at.token('demo', anna);
    const review = async (reviewed: string, by: string, audiences: string[] = []) =>
      (
        await at.post(
          `${gatewayPath('demo')}/apis/authentication.k8s.io/v1/tokenreviews`,
          { spec: { token: reviewed, audiences } },
          by,
        )
      ).json;
    for (const own of [token, anna]) {
      const { status } = await review(own, own);
      expect(status).toMatchObject({ authenticated: true, user: { username: 'anna' } });
      expect(listAt(status ?? null, 'user', 'groups')).toContain('platform:role:cluster-admin');
      const issuer = listAt(status ?? null, 'audiences').map(String);
      expect(issuer).toHaveLength(1);
      expect((await review(own, own, [...issuer, 'other'])).status).toMatchObject({
        authenticated: true,
        audiences: issuer,
      });
      expect((await review(own, own, ['other'])).status).not.toHaveProperty('authenticated');
    }
    expect((await review(anna, token)).status).toMatchObject({
      error: expect.stringContaining('invalid bearer token'),
    });
    const path = `${gatewayPath('demo')}/apis/authentication.k8s.io/v1/tokenreviews`;
    const key = await at.bench.adminKey();
    const headers = { 'impersonate-user': 'somebody', 'impersonate-group': 'system:masters' };
    const acting = await at.bench.request(at.server, path, { method: 'POST', body: { spec: { token: key } } }, headers);
    expect(((await acting.body.json()) as JsonObject).status).not.toHaveProperty('authenticated');
  });

  it('are rejected with the cause, and never issued for another user (completions §3)', async () => {
    await at.createInstance('demo');
    const path = `${instances}/demo/kubeconfig`;
    for (const [spec, fields] of [
      [{ certificateTTL: 0 }, ['spec.certificateTTL']],
      [{ certificateTTL: 400 * 24 * 3600 }, ['spec.certificateTTL']],
      [{ certificateTTL: 'long', server: 'http://x' }, ['spec.certificateTTL', 'spec.server']],
      [{ server: 'https://me:secret@example.com' }, ['spec.server']],
    ] as const) {
      const { code, json } = await at.post(path, { spec });
      expect([code, fieldsOf(json)]).toEqual([422, fields]);
    }
    expect((await at.post(`${instances}/nothing/kubeconfig`, {})).code).toBe(404);
    const dry = await at.post(`${path}?dryRun=All`, {});
    expect([dry.code, 'status' in dry.json]).toEqual([201, false]);
    const headers = { 'impersonate-user': 'anna' };
    const acting = await at.bench.request(at.server, path, { method: 'POST', body: {} }, headers);
    expect([acting.statusCode, await acting.body.text()]).toEqual([403, expect.stringMatching(/forbidden/)]);
    const server = async (given: string) =>
      textAt(listAt(await at.kubeconfig('demo', { server: given }), 'clusters')[0], 'cluster', 'server');
    expect(await server('https://fleet.example:8443/')).toBe(`https://fleet.example:8443${gatewayPath('demo')}`);
    expect(await server('https://fleet.example/a/way/in/')).toBe('https://fleet.example/a/way/in');
  });

  it('end with the requesting key: deleted, disabled, changed value (completions §3)', async () => {
    await at.createInstance('demo', sharedWith('anna', 'bob', 'carl'));
    for (const [name, end] of [
      ['anna', () => at.send(`${groupPath}/accesskeys/annas`, { method: 'DELETE' })],
      ['bob', () => at.send(`${groupPath}/accesskeys/bobs`, mergePatch({ spec: { disabled: true } }))],
      [
        'carl',
        () => at.send(`${groupPath}/accesskeys/carls`, mergePatch({ spec: { key: randomBytes(30).toString('hex') } })),
      ],
    ] as const) {
      const token = await at.token('demo', await at.createUser(name));
      expect(await at.code(namespacesPathIn('demo'), token)).toBe(200);
      expect((await end()).code).toBe(200);
      expect(await at.code(namespacesPathIn('demo'), token), name).toBe(401);
    }
  });

  it('end with the instance, and are invalid for a new one of the same name (completions §3)', async () => {
    await at.createInstance('demo');
    const token = await at.token('demo');
    expect(await at.code(namespacesPathIn('demo'), token)).toBe(200);
    await at.send(`${instances}/demo`, { method: 'DELETE' });
    await at.waitForInstance('demo', isGone);
    expect(await at.code(namespacesPathIn('demo'), token)).toBe(401);
    await at.createInstance('demo');
    expect(await at.code(namespacesPathIn('demo'), token)).toBe(401);
    expect(await at.code(namespacesPathIn('demo'), await at.token('demo'))).toBe(200);
  });

  it('grant neither more than the key does now, nor more than it did at their creation (completions §5)', async () => {
    await at.createInstance('demo');
    const wide = { virtualClusters: [{ project: 'default', virtualCluster: '*' }] };
    await at.bench.createKey(at.server, 'own', { scope: wide });
    const key = await at.bench.createKey(at.server, 'narrow', { scope: wide });
    const token = await at.token('demo', key);
    expect(await at.code(namespacesPathIn('demo'), token)).toBe(200);
    const narrower = { virtualClusters: [{ project: 'default', virtualCluster: 'another' }] };
    await at.send(`${groupPath}/accesskeys/narrow`, mergePatch({ spec: { scope: narrower } }));
    expect(await at.code(namespacesPathIn('demo'), token)).toBe(403);
    // If a key gets wider permissions, tokens that were created with the key before do not get them.
    const rules = [{ verbs: ['get', 'list'], requestTargets: ['ProjectVirtualCluster'] }, { verbs: ['create'] }];
    await at.send(`${groupPath}/accesskeys/narrow`, mergePatch({ spec: { scope: { virtualClusters: null, rules } } }));
    const reading = await at.token('demo', key);
    await at.send(`${groupPath}/accesskeys/narrow`, mergePatch({ spec: { scope: null } }));
    expect((await at.post(namespacesPathIn('demo'), { metadata: { name: 'a' } }, key)).code).toBe(201);
    expect(await at.code(namespacesPathIn('demo'), reading)).toBe(200);
    const patched = await at.send(`${namespacesPathIn('demo')}/a`, { ...mergePatch({}), token: reading });
    expect(patched.code).toBe(403);
  });

  it('stay valid after a restart of the server', async () => {
    await at.createInstance('demo');
    const token = await at.token('demo');
    await at.restart();
    expect(await at.code(namespacesPathIn('demo'), token)).toBe(200);
  });

  it('end with the permission to use the instance (completions §8)', async () => {
    const anna = await at.createUser('anna');
    await at.createInstance('demo', sharedWith('anna'));
    const token = await at.token('demo', anna);
    expect(await at.code(namespacesPathIn('demo'), token)).toBe(200);
    await at.send(`${instances}/demo`, mergePatch({ spec: { access: [] } }));
    expect(await at.code(namespacesPathIn('demo'), token)).toBe(403);
  });

  it('expire on time, never later than the key, and service account tokens can be disabled', async () => {
    const clock = new ManualClock(Date.now());
    const config = join(at.bench.root, 'settings.yaml');
    await writeFile(config, 'gateway:\n  serviceAccountTokens: false\n  maxTokenTTL: 90000\n');
    await at.restart({ config }, clock);
    await at.createInstance('demo', sharedWith('anna'));
    const path = `${namespacesPathIn('demo')}/default/serviceaccounts/default/token`;
    const account = textAt((await at.post(path, { spec: {} })).json, 'status', 'token');
    expect(await at.code(`${gatewayPath('demo')}/version`, account)).toBe(401);
    const short = await at.token('demo', undefined, { certificateTTL: 60 });
    const keys = await at.token('demo', await at.createUser('anna', { ttl: 120 }));
    expect(decodeJwt(keys).exp).toBeLessThanOrEqual(Math.floor(clock.now() / 1000) + 120);
    const watch = await at.openStream(`${namespacesPathIn('demo')}?watch=true`, short);
    expect([watch.statusCode, await at.code(namespacesPathIn('demo'), keys)]).toEqual([200, 200]);
    clock.advance(61_000);
    expect(await at.code(namespacesPathIn('demo'), short)).toBe(401);
    await watch.body.text();
    expect(await at.code(namespacesPathIn('demo'), keys)).toBe(200);
    clock.advance(60_000);
    expect(await at.code(namespacesPathIn('demo'), keys)).toBe(401);
  });
});
