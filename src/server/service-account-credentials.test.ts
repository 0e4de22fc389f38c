import { type JsonObject, textAt } from '@flotilla/json';
import { decodeJwt } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import { GatewayTestEnv, instances, namespacesPathIn, sharedWith } from './gateway.fixture.ts';
import { groupPath, mergePatch } from './server.fixture.ts';

const day = 24 * 3600 * 1000;

describe('credentials of service accounts at the gateway', () => {
  const at = GatewayTestEnv.forEach();
  const inDefault = `${namespacesPathIn('demo')}/default`;
  const configMaps = `${inDefault}/configmaps`;

  /** Lets the service account `default` read everything, so its requests succeed with 200. */
  async function bindAccount(): Promise<void> {
    const bindings = `${namespacesPathIn('demo').replace('/api/v1/namespaces', '')}/apis/rbac.authorization.k8s.io/v1/clusterrolebindings`;
    const bound = await at.post(bindings, {
      metadata: { name: 'robots' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }],
    });
    expect(bound.code, bound.text).toBe(201);
  }

  async function requestToken(by: string, headers: Record<string, string> = {}): Promise<string> {
    const path = `${inDefault}/serviceaccounts/default/token`;
    const response = await at.bench.request(
      at.server,
      path,
      { method: 'POST', body: { spec: {} }, token: by },
      headers,
    );
    return textAt((await response.body.json()) as JsonObject, 'status', 'token');
  }

  /** Creates a token secret and returns the token that the virtual cluster writes into it. */
  async function secretToken(by: string): Promise<string> {
    const annotations = { 'kubernetes.io/service-account.name': 'default' };
    const type = 'kubernetes.io/service-account-token';
    const made = await at.post(`${inDefault}/secrets`, { metadata: { name: 'robot', annotations }, type }, by);
    expect(made.code, made.text).toBe(201);
    const text = await vi.waitFor(
      async () => {
        const { json } = await at.send(`${inDefault}/secrets/robot`);
        expect(textAt(json, 'data', 'token')).not.toBe('');
        return textAt(json, 'data', 'token');
      },
      { timeout: 10_000 },
    );
    return Buffer.from(text, 'base64').toString();
  }

  it('name their creator, also if the creator impersonates somebody or uses another service account', async () => {
    const anna = await at.createUser('anna');
    await at.createInstance('demo', sharedWith('anna'));
    await bindAccount();
    const first = await requestToken(anna);
    const tokens = [
      first,
      await secretToken(anna),
      await requestToken(anna, { 'impersonate-user': 'somebody', 'impersonate-group': 'system:masters' }),
      await requestToken(first),
    ];
    for (const token of tokens) expect(decodeJwt(token)['platform.sh/maker']).toBe('anna');
  });

  it('end when their creator loses access to the instance, and are valid again with the access', async () => {
    const anna = await at.createUser('anna');
    const bob = await at.createUser('bob');
    await at.createInstance('demo', sharedWith('anna', 'bob'));
    await bindAccount();
    const tokens = [await requestToken(anna), await secretToken(anna)];
    const ofBob = await requestToken(bob);
    const codes = async () => await Promise.all([...tokens, ofBob].map((token) => at.code(configMaps, token)));
    expect(await codes()).toEqual([200, 200, 200]);
    await at.send(`${instances}/demo`, mergePatch({ spec: sharedWith('bob') }));
    expect(await codes()).toEqual([401, 401, 200]);
    await at.send(`${instances}/demo`, mergePatch({ spec: sharedWith('anna', 'bob') }));
    expect(await codes()).toEqual([200, 200, 200]);
    await at.send(`${groupPath}/users/anna`, mergePatch({ spec: { disabled: true } }));
    expect(await codes()).toEqual([401, 401, 200]);
    await at.send(`${groupPath}/users/anna`, { method: 'DELETE' });
    expect(await codes()).toEqual([401, 401, 200]);
  });

  it('are listed with their creator, and are revoked one by one or all at once', async () => {
    const anna = await at.createUser('anna');
    const bob = await at.createUser('bob');
    await at.createInstance('demo', { ...sharedWith('anna', 'bob'), owner: { user: 'anna' } });
    await bindAccount();
    const token = await secretToken(anna);
    const path = `${instances}/demo/credentials`;
    const { json } = await at.send(path, { token: anna });
    expect(json.credentials).toMatchObject([
      { kind: 'Secret', namespace: 'default', name: 'robot', serviceAccount: 'default', maker: 'anna' },
    ]);
    expect(JSON.stringify(json)).not.toContain(token.slice(-20));
    expect([await at.code(path, bob), await at.code(configMaps, token)]).toEqual([403, 200]);
    const revoke = (spec: JsonObject) => at.post(path, { spec }, anna);
    expect((await revoke({})).code).toBe(422);
    expect((await revoke({ revoke: [{ namespace: 'default', name: 'nothing' }] })).code).toBe(422);
    expect(await at.code(configMaps, token)).toBe(200);
    expect((await revoke({ revoke: [{ namespace: 'default', name: 'robot' }] })).code).toBe(201);
    expect(await at.code(configMaps, token)).toBe(401);
    const second = await secretToken(anna);
    expect((await revoke({ revokeAll: true })).json.credentials).toHaveLength(1);
    expect(await at.code(configMaps, second)).toBe(401);
    expect((await at.send(path, { token: anna })).json.credentials).toEqual([]);
  });

  it('are all rejected after they are revoked all at once, also tokens that are in no Secret', async () => {
    const anna = await at.createUser('anna');
    await at.createInstance('demo', { ...sharedWith('anna'), owner: { user: 'anna' } });
    await bindAccount();
    const tokens = [await requestToken(anna), await requestToken(anna), await secretToken(anna)];
    const codes = (list: readonly string[]) => Promise.all(list.map((token) => at.code(configMaps, token)));
    expect(await codes(tokens)).toEqual([200, 200, 200]);
    const path = `${instances}/demo/credentials`;
    expect((await at.post(`${path}?dryRun=All`, { spec: { revokeAll: true } }, anna)).code).toBe(201);
    expect(await codes(tokens)).toEqual([200, 200, 200]);
    expect((await at.post(path, { spec: { revokeAll: true } }, anna)).code).toBe(201);
    expect(await codes(tokens)).toEqual([401, 401, 401]);
    expect(await codes([await requestToken(anna), await secretToken(anna)])).toEqual([200, 200]);
    await at.restart();
    expect(await codes(tokens)).toEqual([401, 401, 401]);
    const { json } = await at.send(path, { token: anna });
    expect(Date.parse(textAt(json, 'revokedBefore'))).toBeGreaterThan(Date.now() - 60_000);
    // Only the server records this time, so clients cannot change it.
    await at.send(`${instances}/demo`, mergePatch({ status: { revokedTokens: null } }));
    expect(await codes(tokens)).toEqual([401, 401, 401]);
  });

  it('show when they were last used, and the tokens of a service account are revoked together', async () => {
    const anna = await at.createUser('anna');
    const bob = await at.createUser('bob');
    await at.createInstance('demo', { ...sharedWith('anna', 'bob'), owner: { user: 'anna' } });
    await bindAccount();
    const tokens = [await requestToken(anna), await requestToken(bob), await secretToken(anna)];
    const path = `${instances}/demo/credentials`;
    const list = async () => (await at.send(path, { token: anna })).json.credentials as JsonObject[];
    expect(await list()).toMatchObject([{ kind: 'Secret', name: 'robot' }]);
    expect((await list())[0]).not.toHaveProperty('lastUsed');
    for (const token of tokens) expect(await at.code(configMaps, token)).toBe(200);
    const used = expect.stringMatching(/Z$/);
    const expected = [
      { kind: 'Secret', name: 'robot', maker: 'anna', lastUsed: used },
      { kind: 'Token', namespace: 'default', name: 'default', maker: 'anna', lastUsed: used, expires: used },
      { kind: 'Token', namespace: 'default', name: 'default', maker: 'bob', lastUsed: used, expires: used },
    ];
    expect(await list()).toMatchObject(expected);
    await at.restart();
    expect(await list()).toMatchObject(expected);
    const revoke = [{ kind: 'Token', namespace: 'default', name: 'default' }];
    expect((await at.post(path, { spec: { revoke } }, anna)).json.credentials).toHaveLength(3);
    for (const token of tokens) expect(await at.code(configMaps, token)).toBe(401);
    expect(await list()).toEqual([]);
    expect(await at.code(configMaps, await requestToken(anna))).toBe(200);
  });

  it('end open streams a few seconds after their creator loses access', async () => {
    const clock = new ManualClock(Date.now());
    await at.restart({}, clock);
    const anna = await at.createUser('anna');
    await at.createInstance('demo', sharedWith('anna'));
    await bindAccount();
    const watch = await at.openStream(`${configMaps}?watch=true`, await requestToken(anna));
    expect(watch.statusCode).toBe(200);
    await at.send(`${groupPath}/users/anna`, mergePatch({ spec: { disabled: true } }));
    clock.advance(5_000);
    await watch.body.text();
  });

  it('end open streams a few seconds after they are revoked', async () => {
    const clock = new ManualClock(Date.now());
    await at.restart({}, clock);
    const anna = await at.createUser('anna');
    await at.createInstance('demo', { ...sharedWith('anna'), owner: { user: 'anna' } });
    await bindAccount();
    const watch = await at.openStream(`${configMaps}?watch=true`, await requestToken(anna));
    expect(watch.statusCode).toBe(200);
    const revoking = at.post(`${instances}/demo/credentials`, { spec: { revokeAll: true } }, anna);
    await at.waitForInstance('demo', (found) => textAt(found, 'status', 'revokedTokens', 'issuedBefore') !== '');
    clock.advance(5_000);
    await watch.body.text();
    expect((await revoking).code).toBe(201);
  });

  it('end at their maximum age, even if they have no expiry of their own', async () => {
    const clock = new ManualClock(Date.now());
    await at.restart({}, clock);
    await at.createInstance('demo');
    await bindAccount();
    const token = await secretToken(await at.bench.adminKey());
    expect(decodeJwt(token)).not.toHaveProperty('exp');
    expect(await at.code(configMaps, token)).toBe(200);
    clock.advance(29 * day);
    expect(await at.code(configMaps, token)).toBe(200);
    clock.advance(day + 1000);
    expect(await at.code(configMaps, token)).toBe(401);
    expect(await at.code(configMaps)).toBe(200);
  });
});
