import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonValue, listAt, objectAt, textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Clock, ManualClock } from '../../lib/clock.ts';
import { groupPath, mergePatch, type ParsedResponse, type RequestOptions, ServerTestEnv } from '../server.fixture.ts';
import type { RunningServer } from '../start-server.ts';

const password = 'correct horse battery';
const login = '/auth/password/login';

let bench: ServerTestEnv;
let server: RunningServer;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
});
afterEach(() => bench.close());

const post = (body: JsonValue): RequestOptions => ({ method: 'POST', token: '', body });
const logIn = (username: string, secret = password) => bench.send(server, login, post({ username, password: secret }));
const logOut = (token: string) => bench.send(server, '/auth/logout', { method: 'POST', token });
const whoAmI = (token: string) => bench.send(server, `${groupPath}/selves`, { method: 'POST', token, body: {} });

async function keyFor(username: string): Promise<string> {
  const answer = await logIn(username);
  expect(answer.code, answer.text).toBe(201);
  return textAt(answer.json, 'accessKey');
}

async function start(config: JsonValue = {}, clock?: Clock): Promise<void> {
  const file = join(bench.root, 'config.yaml');
  await writeFile(file, JSON.stringify(config));
  server = await bench.start({ config: file }, clock);
  await bench.createObject(server, 'users', 'anna', { username: 'anna.smith', password });
}

describe('a login request with a password', () => {
  it('returns an access key of the type Login for twenty days, once', async () => {
    await start();
    const answer = await logIn('anna');
    expect(answer.code, answer.text).toBe(201);
    const { accessKey, name, user, expires } = answer.json;
    expect(accessKey).toMatch(/^flk_[0-9A-Za-z]{46}$/);
    expect(user).toBe('anna');
    const token = String(accessKey);
    expect((await whoAmI(token)).json).toMatchObject({
      status: { user: { name: 'anna' }, accessKey: name, accessKeyType: 'Login' },
    });
    const key = await bench.send(server, `${groupPath}/accesskeys/${name}`);
    expect(key.json).toMatchObject({ spec: { type: 'Login', user: 'anna', ttl: 20 * 24 * 3600 } });
    expect(key.text).not.toContain(token);
    const created = Date.parse(textAt(key.json, 'metadata', 'creationTimestamp'));
    expect(Date.parse(String(expires)) - created).toBe(20 * 24 * 3600 * 1000);
  });

  it('accepts the username as well as the name', async () => {
    await start();
    expect((await whoAmI(await keyFor('anna.smith'))).json).toMatchObject({ status: { user: { name: 'anna' } } });
  });

  it('creates a login with the configured lifetime, limited by that of keys', async () => {
    await start({ auth: { loginTTL: 3600 }, accessKeys: { maxTTL: 600 } });
    const { json } = await logIn('anna');
    const key = await bench.send(server, `${groupPath}/accesskeys/${json.name}`);
    expect(key.json).toMatchObject({ spec: { ttl: 600 } });
  });

  it('gets the same 401 for every cause, and creates no key', async () => {
    await start();
    await bench.createObject(server, 'users', 'bare');
    await bench.createObject(server, 'users', 'off', { password, disabled: true });
    const answers = [
      await logIn('anna', 'wrong'),
      await logIn('nobody'),
      await logIn('bare'),
      await logIn('off'),
      await logIn('Anna'),
      await logIn('__proto__'),
      await logIn('x'.repeat(5000), 'y'.repeat(5000)),
    ];
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ code: 401, json: { kind: 'Status', reason: 'Unauthorized' } });
    expect(await bench.names(server, 'accesskeys')).toEqual(['admin']);
  });

  it('fails if the user is disabled or deleted', async () => {
    await start();
    const token = await keyFor('anna');
    await bench.send(server, `${groupPath}/users/anna`, mergePatch({ spec: { disabled: true } }));
    expect((await whoAmI(token)).code).toBe(401);
    expect((await logIn('anna')).code).toBe(401);
    await bench.send(server, `${groupPath}/users/anna`, { method: 'DELETE' });
    expect((await logIn('anna')).code).toBe(401);
  });

  it('gets a Status for an invalid body that repeats nothing of it', async () => {
    await start();
    const refused = async (call: RequestOptions): Promise<ParsedResponse> => {
      const answer = await bench.send(server, login, call);
      expect(answer.json, answer.text).toMatchObject({ kind: 'Status', status: 'Failure' });
      expect(answer.text).not.toContain('horse');
      return answer;
    };
    for (const body of [{}, [], 'horse', 5, null, { username: 'anna' }, { username: 'anna', password: ['horse'] }]) {
      expect((await refused(post(body))).code, JSON.stringify(body)).toBe(400);
    }
    expect((await refused({ method: 'POST', token: '', raw: '{"password":"horse' })).code).toBe(400);
    expect((await refused({ method: 'POST', token: '', raw: '' })).code).toBe(400);
    expect((await refused({ ...post({}), type: 'application/x-www-form-urlencoded' })).code).toBe(415);
    expect((await refused(post({ username: 'anna', password: 'horse'.repeat(4000) }))).code).toBe(413);
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      expect((await refused({ method, token: '' })).code).toBe(405);
    }
    expect((await bench.send(server, '/auth/password', post({}))).code).toBe(404);
  });

  it('is refused if its body is deeply nested, and after many such bodies at once', async () => {
    await start({}, new ManualClock(Date.now()));
    const list = `${'['.repeat(4000)}${']'.repeat(4000)}`;
    const raw = `{"username":"anna","password":"${password}","other":${list}}`;
    const nested = { method: 'POST', token: '', raw } as const;
    for (let index = 0; index < 51; index++) expect((await bench.send(server, login, nested)).code).toBe(400);
    expect((await bench.send(server, login, nested)).code).toBe(429);
    expect((await logIn('anna')).code).toBe(429);
  });

  it('backs off for a source with failures', async () => {
    const clock = new ManualClock(Date.now());
    await start({}, clock);
    for (let index = 0; index < 6; index++) expect((await logIn('anna', 'wrong')).code).toBe(401);
    const response = await bench.request(server, login, post({ username: 'anna', password }));
    expect(response.statusCode).toBe(429);
    expect(response.headers['retry-after']).toBe('1');
    expect(await response.body.json()).toMatchObject({ kind: 'Status', reason: 'TooManyRequests' });
    clock.advance(1000);
    expect((await logIn('anna')).code).toBe(201);
  });

  it('is audited with user and outcome, and without password or key at every level', async () => {
    await start({ audit: { rules: [{ level: 'RequestResponse' }] } });
    const token = await keyFor('anna');
    await logIn('anna', 'wrong horse');
    await logIn('somebody else');
    const log = await bench.read('audit.log');
    const lines = log
      .split('\n')
      .filter((line) => line.includes(login))
      .map((line) => JSON.parse(line));
    expect(lines.map(({ stage }) => stage)).toEqual([
      'RequestReceived',
      'ResponseComplete',
      'RequestReceived',
      'ResponseComplete',
      'RequestReceived',
      'ResponseComplete',
    ]);
    expect(lines[1]).toMatchObject({ user: { username: 'anna' }, responseStatus: { code: 201 }, verb: 'post' });
    expect(lines[3]).toMatchObject({
      responseStatus: { code: 401 },
      decision: { allowed: false, reason: 'login with a password of "anna": wrong password' },
    });
    expect(lines[5].decision.reason).toBe('login with a password: unknown user');
    for (const secret of ['horse', token.slice(4, 20), 'somebody else']) expect(log).not.toContain(secret);
  });
});

describe('a login', () => {
  it('cannot be extended by its holder, but disabled and deleted', async () => {
    await start();
    const { json } = await logIn('anna');
    const token = textAt(json, 'accessKey');
    const path = `${groupPath}/ownedaccesskeys/${json.name}`;
    for (const spec of [{ ttl: 0 }, { ttl: 10 ** 9 }, { ttlAfterLastActivity: true }, { type: 'User' }]) {
      const refused = await bench.send(server, path, { ...mergePatch({ spec }), token });
      expect(refused.code, refused.text).toBe(422);
    }
    const spec = { type: 'Login', user: 'anna', displayName: 'My laptop' };
    const rename = async () => {
      const before = await bench.send(server, path, { token });
      const { resourceVersion = '', name = '' } = objectAt(before.json, 'metadata') ?? {};
      return await bench.send(server, path, {
        method: 'PUT',
        token,
        body: { metadata: { name, resourceVersion }, spec },
      });
    };
    let changed = await rename();
    // Retries, because the server may record the last activity of the login between the two requests.
    if (changed.code === 409) changed = await rename();
    expect(changed, changed.text).toMatchObject({ code: 200, json: { spec: { ...spec, ttl: 20 * 24 * 3600 } } });
    expect((await bench.send(server, path, { ...mergePatch({ spec: { disabled: true } }), token })).code).toBe(200);
    expect((await whoAmI(token)).code).toBe(401);
  });
});

describe('logging out', () => {
  it('ends only the login of the request, at once', async () => {
    await start();
    const [first, second] = [await keyFor('anna'), await keyFor('anna')];
    const watch = await bench.request(server, `${groupPath}/ownedaccesskeys?watch=true`, { token: first });
    expect(watch.statusCode).toBe(200);
    const answer = await logOut(first);
    expect(answer).toMatchObject({ code: 200, json: { kind: 'Status', status: 'Success' } });
    expect((await whoAmI(first)).code).toBe(401);
    expect((await logOut(first)).code).toBe(401);
    await watch.body.text();
    expect((await whoAmI(second)).code).toBe(201);
    const left = (await bench.names(server, 'accesskeys')).filter((name) => name.startsWith('login-'));
    expect(left).toHaveLength(1);
  });

  it('is possible only for logins, and with POST', async () => {
    await start();
    const admin = await bench.adminKey();
    const refused = await logOut(admin);
    expect(refused).toMatchObject({ code: 403, json: { reason: 'Forbidden' } });
    expect(textAt(refused.json, 'message')).toContain('does not belong to a login');
    expect((await whoAmI(admin)).code).toBe(201);
    expect((await logOut('')).code).toBe(401);
    expect((await bench.send(server, '/auth/logout')).code).toBe(405);
  });

  it('keeps the keys that were created with the login (completions §5)', async () => {
    await start();
    const token = await keyFor('anna');
    const made = await bench.send(server, `${groupPath}/ownedaccesskeys`, {
      method: 'POST',
      token,
      body: { spec: {} },
    });
    expect(made.code, made.text).toBe(201);
    expect((await logOut(token)).code).toBe(200);
    expect((await whoAmI(textAt(made.json, 'spec', 'key'))).code).toBe(201);
  });
});

describe('a new password', () => {
  const change = (token: string, to: string): Promise<ParsedResponse> =>
    bench.send(server, `${groupPath}/users/anna`, { ...mergePatch({ spec: { password: to } }), token });

  it('ends all logins of the user except the one that set it, and removes them from lists', async () => {
    await start();
    const [used, other] = [await keyFor('anna'), await keyFor('anna')];
    const own = await bench.createKey(server, 'annas', { user: 'anna' });
    const changed = await change(used, 'another horse');
    expect(changed.code, changed.text).toBe(200);
    expect((await whoAmI(other)).code).toBe(401);
    expect((await whoAmI(used)).code).toBe(201);
    expect((await whoAmI(own)).code).toBe(201);
    expect((await logIn('anna')).code).toBe(401);
    expect((await logIn('anna', 'another horse')).code).toBe(201);
    const { json } = await bench.send(server, `${groupPath}/users/anna/accesskeys`);
    expect(
      listAt(json, 'accessKeys')
        .map((key) => textAt(key, 'spec', 'type'))
        .sort(),
    ).toEqual(['Login', 'Login', 'User']);
  });

  it('set by an admin ends all logins; the same password again ends none', async () => {
    await start();
    const token = await keyFor('anna');
    expect((await change(await bench.adminKey(), password)).code).toBe(200);
    expect((await whoAmI(token)).code).toBe(201);
    expect((await change(await bench.adminKey(), 'another horse')).code).toBe(200);
    expect((await whoAmI(token)).code).toBe(401);
    await bench.stop(server);
    server = await bench.start();
    expect((await whoAmI(token)).code).toBe(401);
  });
});

describe('usernames', () => {
  it('must differ from the names and usernames of other users', async () => {
    await start();
    const refused = async (name: string, spec: Record<string, string>) => {
      const answer = await bench.send(server, `${groupPath}/users`, {
        method: 'POST',
        body: { metadata: { name }, spec },
      });
      expect(answer.code, answer.text).toBe(422);
      return textAt(answer.json, 'message');
    };
    expect(await refused('bob', { username: 'anna' })).toContain('spec.username: Duplicate value: "anna"');
    expect(await refused('bob', { username: 'anna.smith' })).toContain('spec.username: Duplicate value: "anna.smith"');
    expect(await refused('anna.smith', {})).toContain('metadata.name: Duplicate value: "anna.smith"');
    expect(await refused('bob', { username: 'x'.repeat(254) })).toContain('spec.username: Too long');
    await bench.createObject(server, 'users', 'bob', { username: 'bob' });
  });
});
