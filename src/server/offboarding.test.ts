import { type JsonObject, type JsonValue, listAt, textAt, valueAt } from '@flotilla/json';
import { describe, expect, it, vi } from 'vitest';
import { projectRoles } from '../api/naming.ts';
import { generateAccessKey } from './auth/new-access-key.ts';
import { GatewayTestEnv, gatewayPath, instances, namespacesPathIn } from './gateway.fixture.ts';
import { groupPath, mergePatch } from './server.fixture.ts';
import { withoutCreator } from './token-without-creator.fixture.ts';

const projectPath = `${groupPath}/projects/default`;
const offboardPath = `${groupPath}/users/anna/offboard`;

describe('the offboarding of a user', () => {
  const at = GatewayTestEnv.forEach();
  const inDefault = `${namespacesPathIn('demo')}/default`;

  /**
   * Creates a user with credentials of every kind, and an instance that the user owns. Returns the requests that these
   * credentials permit.
   */
  async function createAnna(): Promise<readonly (readonly [name: string, path: string, token: string])[]> {
    await at.createUser('bob');
    await at.bench.createObject(at.server, 'users', 'anna', { password: 'correct horse' });
    const key = await at.bench.createKey(at.server, 'annas', { user: 'anna' });
    const members = [{ kind: 'User', name: 'anna', clusterRole: projectRoles.user }];
    expect((await at.send(projectPath, mergePatch({ spec: { members } }))).code).toBe(200);
    await at.bench.createObject(at.server, 'teams', 'crew', { users: ['anna', 'bob'] });
    const made = await at.post(instances, { metadata: { name: 'demo' } }, key);
    expect(made.code, made.text).toBe(201);
    await at.waitForInstance('demo', (instance) => textAt(instance, 'status', 'phase') === 'Ready');
    await at.createInstance('shared', { access: [{ name: 'x', verbs: ['get', 'use'], users: ['anna', 'bob'] }] });

    const keys = `${groupPath}/ownedaccesskeys`;
    const keyBy = async (spec: JsonObject, name: string) =>
      textAt((await at.post(keys, { metadata: { name }, spec }, key)).json, 'spec', 'key');
    const scoped = await keyBy({ scope: { projects: [{ project: 'default' }] } }, 'scoped');
    const ofTeam = await keyBy({ team: 'crew' }, 'of-team');
    const login = await at.post('/auth/password/login', { username: 'anna', password: 'correct horse' });
    const team = { metadata: { name: 'of-team-by-login' }, spec: { team: 'crew' } };
    const ofTeamByLogin = textAt((await at.post(keys, team, textAt(login.json, 'accessKey'))).json, 'spec', 'key');
    const account = await at.post(`${inDefault}/serviceaccounts/default/token`, { spec: {} }, key);
    const annotations = { 'kubernetes.io/service-account.name': 'default' };
    const type = 'kubernetes.io/service-account-token';
    await at.post(`${inDefault}/secrets`, { metadata: { name: 'robot', annotations }, type }, key);
    const secret = await vi.waitFor(
      async () => {
        const text = textAt((await at.send(`${inDefault}/secrets/robot`)).json, 'data', 'token');
        expect(text).not.toBe('');
        return Buffer.from(text, 'base64').toString();
      },
      { timeout: 10_000 },
    );
    const projects = `${groupPath}/projects`;
    const version = `${gatewayPath('demo')}/version`;
    return [
      ['access key', projects, key],
      ['scoped key', instances, scoped],
      ['key of a team', projects, ofTeam],
      ['key of a team that was created with a login', projects, ofTeamByLogin],
      ['login', projects, textAt(login.json, 'accessKey')],
      ['access key inside', version, key],
      ['kubeconfig', version, await at.token('demo', key)],
      ['kubeconfig of a shared instance', `${gatewayPath('shared')}/version`, await at.token('shared', key)],
      ['service account token', version, textAt(account.json, 'status', 'token')],
      ['service account secret', version, secret],
    ];
  }

  const codes = async (credentials: Awaited<ReturnType<typeof createAnna>>) =>
    Object.fromEntries(
      await Promise.all(credentials.map(async ([name, path, token]) => [name, await at.code(path, token)] as const)),
    );
  const itemsOf = (json: JsonObject) =>
    listAt(json, 'status', 'items').map(
      (item) => `${textAt(item, 'action')} ${textAt(item, 'kind')} ${textAt(item, 'name')}`,
    );

  it('ends every credential, transfers what the user owns, and is one audit event', async () => {
    const credentials = await createAnna();
    expect(new Set(Object.values(await codes(credentials)))).toEqual(new Set([200]));

    const planned = await at.post(`${offboardPath}?dryRun=All`, { spec: { transferTo: 'bob' } });
    expect(planned.code, planned.text).toBe(201);
    expect(itemsOf(planned.json)).toEqual(
      expect.arrayContaining([
        'Disable User anna',
        'Delete AccessKey annas',
        'Delete AccessKey scoped',
        'Delete AccessKey of-team',
        'Delete AccessKey of-team-by-login',
        'RemoveAccess Team crew',
        'RemoveAccess Project default',
        'Transfer VirtualClusterInstance demo',
        'RemoveAccess VirtualClusterInstance shared',
        'End Secret default/robot',
        'End ServiceAccountToken default/default',
        'Delete User anna',
      ]),
    );
    expect(planned.text).toContain('of service account default, in virtual cluster demo, last used ');
    expect(new Set(Object.values(await codes(credentials)))).toEqual(new Set([200]));

    const done = await at.post(offboardPath, { spec: { transferTo: 'bob' } });
    expect(done.code, done.text).toBe(201);
    expect(itemsOf(done.json)).toEqual(itemsOf(planned.json));
    expect(valueAt(done.json, 'status', 'remaining')).toBe(0);
    expect(new Set(Object.values(await codes(credentials)))).toEqual(new Set([401]));

    expect(await at.code(`${groupPath}/users/anna`)).toBe(404);
    const demo = (await at.send(`${instances}/demo`)).json;
    expect(valueAt(demo, 'spec', 'owner')).toEqual({ user: 'bob' });
    const shared = (await at.send(`${instances}/shared`)).json;
    expect(valueAt(shared, 'spec', 'access')).toMatchObject([{ users: ['bob'] }]);
    expect(listAt((await at.send(projectPath)).json, 'spec', 'members')).toEqual([]);
    expect(valueAt((await at.send(`${groupPath}/teams/crew`)).json, 'spec', 'users')).toEqual(['bob']);
    const again = await at.post('/auth/password/login', { username: 'anna', password: 'correct horse' });
    expect(again.code).toBe(401);

    const events = (await at.bench.read('audit.log'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonValue)
      .filter((event) => textAt(event, 'annotations', 'management.platform.sh/offboarding') !== '');
    expect(events).toHaveLength(1);
    expect(textAt(events[0], 'requestURI')).toBe(offboardPath);
  });

  it('deletes keys that the user created for others, and names their owners in the dry run', async () => {
    const bob = await at.createUser('bob');
    await at.bench.createObject(at.server, 'users', 'anna', { password: 'correct horse' });
    const anna = await at.bench.createKey(at.server, 'annas', { user: 'anna', groups: ['platform:admins'] });
    const spec = { user: 'bob', ttl: 3600 };
    const made = await at.post(`${groupPath}/ownedaccesskeys`, { metadata: { name: 'for-bob' }, spec }, anna);
    expect(made.code, made.text).toBe(201);
    const forBob = textAt(made.json, 'spec', 'key');
    const planned = await at.post(`${offboardPath}?dryRun=All`, { spec: {} });
    expect(listAt(planned.json, 'status', 'items')).toContainEqual({
      kind: 'AccessKey',
      name: 'for-bob',
      action: 'Delete',
      message: 'access key of user bob; anna knows its value',
    });
    expect(await at.code(`${groupPath}/projects`, forBob)).toBe(200);
    expect((await at.post(offboardPath, { spec: {} })).code).toBe(201);
    // The key of bob is not affected, because it was created by an admin who remains.
    expect([await at.code(`${groupPath}/projects`, forBob), await at.code(`${groupPath}/projects`, bob)]).toEqual([
      401, 200,
    ]);
  });

  it('deletes the keys of teams whose value the user replaced', async () => {
    await at.bench.createObject(at.server, 'users', 'anna', { password: 'correct horse' });
    await at.bench.createObject(at.server, 'teams', 'crew', { users: ['anna'] });
    const anna = await at.bench.createKey(at.server, 'annas', { user: 'anna' });
    const created = await at.bench.createKey(at.server, 'crew-key', { team: 'crew', ttl: 3600 });
    const known = generateAccessKey();
    const replaced = await at.send(`${groupPath}/ownedaccesskeys/crew-key`, {
      ...mergePatch({ spec: { key: known } }),
      token: anna,
    });
    expect(replaced.code, replaced.text).toBe(200);
    const projects = `${groupPath}/projects`;
    expect([await at.code(projects, created), await at.code(projects, known)]).toEqual([401, 200]);
    expect((await at.post(offboardPath, { spec: {} })).code).toBe(201);
    expect(await at.code(projects, known)).toBe(401);
  });

  it('can be repeated after an interruption, and can keep the user', async () => {
    await createAnna();
    // Simulates an earlier request that was interrupted after it had disabled the user and deleted a key.
    await at.send(`${groupPath}/users/anna`, mergePatch({ spec: { disabled: true } }));
    await at.send(`${groupPath}/accesskeys/annas`, { method: 'DELETE' });
    const done = await at.post(offboardPath, { spec: { transferTo: 'bob', keepUser: true } });
    expect(done.code, done.text).toBe(201);
    expect(itemsOf(done.json)).not.toContain('Disable User anna');
    const again = await at.post(offboardPath, { spec: { keepUser: true } });
    expect(again.json).toMatchObject({ status: { changes: 0, remaining: 0 } });
    expect((await at.send(`${groupPath}/users/anna`)).json).toMatchObject({ spec: { disabled: true } });
  });

  it('lists credentials without a creator as kept, and revokes them only on request', async () => {
    const credentials = await createAnna();
    await at.createInstance('private', { access: [{ name: 'x', verbs: ['get', 'use'], users: ['bob'] }] });
    const [, version, ofAnna] = credentials.find(([name]) => name === 'service account token') ?? ['', '', ''];
    const signingKeys = await at.bench.read('signing.key');
    const unnamed = await withoutCreator(ofAnna, signingKeys);
    const issued = await at.post(`${namespacesPathIn('private')}/default/serviceaccounts/default/token`, { spec: {} });
    const elsewhere = await withoutCreator(textAt(issued.json, 'status', 'token'), signingKeys);
    const inPrivate = `${gatewayPath('private')}/version`;
    const codesOf = async () => [await at.code(version, unnamed), await at.code(inPrivate, elsewhere)];
    expect(await codesOf()).toEqual([200, 200]);

    const planned = await at.post(`${offboardPath}?dryRun=All`, { spec: { transferTo: 'bob' } });
    expect(itemsOf(planned.json)).toEqual(
      expect.arrayContaining([
        'End Secret default/robot',
        'Keep ServiceAccountToken default/default',
        'Keep VirtualClusterInstance demo',
      ]),
    );
    expect(itemsOf(planned.json)).not.toContain('Keep VirtualClusterInstance private');
    const messages = listAt(planned.json, 'status', 'items').map((item) => textAt(item, 'message'));
    expect(messages).toContainEqual(
      expect.stringMatching(
        /^in virtual cluster demo, last used .*; its creator is not known, because .*; accepted at the gateway until .*Z; revoke with flotilla credentials revoke demo -p default --service-account default\/default$/,
      ),
    );

    expect((await at.post(offboardPath, { spec: { transferTo: 'bob', keepUser: true } })).code).toBe(201);
    expect(await codesOf()).toEqual([200, 200]);
    // The first request removed the user's access to the instance. An admin now restores it, so the user may use the
    // instance again.
    const access = [{ name: 'x', verbs: ['get', 'use'], users: ['anna'] }];
    await at.send(`${instances}/demo`, mergePatch({ spec: { access } }));
    const spec = { transferTo: 'bob', revokeUnattributed: true };
    const tried = await at.post(`${offboardPath}?dryRun=All`, { spec });
    expect(itemsOf(tried.json)).toContain('Revoke VirtualClusterInstance demo');
    expect(await codesOf()).toEqual([200, 200]);

    const done = await at.post(offboardPath, { spec });
    expect(done.code, done.text).toBe(201);
    expect(itemsOf(done.json)).toEqual(itemsOf(tried.json));
    expect(valueAt(done.json, 'status', 'changes')).toBe(valueAt(tried.json, 'status', 'changes'));
    expect(await codesOf()).toEqual([401, 200]);
    const left = await at.send(`${instances}/demo/credentials`);
    expect(left.json.credentials).toEqual([]);

    const events = (await at.bench.read('audit.log'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonValue)
      .filter((event) => textAt(event, 'annotations', 'management.platform.sh/revoked-credentials') !== '');
    expect(events.map((event) => valueAt(event, 'annotations'))).toMatchObject([
      {
        'management.platform.sh/offboarding': expect.stringMatching(/^user anna: /),
        'management.platform.sh/revoked-credentials': 'all in default/demo',
      },
    ]);
    expect(textAt(events[0], 'requestURI')).toBe(offboardPath);
  });

  it('is refused without a valid new owner, for oneself, and for callers who are not admins', async () => {
    const credentials = await createAnna();
    const before = await codes(credentials);
    const [, , key] = credentials[0] ?? ['', '', ''];
    for (const [spec, field] of [
      [{}, 'spec.transferTo'],
      [{ transferTo: 'anna' }, 'spec.transferTo'],
      [{ transferTo: 'nobody' }, 'spec.transferTo'],
    ] as const) {
      const refused = await at.post(offboardPath, { spec });
      expect([refused.code, textAt(listAt(refused.json, 'details', 'causes')[0], 'field')]).toEqual([422, field]);
    }
    expect((await at.post(`${groupPath}/users/admin/offboard`, { spec: {} })).code).toBe(422);
    expect((await at.post(`${groupPath}/users/bob/offboard`, { spec: {} }, key)).code).toBe(403);
    expect((await at.post(`${groupPath}/users/nobody/offboard`, { spec: {} })).code).toBe(404);
    expect((await at.post(`${offboardPath}?dryRun=All`, { spec: {} })).code).toBe(201);
    expect(await codes(credentials)).toEqual(before);
  });
});
