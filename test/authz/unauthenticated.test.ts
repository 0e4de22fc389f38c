import { textAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { managementGroup, storageGroup } from '../../src/api/naming.ts';
import { type AuthzTestEnv, openAuthzTestEnv } from './authz-test-env.ts';
import { eachOf, type Sent } from './caller.ts';
import { table } from './oracle/oracle.ts';
import { describeAction } from './requested-action.ts';
import { actionsOf, type ObjectSnapshots, requestOf } from './requests.ts';

const keysPath = `/kubernetes/management/apis/${managementGroup}/v1/ownedaccesskeys`;

/** A source with more failures has to wait, so each test address stays below this number. */
const failuresOfOneAddress = 15;

describe('a caller without a valid key', () => {
  let env: AuthzTestEnv;
  let snapshots: ObjectSnapshots;
  const tokens = new Map<string, string>();

  beforeAll(async () => {
    env = await openAuthzTestEnv();
    const key = async (name: string, spec: Record<string, string | number | boolean>, token?: string) =>
      textAt(await env.make(keysPath, { metadata: { name }, spec }, token), 'spec', 'key');
    tokens.set('no key', '');
    tokens.set('a key that never was', 'flk_0000000000000000000000000000000000000000000000');
    tokens.set('something else', 'correct-horse-battery-staple-0123456789');
    tokens.set('a disabled key', await key('disabled', { user: 'second-admin', disabled: true }));
    tokens.set('an expired key', await key('expired', { user: 'second-admin', ttl: 60 }));
    tokens.set('a key of a disabled user', await key('of-gone', { user: 'gone' }));
    tokens.set('a deleted key', await key('deleted', { user: 'second-admin' }));
    const parent = await key('parent', { user: 'second-admin' });
    tokens.set('a key made with a key that is disabled', await key('child', {}, parent));
    const patch = { method: 'PATCH', type: 'application/merge-patch+json' } as const;
    const change = (path: string, spec: Record<string, boolean>) =>
      env.caller.send(env.adminKey, { ...patch, path, body: { spec } });
    const all = keysPath.replace('ownedaccesskeys', 'accesskeys');
    const users = keysPath.replace('ownedaccesskeys', 'users');
    expect((await change(`${all}/parent`, { disabled: true })).code).toBe(200);
    expect((await change(`${users}/gone`, { disabled: true })).code).toBe(200);
    expect((await env.caller.send(env.adminKey, { method: 'DELETE', path: `${all}/deleted` })).code).toBe(200);
    env.clock.advance(61_000);
    snapshots = await env.snapshots();
  });
  afterAll(() => env.close());

  it('gets 401 from every endpoint, for every request', async () => {
    const questions = table
      .filter(({ only }) => only !== 'review')
      .flatMap((row) =>
        actionsOf({ ...row, resource: row.resource.replace('/*', '/x') })
          .slice(0, 1)
          .map((ask) => ({ row, ask })),
      );
    const cells = [...tokens].flatMap(([who, token]) => questions.map((question) => ({ who, token, ...question })));
    const wrong: string[] = [];
    const blocks = Array.from({ length: Math.ceil(cells.length / failuresOfOneAddress) }, (_, block) => block);
    await eachOf(blocks, async (block) => {
      const caller = env.from(`127.1.${Math.floor(block / 250)}.${(block % 250) + 1}`);
      const start = block * failuresOfOneAddress;
      for (const { who, token, row, ask } of cells.slice(start, start + failuresOfOneAddress)) {
        const { code } = await caller.send(token, requestOf(row, ask, snapshots));
        if (code !== 401) wrong.push(`${who}, ${describeAction(ask)}: ${code}`);
      }
      await caller.close();
    });
    expect(wrong).toEqual([]);
    expect(cells.length).toBeGreaterThan(1_000);
  }, 120_000);

  it('may read the health of the process, and nothing else outside the API', async () => {
    const answers: Record<string, number> = {
      '/version': 200,
      '/healthz': 200,
      '/livez': 200,
      '/readyz': 200,
      '/auth/jwks': 200,
      '/auth/cli': 200,
      '/auth/cli/grants': 401,
      '/auth/cli/renew': 401,
      '/auth/device/request': 401,
      '/auth/device/decision': 401,
      '/auth/methods': 200,
      '/auth/totp': 401,
      '/metrics': 401,
      '/backup': 401,
      '/backups': 401,
      '/mail': 401,
      '/audit': 401,
      '/audit/verify': 401,
      '/audit/checkpoints': 401,
      '/audit/export': 401,
      '/kubernetes/cluster': 401,
      '/kubernetes/cluster/local/api': 401,
      '/kubernetes/cluster/local/readyz': 401,
      '/kubernetes/cluster/none/api': 401,
      [`/kubernetes/cluster/local/apis/${storageGroup}/v1/namespaces/default/virtualclusters/none/proxy/api`]: 401,
      '/kubernetes/project/red/virtualcluster/r-user/api': 401,
    };
    const caller = env.from('127.1.9.9');
    for (const [path, code] of Object.entries(answers)) {
      const sent: Sent = { method: 'GET', path };
      expect((await caller.send('', sent)).code, path).toBe(code);
    }
  });

  it('cannot enter a connected cluster without permission to use it or with a scope that does not cover it', async () => {
    const root = '/kubernetes/cluster/local';
    const proxied = `${root}/apis/${storageGroup}/v1/namespaces/default/virtualclusters/none/proxy/api`;
    const key = async (name: string, spec: Parameters<AuthzTestEnv['make']>[1]) =>
      textAt(await env.make(keysPath, { metadata: { name }, spec }), 'spec', 'key');
    const codes: Record<string, readonly number[]> = {
      [env.adminKey]: [200, 404, 404],
      [await key('in-plain', { user: 'red-admin' })]: [403, 403, 403],
      [await key('in-projects', { user: 'second-admin', scope: { projects: [{ project: '*' }] } })]: [403, 403, 403],
      [await key('in-there', { user: 'second-admin', scope: { clusters: [{ cluster: 'local' }] } })]: [200, 404, 403],
    };
    for (const [token, expected] of Object.entries(codes)) {
      const paths = [`${root}/api`, proxied, '/kubernetes/cluster/none/api'];
      const answers = await Promise.all(paths.map((path) => env.caller.send(token, { method: 'GET', path })));
      expect(answers.map(({ code }) => code)).toEqual(expected);
    }
  });

  it('has no access to metrics, backups and the audit log, which need an admin and a scope that names them', async () => {
    const read = async (token: string, path: string) => (await env.caller.send(token, { method: 'GET', path })).code;
    const key = async (name: string, spec: Parameters<AuthzTestEnv['make']>[1]) =>
      textAt(await env.make(keysPath, { metadata: { name }, spec }), 'spec', 'key');
    const plain = await key('plain', { user: 'red-admin' });
    const scraping = await key('scraping', {
      user: 'second-admin',
      scope: { rules: [{ nonResourceURLs: ['/metrics'] }] },
    });
    const scoped = await key('scoped', { user: 'second-admin', scope: { projects: [{ project: '*' }] } });
    for (const path of [
      '/metrics',
      '/backup',
      '/backups',
      '/mail',
      '/audit',
      '/audit/verify',
      '/audit/checkpoints',
      '/audit/export',
      '/kubernetes/management/metrics',
    ]) {
      expect(await read(env.adminKey, path), path).toBe(200);
      expect(await read(plain, path), path).toBe(403);
      expect(await read(scoped, path), path).toBe(403);
      expect(await read(scraping, path), path).toBe(path.endsWith('/metrics') ? 200 : 403);
    }
  });
});
