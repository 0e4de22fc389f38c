import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonObject, type JsonValue, numberAt, textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { generateAccessKey } from '../../auth/access-key-format.ts';
import { type Clock, ManualClock } from '../../lib/clock.ts';
import { groupPath, mergePatch, ServerTestEnv } from '../server.fixture.ts';
import type { RunningServer } from '../start-server.ts';
import { Browser, cookieName } from './browser.fixture.ts';

const password = 'correct horse battery';

let bench: ServerTestEnv;
let server: RunningServer;
let browser: Browser;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
});
afterEach(() => bench.close());

async function start(clock?: Clock, config: JsonValue = {}): Promise<void> {
  const file = join(bench.root, 'config.yaml');
  await writeFile(file, JSON.stringify(config));
  server = await bench.start({ config: file }, clock);
  browser = new Browser(bench, server);
  await bench.createObject(server, 'users', 'anna', { password, groups: ['crafts'] });
}

const keys = `${groupPath}/accesskeys`;
const projects = `${groupPath}/projects`;
const local = '/kubernetes/cluster/local/api/v1/namespaces';
const code = async () => (await browser.send(projects)).code;
const patchKey = async (name: string, spec: JsonObject) => {
  const answer = await bench.send(server, `${keys}/${name}`, mergePatch({ spec }));
  expect(answer.code, answer.text).toBe(200);
};
const remove = (path: string) => bench.send(server, path, { method: 'DELETE' });

/** Signs in with an access key of this name. Returns the session and the name of its login. */
async function signedIn(name: string, spec: JsonObject = { user: 'anna' }): Promise<string> {
  const shown = await bench.createKey(server, name, spec);
  return textAt(await browser.signIn({ accessKey: shown }), 'accessKey');
}

/** Opens a watch with the session cookie. `end` resolves when the watch has ended. */
async function watching(): Promise<{ readonly end: Promise<string> }> {
  const response = await bench.request(
    server,
    `${projects}?watch=true`,
    { token: '' },
    { cookie: `${cookieName}=${browser.cookie}`, 'x-flotilla-console': '1' },
  );
  expect(response.statusCode).toBe(200);
  return { end: response.body.text() };
}

describe('a login with an access key', () => {
  const ends: readonly [string, () => Promise<unknown>][] = [
    ['is deleted', () => remove(`${keys}/mine`)],
    ['is disabled', () => patchKey('mine', { disabled: true })],
    ['gets another value', () => patchKey('mine', { key: generateAccessKey() })],
    ['gets a narrower scope', () => patchKey('mine', { scope: { projects: [{ project: 'default' }] } })],
    ['gets other groups', () => patchKey('mine', { groups: ['other'] })],
    ['loses its user', () => remove(`${groupPath}/users/anna`)],
  ];
  for (const [what, happens] of ends) {
    it(`ends at once when the key ${what}, together with open streams`, async () => {
      await start();
      await signedIn('mine');
      expect(await code()).toBe(200);
      const { end } = await watching();
      await happens();
      await end;
      expect(await code()).toBe(401);
    });
  }

  it('ends at once when its user is disabled or gets a new password', async () => {
    await start();
    for (const spec of [{ password: 'another horse' }, { disabled: true }]) {
      await signedIn(`mine-${Object.keys(spec)[0]}`);
      const { end } = await watching();
      await bench.send(server, `${groupPath}/users/anna`, mergePatch({ spec }));
      await end;
      expect(await code()).toBe(401);
    }
  });

  it('ends with any key that its key descends from', async () => {
    await start();
    const first = await bench.createKey(server, 'first', { user: 'anna' });
    const made = await bench.send(server, `${groupPath}/ownedaccesskeys`, {
      method: 'POST',
      token: first,
      body: { metadata: { name: 'second' }, spec: {} },
    });
    await browser.signIn({ accessKey: textAt(made.json, 'spec', 'key') });
    expect(await code()).toBe(200);
    await patchKey('first', { disabled: true });
    expect(await code()).toBe(401);
    await patchKey('first', { disabled: false });
    expect(await code()).toBe(200);
    await patchKey('second', { key: generateAccessKey() });
    expect(await code()).toBe(401);
  });

  it('cannot open another login, so that logins cannot chain', async () => {
    await start();
    await signedIn('mine');
    const again = { method: 'POST', body: { accessKey: browser.cookie } } as const;
    expect((await new Browser(bench, server).send('/auth/session', again)).code).toBe(401);
    const audit = await bench.read('audit.log');
    expect(audit).toContain('the key is itself a login with an access key');
    // A login with a password can open another login. When the first login ends, the second one ends too.
    const byPassword = await bench.send(server, '/auth/password/login', {
      method: 'POST',
      token: '',
      body: { username: 'anna', password },
    });
    await browser.signIn({ accessKey: textAt(byPassword.json, 'accessKey') });
    expect(await code()).toBe(200);
    await bench.send(server, '/auth/logout', { method: 'POST', token: textAt(byPassword.json, 'accessKey') });
    expect(await code()).toBe(401);
  });

  it('is removed from lists when it has ended', async () => {
    await start();
    const login = await signedIn('mine');
    await patchKey('mine', { key: generateAccessKey() });
    await expect.poll(async () => (await bench.send(server, `${keys}/${login}`)).code).toBe(404);
    const another = await signedIn('other');
    await remove(`${keys}/other`);
    await expect.poll(async () => (await bench.send(server, `${keys}/${another}`)).code).toBe(404);
  });

  it('expires no later than its key, and no later than other logins', async () => {
    const clock = new ManualClock(Date.now());
    await start(clock, { auth: { loginTTL: 7200 } });
    const shown = await bench.createKey(server, 'brief', { user: 'anna', ttl: 3600 });
    clock.advance(600_000);
    const { accessKey, expires } = await browser.signIn({ accessKey: shown });
    expect(Date.parse(String(expires))).toBeLessThanOrEqual(clock.now() + 3_000_000);
    const { json } = await bench.send(server, `${keys}/${accessKey}`);
    expect(numberAt(json, 'spec', 'ttl')).toBeLessThanOrEqual(3000);
    const { end } = await watching();
    clock.advance(3_000_000);
    await end;
    expect(await code()).toBe(401);
    await signedIn('endless');
    clock.advance(7_199_000);
    expect(await code()).toBe(200);
    clock.advance(1_000);
    expect(await code()).toBe(401);
  });

  it('has the scope of its key, and so do the keys that it creates', async () => {
    await start();
    const shown = await bench.createKey(server, 'narrow', { scope: { projects: [{ project: 'default' }] } });
    await browser.signIn({ accessKey: shown });
    const codes: number[] = [];
    for (const path of [projects, `${projects}/default`, `${groupPath}/users`, `${keys}/admin`, local]) {
      const byKey = await bench.send(server, path, { token: shown });
      codes.push((await browser.send(path)).code);
      expect(codes.at(-1), path).toBe(byKey.code);
    }
    expect(new Set(codes)).toEqual(new Set([200, 403]));
    const call = { method: 'POST', body: { metadata: { name: 'wide' }, spec: {} } } as const;
    const made = await browser.send(`${groupPath}/ownedaccesskeys`, call);
    const token = textAt(made.json, 'spec', 'key');
    expect((await bench.send(server, projects, { token })).code).toBe(200);
    expect((await bench.send(server, `${groupPath}/users`, { token })).code).toBe(403);
  });

  it('extends no lifetime: keys created with it end with its key, and outlive the login', async () => {
    await start();
    await signedIn('mine', { user: 'anna', ttl: 3600 });
    const made = await browser.send(`${groupPath}/ownedaccesskeys`, {
      method: 'POST',
      body: { metadata: { name: 'longer' }, spec: { ttl: 100_000 } },
    });
    expect(made.code, made.text).toBe(201);
    expect(numberAt(made.json, 'spec', 'ttl')).toBeLessThanOrEqual(3600);
    const token = textAt(made.json, 'spec', 'key');
    await browser.signOut();
    expect((await bench.send(server, projects, { token })).code).toBe(200);
    await patchKey('mine', { disabled: true });
    expect((await bench.send(server, projects, { token })).code).toBe(401);
  });

  it('has the groups of its key, except those that the owner has lost', async () => {
    await start();
    const review = '/kubernetes/management/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const groups = async () => {
      const { json } = await browser.send(review, { method: 'POST', body: {} });
      return ((json.status as JsonObject).userInfo as JsonObject).groups as string[];
    };
    const shown = await bench.createKey(server, 'mine', { user: 'anna', groups: ['crafts', 'given'] });
    await bench.send(server, `${groupPath}/users/anna`, mergePatch({ spec: { groups: [] } }));
    await browser.signIn({ accessKey: shown });
    expect(await groups()).toContain('given');
    expect(await groups()).not.toContain('crafts');
  });
});
