import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonObject, listAt, textAt } from '@flotilla/json';
import { load } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSealKeyFile, readSealKeyFile, writeSealKeyFile } from '../seal/seal-key-file.ts';
import { Browser, cookieName } from '../server/auth/browser.fixture.ts';
import { groupPath, mergePatch } from '../server/server.fixture.ts';
import { AgentTestEnv, agentCluster, instancesPath } from './agent.fixture.ts';

let at: AgentTestEnv;
beforeEach(async () => {
  at = await AgentTestEnv.open();
});
afterEach(() => at.close());

const inside = (name: string) => `/kubernetes/project/default/virtualcluster/${name}/api/v1/namespaces`;
const shared = (...users: string[]) => ({ access: [{ name: 'use', verbs: ['use', 'get'], users }] });
const namesIn = (json: JsonObject) => listAt(json, 'items').map((item) => textAt(item, 'metadata', 'name'));

describe('an agent with a built-in cluster (completions §6, §9.1)', () => {
  it('accepts direct tokens, gateway tokens and access keys for its virtual clusters, as the server does', async () => {
    await at.start();
    const anna = await at.createUser('anna');
    const bert = await at.createUser('bert');
    await at.createInstance('vc', shared('anna'));
    const direct = await at.directToken(anna);
    const made = await at.send(inside('vc'), direct, 'POST', { metadata: { name: 'web' } });
    expect(made.code, made.text).toBe(201);
    const kubeconfig = await at.serverEnv.send(at.server, `${instancesPath}/vc/kubeconfig`, {
      method: 'POST',
      token: anna,
      body: { spec: {} },
    });
    const config = load(textAt(kubeconfig.json, 'status', 'kubeConfig')) as JsonObject;
    const server = textAt(listAt(config, 'clusters')[0], 'cluster', 'server');
    expect(server).toBe(`${at.agent.url}/kubernetes/project/default/virtualcluster/vc`);
    const gatewayToken = textAt(listAt(config, 'users')[0], 'user', 'token');
    for (const token of [direct, gatewayToken, anna]) {
      const list = await at.send(inside('vc'), token);
      expect(list.code, list.text).toBe(200);
      expect(namesIn(list.json)).toContain('web');
    }
    const throughCentre = await at.serverEnv.send(at.server, inside('vc'), { token: anna });
    expect(namesIn(throughCentre.json)).toContain('web');
    expect(await at.code(inside('vc'), await at.directToken(bert))).toBe(403);
    expect(await at.code(inside('vc'), bert)).toBe(403);
    expect(await at.code(inside('vc'), '')).toBe(401);
    expect((await at.serverEnv.send(at.server, inside('vc'), { token: direct })).code).toBe(401);
  });

  it('serves the cluster itself, with and without its name, to callers with access', async () => {
    await at.start();
    const admin = await at.directToken(await at.serverEnv.adminKey());
    const anna = await at.directToken(await at.createUser('anna'));
    await at.waitForCode('/kubernetes/cluster/api/v1/namespaces', admin, 200);
    const paths = ['/kubernetes/cluster/api/v1/namespaces', `/kubernetes/cluster/${agentCluster}/api/v1/namespaces`];
    for (const path of paths) {
      expect(namesIn((await at.send(path, admin)).json)).toContain('kube-system');
      expect(await at.code(path, anna)).toBe(403);
    }
    expect(await at.code('/kubernetes/cluster/other/api/v1/namespaces', admin)).toBe(404);
    expect(await at.code('/kubernetes/cluster/local/api/v1/namespaces', admin)).toBe(404);
  });

  it("applies the server's limits to each credential, but not to admins", async () => {
    const config = join(at.serverEnv.root, 'config.yaml');
    await writeFile(config, 'limits: {requestsPerSecond: 1, requestBurst: 40}\n');
    await at.serverEnv.stop(at.server);
    at.server = await at.serverEnv.start({ config });
    await at.start();
    const admin = await at.directToken(await at.serverEnv.adminKey());
    const anna = await at.directToken(await at.createUser('anna'));
    const path = '/kubernetes/cluster/api/v1/namespaces';
    await at.waitForCode(path, admin, 200);
    const codesOf = async (token: string) => {
      const codes = new Set<number>();
      for (let index = 0; index < 60; index++) codes.add(await at.code(path, token));
      return [...codes];
    };
    expect(await codesOf(anna)).toEqual([403, 429]);
    expect(await codesOf(admin)).toEqual([200]);
  });

  it('ignores session cookies, which browsers send to every port of the server host', async () => {
    await at.start();
    const browser = new Browser(at.serverEnv, at.server);
    await browser.signIn({ accessKey: await at.serverEnv.adminKey() });
    const path = '/kubernetes/cluster/api/v1/namespaces';
    await at.waitForCode(path, browser.cookie, 200);
    for (const origin of [at.agent.url, at.server.url]) {
      const { statusCode, body } = await at.open(path, '', 'GET', undefined, {
        cookie: `${cookieName}=${browser.cookie}`,
        'x-flotilla-console': '1',
        'sec-fetch-site': 'same-origin',
        origin,
      });
      await body.dump();
      expect(statusCode).toBe(401);
    }
    expect(await at.code('/auth/session', '')).toBe(404);
    expect(await at.code('/', '')).toBe(404);
  });

  it('keeps serving while the server is down, also after a restart, but rejects access keys', async () => {
    await at.start();
    const anna = await at.createUser('anna');
    await at.createInstance('vc', shared('anna'));
    const direct = await at.directToken(anna);
    await at.waitForCode(inside('vc'), direct, 200);
    expect(await at.code(inside('vc'), anna)).toBe(200);
    await at.stopServer();
    expect(await at.code(inside('vc'), direct)).toBe(200);
    await at.waitForCode(inside('vc'), anna, 503);
    await at.stopAgent();
    await at.start();
    const found = await at.send(inside('vc'), direct);
    expect(found.code, found.text).toBe(200);
    expect(found.headers['flotilla-policy-age']).toMatch(/^\d+$/);
    expect((await at.send(inside('vc'), anna)).text).toContain('direct-endpoint token');
    expect(await at.code('/readyz', '')).toBe(200);
    await at.restartServer();
    await at.waitForCode(inside('vc'), anna, 200);
  });

  it('rejects all callers without a policy and with an expired policy', async () => {
    const anna = await at.createUser('anna');
    const direct = await at.directToken(anna);
    await at.stopServer();
    await at.start();
    expect(await at.code(inside('vc'), direct)).toBe(503);
    expect(await at.code('/readyz', '')).toBe(500);
    await at.restartServer();
    await at.waitForCode(inside('vc'), direct, 403);
    await at.stopServer();
    await at.stopAgent();
    await at.start({ maxPolicyAge: 0 });
    const refused = await at.send(inside('vc'), direct);
    expect([refused.code, refused.text.includes('its cached policy has expired')]).toEqual([503, true]);
  });

  it('ends sessions and open streams when their access key ends', async () => {
    await at.start();
    const anna = await at.createUser('anna');
    await at.createInstance('vc', shared('anna'));
    const direct = await at.directToken(anna);
    await at.waitForCode(inside('vc'), direct, 200);
    const watch = await at.open(`${inside('vc')}?watch=true`, direct);
    expect(watch.statusCode).toBe(200);
    const ended = watch.body.text().catch(() => 'cut off');
    await at.serverEnv.send(at.server, `${groupPath}/accesskeys/annas`, { method: 'DELETE' });
    await at.waitForCode(inside('vc'), direct, 401);
    await ended;
  });

  it('accepts an access key only with its current value', async () => {
    await at.start();
    const anna = await at.createUser('anna');
    await at.createInstance('vc', shared('anna'));
    const direct = await at.directToken(anna);
    expect([await at.code(inside('vc'), anna), await at.code(inside('vc'), direct)]).toEqual([200, 200]);
    const other = randomBytes(30).toString('hex');
    const replace = mergePatch({ spec: { key: other } });
    const changed = await at.serverEnv.send(at.server, `${groupPath}/accesskeys/annas`, replace);
    expect(changed.code, changed.text).toBe(200);
    await at.waitForCode(inside('vc'), anna, 401);
    await at.waitForCode(inside('vc'), direct, 401);
    expect(await at.code(inside('vc'), other)).toBe(200);
  });

  it('ends a stream when the token of its request expires', async () => {
    await at.start();
    const anna = await at.createUser('anna');
    await at.createInstance('vc', shared('anna'));
    await at.serverEnv.send(at.server, `${groupPath}/clusters/${agentCluster}`, mergePatch({ spec: shared('anna') }));
    const short = await at.directToken(anna, { ttl: 3 });
    const paths = [inside('vc'), '/kubernetes/cluster/apis/storage.platform.sh/v1/virtualclusters'];
    const opened = await Promise.all(paths.map((path) => at.open(`${path}?watch=true`, short)));
    expect(opened[0]?.statusCode).toBe(200);
    const ended = opened.map(({ body }) => body.text().catch(() => 'cut off'));
    await Promise.all(ended);
  });

  it('restricts a token to its own scopes and to those of its key', async () => {
    await at.start();
    const admin = await at.serverEnv.adminKey();
    await at.createInstance('one');
    await at.createInstance('two');
    const scoped = await at.directToken(admin, {
      scope: { virtualClusters: [{ project: 'default', virtualCluster: 'one' }] },
    });
    await at.waitForCode(inside('one'), scoped, 200);
    expect(await at.code(inside('two'), scoped)).toBe(403);
    expect(await at.code('/kubernetes/cluster/api/v1/namespaces', scoped)).toBe(403);
  });

  it('rejects a user whose access to a virtual cluster is removed, and ends their streams', async () => {
    await at.start();
    const anna = await at.createUser('anna');
    await at.createInstance('vc', shared('anna'));
    const direct = await at.directToken(anna);
    await at.waitForCode(inside('vc'), direct, 200);
    const watch = await at.open(`${inside('vc')}?watch=true`, direct);
    const ended = watch.body.text().catch(() => 'cut off');
    await at.serverEnv.send(at.server, `${instancesPath}/vc`, mergePatch({ spec: { access: [] } }));
    await at.waitForCode(inside('vc'), direct, 403);
    await ended;
  });

  it('accepts a user only from the addresses that the user may use, and ends streams when they change', async () => {
    await at.start();
    const anna = await at.createUser('anna');
    await at.createInstance('vc', shared('anna'));
    const token = await at.directToken(anna);
    await at.waitForCode(inside('vc'), token, 200);
    const watch = await at.open(`${inside('vc')}?watch=true`, token);
    const ended = watch.body.text();
    const allow = (...allowedCIDRs: string[]) =>
      at.serverEnv.send(at.server, `${groupPath}/users/anna`, mergePatch({ spec: { allowedCIDRs } }));
    expect((await allow('203.0.113.0/24')).code).toBe(200);
    await ended;
    await at.waitForCode(inside('vc'), token, 403);
    const refused = await at.send(inside('vc'), token);
    expect(refused.text).toContain('may not be used from the address 127.0.0.1');
    await allow('127.0.0.0/8');
    await at.waitForCode(inside('vc'), token, 200);
  });

  it('uploads each audit line exactly once', async () => {
    await at.start();
    const anna = await at.createUser('anna');
    await at.createInstance('vc', shared('anna'));
    const direct = await at.directToken(anna);
    await at.waitForCode(inside('vc'), direct, 200);
    await at.stopServer();
    for (const name of ['a', 'b', 'c']) await at.send(inside('vc'), direct, 'POST', { metadata: { name } });
    await at.stopAgent();
    await at.start();
    await at.send(inside('vc'), direct, 'POST', { metadata: { name: 'd' } });
    await at.restartServer();
    const handedOver = async () =>
      (await at.serverEnv.read('audit.log')).split('\n').flatMap((line) => {
        const event = line === '' ? {} : (JSON.parse(line) as JsonObject);
        const isIt =
          textAt(event, 'agent', 'cluster') === agentCluster && textAt(event, 'stage') === 'ResponseComplete';
        return isIt && textAt(event, 'verb') === 'create' && textAt(event, 'requestURI') === inside('vc')
          ? [event]
          : [];
      });
    await expect.poll(async () => (await handedOver()).length, { timeout: 20_000 }).toBe(4);
    expect(new Set((await handedOver()).map((event) => textAt(event, 'auditID'))).size).toBe(4);
  });

  it('stores neither policy nor credentials in plain text on disk', async () => {
    await at.start();
    const anna = await at.createUser('anna');
    await at.createInstance('vc', shared('anna'));
    const direct = await at.directToken(anna);
    await at.waitForCode(inside('vc'), anna, 200);
    await at.waitForCode(inside('vc'), direct, 200);
    await at.stopAgent();
    for (const name of ['policy.sealed', 'audit.log']) {
      const text = await readFile(join(at.dataDir, name), 'latin1');
      for (const secret of [anna, direct, (await readFile(join(at.serverEnv.root, 'agent.key'), 'utf8')).trim()]) {
        expect(text.includes(secret), name).toBe(false);
      }
    }
    expect((await readFile(join(at.dataDir, 'policy.sealed'), 'latin1')).includes('anna')).toBe(false);
    expect((await readdir(at.dataDir)).sort()).toContain('seal.key');
  });

  it('encrypts all rows if the option is set, and works without the server after its seal key was replaced', async () => {
    await at.start({ encryptedRows: 'all' });
    const anna = await at.createUser('anna');
    await at.createInstance('vc', shared('anna'));
    const direct = await at.directToken(anna);
    await at.waitForCode(inside('vc'), direct, 200);
    await at.stopServer();
    await at.stopAgent();
    const path = join(at.dataDir, 'seal.key');
    const old = (await readSealKeyFile(path)) ?? [];
    const next = await createSealKeyFile(join(at.serverEnv.root, 'next.key'));
    for (const keys of [[next, ...old], [next]]) {
      await writeSealKeyFile(path, keys);
      await at.start();
      await at.waitForCode(inside('vc'), direct, 200);
      await at.stopAgent();
    }
    const files = await readdir(join(at.dataDir, 'store'));
    for (const file of files) {
      expect(await readFile(join(at.dataDir, 'store', file), 'latin1'), file).not.toContain('"metadata"');
    }
  });

  it.each([
    [2, 2],
    [0, 0],
  ])('runs its virtual clusters on as many worker threads as requested: %i', async (planeWorkers, started) => {
    await at.start({ planeWorkers });
    for (const name of ['one', 'two']) await at.createInstance(name);
    expect(at.startedThreads).toBe(started);
  });

  it('works as a host like any other: install, sleep, wake, import and remove', async () => {
    await at.start();
    await at.createInstance('vc');
    const asleep = mergePatch({ metadata: { annotations: { 'sleepmode.platform.sh/force': 'true' } } });
    await at.serverEnv.send(at.server, `${instancesPath}/vc`, asleep);
    const phase = async () =>
      textAt((await at.serverEnv.send(at.server, `${instancesPath}/vc`)).json, 'status', 'phase');
    await expect.poll(phase, { timeout: 20_000 }).toBe('Sleeping');
    const admin = await at.directToken(await at.serverEnv.adminKey());
    await at.waitForCode(inside('vc'), admin, 503);
    await at.serverEnv.send(
      at.server,
      `${instancesPath}/vc`,
      mergePatch({ metadata: { annotations: { 'sleepmode.platform.sh/force': null } } }),
    );
    await expect.poll(phase, { timeout: 20_000 }).toBe('Ready');
    const listed = await at.serverEnv.send(at.server, `${groupPath}/clusters/${agentCluster}/virtualclusters`);
    expect(listAt(listed.json, 'virtualClusters')).toHaveLength(1);
    await at.serverEnv.send(at.server, `${instancesPath}/vc`, { method: 'DELETE' });
    await expect
      .poll(async () => (await at.serverEnv.send(at.server, `${instancesPath}/vc`)).code, { timeout: 20_000 })
      .toBe(404);
    const after = await at.serverEnv.send(at.server, `${groupPath}/clusters/${agentCluster}/virtualclusters`);
    expect(listAt(after.json, 'virtualClusters')).toEqual([]);
  });
});
