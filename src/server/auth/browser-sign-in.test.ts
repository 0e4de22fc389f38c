import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonObject, type JsonValue, textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { teamGroup } from '../../api/naming.ts';
import { type Clock, ManualClock } from '../../lib/clock.ts';
import { groupPath, type RequestOptions, ServerTestEnv } from '../server.fixture.ts';
import type { RunningServer } from '../start-server.ts';
import { Browser, type HeaderChanges } from './browser.fixture.ts';

const password = 'correct horse battery';
const session = '/auth/session';

let bench: ServerTestEnv;
let server: RunningServer;
let browser: Browser;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
});
afterEach(() => bench.close());

async function start(config: JsonValue = {}, clock?: Clock): Promise<void> {
  const file = join(bench.root, 'config.yaml');
  await writeFile(file, JSON.stringify(config));
  server = await bench.start({ config: file }, clock);
  browser = new Browser(bench, server);
  await bench.createObject(server, 'users', 'anna', { username: 'anna.smith', password });
}

const self = () => browser.self(groupPath);
const post = (body: JsonValue): Omit<RequestOptions, 'token'> => ({ method: 'POST', body });
const logins = async () => (await bench.names(server, 'accesskeys')).filter((name) => name.startsWith('login-'));

describe('signing in to the console', () => {
  it('with a password returns a login cookie, and its key nowhere else', async () => {
    await start();
    const answer = await browser.send(session, post({ username: 'anna.smith', password }));
    expect(answer.code, answer.text).toBe(201);
    const { user, accessKey, expires } = answer.json;
    expect(Object.keys(answer.json).sort()).toEqual(['accessKey', 'expires', 'user']);
    expect([user, accessKey]).toEqual(['anna', expect.stringMatching(/^login-/)]);
    const cookie = String(answer.headers['set-cookie']);
    expect(cookie).toMatch(
      /^__Host-flotilla-session=flk_[0-9A-Za-z]{46}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
    );
    const seconds = Number(/\d+$/.exec(cookie)?.[0]);
    expect(Math.abs(Date.now() + seconds * 1000 - Date.parse(String(expires)))).toBeLessThan(60_000);
    expect(answer.text).not.toContain(browser.cookie);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect((await self()).status).toMatchObject({ user: { name: 'anna' }, accessKey, accessKeyType: 'Login' });
    const key = await bench.send(server, `${groupPath}/accesskeys/${accessKey}`);
    expect(key.json).toMatchObject({ spec: { type: 'Login', user: 'anna' } });
  });

  it('with an access key creates a login of the same user that names the key', async () => {
    await start();
    const shown = await bench.createKey(server, 'mine', { user: 'anna', ttl: 3600 });
    const { user, accessKey } = await browser.signIn({ accessKey: shown });
    expect(user).toBe('anna');
    expect(browser.cookie).not.toBe(shown);
    expect((await self()).status).toMatchObject({ user: { name: 'anna' }, accessKey, accessKeyType: 'Login' });
    const { json } = await bench.send(server, `${groupPath}/accesskeys/${accessKey}`);
    expect(json).toMatchObject({
      spec: { type: 'Login', user: 'anna', displayName: 'Login with the access key mine' },
    });
  });

  it('with the key of a team or a subject has that identity', async () => {
    await start();
    await bench.createObject(server, 'teams', 'builders', { users: ['anna'] });
    const review = '/kubernetes/management/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const whose: readonly [string, JsonObject, string[]][] = [
      ['builders', { team: 'builders' }, [teamGroup('builders')]],
      ['robot', { subject: 'robot', groups: ['crew'] }, ['crew']],
    ];
    for (const [name, spec, groups] of whose) {
      const shown = await bench.createKey(server, `key-${name}`, spec);
      expect((await browser.signIn({ accessKey: shown })).user).toBe(name);
      const byCookie = await browser.send(review, post({}));
      const byKey = await bench.send(server, review, { ...post({}), token: shown });
      const userOf = ({ json }: { json: JsonObject }) => (json.status as JsonObject).userInfo as JsonObject;
      expect(userOf(byCookie).groups).toEqual(userOf(byKey).groups);
      expect(userOf(byCookie).groups).toEqual(expect.arrayContaining(groups));
      expect(userOf(byCookie).username).toBe(userOf(byKey).username);
    }
  });

  it('fails with the same 401 for every cause, and creates no login', async () => {
    await start();
    const disabled = await bench.createKey(server, 'over', { user: 'anna', disabled: true });
    await bench.createObject(server, 'users', 'off', { password, disabled: true });
    const ofNobody = await bench.createKey(server, 'nobodys', { user: 'off' });
    await bench.createObject(server, 'clusters', 'edge', { networkPeer: true });
    const path = `${groupPath}/clusters/edge/accesskey`;
    const agents = textAt((await bench.send(server, path, post({}))).json, 'accessKey');
    expect(agents).toMatch(/^flk_/);
    const elsewhere = await bench.send(server, '/auth/password/login', {
      ...post({ username: 'anna', password: 'wrong' }),
      token: '',
    });
    for (const body of [
      { username: 'anna', password: 'wrong' },
      { username: 'nobody', password },
      { username: 'off', password },
      { accessKey: 'flk_nothing' },
      { accessKey: disabled },
      { accessKey: ofNobody },
      { accessKey: agents },
      { accessKey: `${disabled.slice(0, -1)}x` },
      { accessKey: 'x'.repeat(10_000) },
      { accessKey: '__proto__' },
    ]) {
      const { code, json } = await browser.send(session, post(body));
      expect({ code, json }, JSON.stringify(body)).toEqual({ code: 401, json: elsewhere.json });
    }
    expect(browser.cookie).toBe('');
    expect(await logins()).toEqual([]);
  });

  it('is rejected for pages of other origins (login CSRF) before the credentials are checked', async () => {
    await start();
    const refusals: readonly [HeaderChanges, RegExp][] = [
      [{ 'x-flotilla-console': null }, /"X-Flotilla-Console: 1" is missing/],
      [{ 'x-flotilla-console': 'yes' }, /"X-Flotilla-Console: 1" is missing/],
      [{ 'sec-fetch-site': 'cross-site' }, /"Sec-Fetch-Site"/],
      [{ 'sec-fetch-site': 'same-site' }, /"Sec-Fetch-Site"/],
      [{ 'sec-fetch-site': 'none' }, /"Sec-Fetch-Site"/],
      [{ origin: null }, /"Origin" is missing/],
      [{ origin: 'null' }, /"Origin" is not/],
      [{ origin: 'https://evil.test' }, /"Origin" is not/],
      // The same host with another port is another origin.
      [{ origin: server.url.replace(/\d+$/, '1') }, /"Origin" is not/],
      [{ origin: server.url.replace('https', 'http') }, /"Origin" is not/],
      [{ authorization: `Bearer ${await bench.adminKey()}` }, /Authorization header/],
    ];
    for (const [changes, said] of refusals) {
      for (const method of ['POST', 'DELETE'] as const) {
        const call = method === 'POST' ? post({ username: 'anna', password }) : { method };
        const { code, json, headers } = await browser.send(session, call, changes);
        expect([code, json.reason], JSON.stringify(changes)).toEqual([403, 'Forbidden']);
        expect(json.message).toMatch(said);
        expect(headers['set-cookie']).toBeUndefined();
      }
    }
    expect(await logins()).toEqual([]);
    expect((await browser.send(session, post({ username: 'anna', password }))).code).toBe(201);
  });

  it('rejects CORS preflight requests, so that pages of other origins cannot send the header', async () => {
    await start();
    for (const path of [session, `${groupPath}/projects`, '/version', '/kubernetes/cluster/local/api']) {
      const { code, headers } = await browser.send(
        path,
        { method: 'OPTIONS' },
        {
          'x-flotilla-console': null,
          'sec-fetch-site': 'cross-site',
          origin: 'https://evil.test',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-flotilla-console',
        },
      );
      expect(code, path).toBeGreaterThanOrEqual(400);
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });

  it('responds with a Status to an invalid body, and repeats nothing of it', async () => {
    await start();
    const bodies = [{}, [], 'horse', 5, null, { username: 'anna' }, { accessKey: '' }, { accessKey: ['horse'] }];
    const both = { username: 'anna', password: 'horse', accessKey: 'horse' };
    for (const body of [...bodies, both, { password: 'horse', accessKey: 'horse' }]) {
      const { code, text, json } = await browser.send(session, post(body));
      expect([code, json.kind], text).toEqual([400, 'Status']);
      expect(text).not.toContain('horse');
    }
    expect((await browser.send(session, { ...post({}), type: 'text/plain' })).code).toBe(415);
    expect((await browser.send(session, { ...post({}), type: 'application/x-www-form-urlencoded' })).code).toBe(415);
    expect((await browser.send(session, post({ accessKey: 'x'.repeat(20_000) }))).code).toBe(413);
    for (const method of ['PUT', 'PATCH', 'OPTIONS'] as const) {
      expect((await browser.send(session, { method })).code).toBe(405);
    }
    expect((await browser.send(`${session}/x`, post({}))).code).toBe(404);
  });

  it('backs off for a source with failed keys without blocking a valid key', async () => {
    const clock = new ManualClock(Date.now());
    await start({}, clock);
    const good = await bench.createKey(server, 'good', { user: 'anna' });
    const wrong = { accessKey: 'flk_wrong' };
    for (let index = 0; index < 6; index++) expect((await browser.send(session, post(wrong))).code).toBe(401);
    const slowed = await browser.send(session, post(wrong));
    expect([slowed.code, slowed.headers['retry-after']]).toEqual([429, '1']);
    await browser.signIn({ accessKey: good });
    // Failures with different keys from one source all count for the source.
    for (let index = 0; index < 44; index++) await browser.send(session, post({ accessKey: `flk_${index}` }));
    expect((await browser.send(session, post({ accessKey: 'flk_another' }))).code).toBe(401);
    expect((await browser.send(session, post({ accessKey: 'flk_yet-another' }))).code).toBe(429);
    // A key that was used from this source recently is not delayed.
    await browser.signIn({ accessKey: good });
  });

  it('is audited with user and outcome, and without secrets at every level', async () => {
    await start({ audit: { rules: [{ level: 'RequestResponse' }] } });
    const shown = await bench.createKey(server, 'mine', { user: 'anna' });
    await browser.send(session, post({ accessKey: `${shown}x` }));
    const { accessKey } = await browser.signIn({ accessKey: shown });
    const first = browser.cookie;
    await browser.signOut();
    await browser.send(session, { method: 'DELETE' });
    const log = await bench.read('audit.log');
    const lines = log
      .split('\n')
      .filter((line) => line.includes(session))
      .map((line) => JSON.parse(line));
    expect(lines.map(({ verb, stage, responseStatus }) => [verb, stage, responseStatus?.code])).toEqual([
      ['post', 'RequestReceived', undefined],
      ['post', 'ResponseComplete', 401],
      ['post', 'RequestReceived', undefined],
      ['post', 'ResponseComplete', 201],
      ['delete', 'RequestReceived', undefined],
      ['delete', 'ResponseComplete', 200],
    ]);
    expect(lines[1].decision).toEqual({ allowed: false, reason: 'login with an access key: invalid key' });
    expect(lines[3]).toMatchObject({ user: { username: 'anna' }, accessKey });
    expect(lines[5]).toMatchObject({ user: { username: 'anna' }, accessKey });
    for (const secret of [shown, first]) expect(log).not.toContain(secret.slice(4, 20));
  });
});

describe('a browser', () => {
  it('has one login: signing in again ends the previous one', async () => {
    await start();
    const first = await browser.signIn({ username: 'anna', password });
    const before = browser.cookie;
    const second = await browser.signIn({ username: 'anna', password });
    expect(await logins()).toEqual([second.accessKey]);
    browser.cookie = before;
    expect((await self()).code).toBe(401);
    expect(first.accessKey).not.toBe(second.accessKey);
  });

  it('keeps its login when a new sign-in fails', async () => {
    await start();
    await browser.signIn({ username: 'anna', password });
    expect((await browser.send(session, post({ username: 'anna', password: 'wrong' }))).code).toBe(401);
    expect((await self()).code).toBe(201);
  });

  it('that signs in with the key in its cookie gets a working login', async () => {
    await start();
    await browser.signIn({ username: 'anna', password });
    await browser.signIn({ accessKey: browser.cookie });
    expect((await self()).code).toBe(201);
  });

  it('can read the owner of its login with any scope, and gets 204 without a login', async () => {
    await start();
    const shown = await bench.createKey(server, 'narrow', { scope: { projects: [{ project: 'default' }] } });
    const told = await browser.signIn({ accessKey: shown });
    const looked = await browser.send(session);
    expect([looked.code, looked.json]).toEqual([200, told]);
    expect(looked.headers['cache-control']).toBe('no-store');
    expect((await browser.send(session, {}, { 'x-flotilla-console': null })).code).toBe(403);
    expect((await browser.send(session, {}, { 'sec-fetch-site': 'same-site' })).code).toBe(403);
    await bench.send(server, `${groupPath}/accesskeys/narrow`, { method: 'DELETE' });
    const lines = (await bench.read('audit.log')).split('\n').length;
    for (let index = 0; index < 25; index++) expect((await browser.send(session)).code).toBe(204);
    expect((await new Browser(bench, server).send(session)).code).toBe(204);
    expect((await bench.read('audit.log')).split('\n')).toHaveLength(lines);
  });

  it('loses its cookie and its login when it signs out, and can sign out again', async () => {
    await start();
    const { accessKey } = await browser.signIn({ username: 'anna', password });
    const old = browser.cookie;
    const answer = await browser.send(session, { method: 'DELETE' });
    expect(answer.json).toMatchObject({ kind: 'Status', status: 'Success' });
    expect(answer.headers['set-cookie']).toBe(
      '__Host-flotilla-session=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0',
    );
    expect((await bench.send(server, `${groupPath}/accesskeys/${accessKey}`)).code).toBe(404);
    for (const cookie of [old, '', 'nonsense', `${old}; __Host-flotilla-session=${old}`]) {
      browser.cookie = cookie;
      if (cookie !== '') expect((await self()).code).toBe(401);
      await browser.signOut();
    }
  });

  it('gets an error on sign-out if the cookie belongs to another login than the page expects', async () => {
    await start();
    const { accessKey: own } = await browser.signIn({ username: 'anna', password });
    const other = new Browser(bench, server);
    const { accessKey: tossed } = await other.signIn({ username: 'anna', password });
    const signOut = () => other.send(session, { method: 'DELETE' }, { 'x-flotilla-session': String(own) });
    const refused = await signOut();
    expect([refused.code, refused.headers['set-cookie']]).toEqual([401, undefined]);
    expect((await logins()).sort()).toEqual([own, tossed].sort());
    other.cookie = browser.cookie;
    expect((await signOut()).code).toBe(200);
    expect(await logins()).toEqual([tossed]);
  });

  it('cannot sign in if the console is disabled, and cookies are not credentials', async () => {
    await start();
    await browser.signIn({ username: 'anna', password });
    await bench.stop(server);
    const file = join(bench.root, 'off.yaml');
    await writeFile(file, JSON.stringify({ console: { enabled: false } }));
    server = await bench.start({ config: file });
    const { cookie } = browser;
    browser = new Browser(bench, server);
    browser.cookie = cookie;
    expect((await self()).code).toBe(401);
    expect((await browser.send(session, post({ username: 'anna', password }))).code).toBe(404);
    expect((await browser.send('/', {}, { accept: 'text/html' })).code).toBe(404);
  });
});
