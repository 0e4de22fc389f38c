import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject, textAt } from '@flotilla/json';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { generateAccessKey } from '../../src/auth/access-key-format.ts';
import { callValues } from '../../src/cli/command-call.ts';
import { run as runToken } from '../../src/cli/commands/access/token.ts';
import { type Login, readConfig, writeConfig } from '../../src/cli/config/config-file.ts';
import { resolveAccess } from '../../src/cli/connection/resolve-access.ts';
import { withServerConnection } from '../../src/cli/connection/server-api.ts';
import { openTerminal } from '../../src/cli/output/terminal.ts';
import type { Browser } from '../../src/server/auth/browser.fixture.ts';
import {
  allowRedirect,
  exchangeCode,
  newRedirectLogin,
  password,
  signedIn,
} from '../../src/server/auth/grants/cli-login.fixture.ts';
import { groupPath, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

let bench: ServerTestEnv;
let server: RunningServer;
let browser: Browser;
let folder: string;
let config: string;
let first: Login;
beforeAll(async () => {
  bench = await ServerTestEnv.open();
  server = await bench.start();
  await bench.createObject(server, 'users', 'anna', { password });
  browser = await signedIn(bench, server);
});
afterAll(() => bench.close());

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'renewal-'));
  config = join(folder, 'config.json');
  const { verifier, consent } = newRedirectLogin();
  const code = await allowRedirect(browser, consent);
  const { json } = await exchangeCode(bench, server, { code, verifier });
  first = {
    ...{ url: server.url, apiPrefix: 'kubernetes', accessKey: textAt(json, 'access_token') },
    authority: await bench.read('ca.crt'),
    expires: new Date(Date.now() + 600_000).toISOString(),
    renewal: { after: new Date(Date.now() - 1000).toISOString() },
  };
  await save(first);
});
afterEach(() => rm(folder, { recursive: true }));

/** Starts the server again at the same address, with other settings of `auth`. */
async function restart(auth: JsonObject): Promise<void> {
  await bench.stop(server);
  const flags = await bench.settings({ auth });
  server = await bench.start({ ...flags, listen: new URL(server.url).host });
}

const save = (login: Login) => writeConfig(config, { current: 'work', logins: new Map([['work', login]]) });
const saved = async () => (await readConfig(config)).logins.get('work');

function callOf(options: Readonly<Record<string, string | boolean>> = {}) {
  let [out, err] = ['', ''];
  const streams = {
    out: { write: (text: string) => (out += text) },
    err: { write: (text: string) => (err += text) },
    in: {},
  };
  return {
    environment: { FLOTILLA_CONFIG: config, HOME: folder },
    values: callValues(new Map(), new Map(Object.entries(options))),
    terminal: openTerminal(streams, {}),
    interrupted: new AbortController().signal,
    releaseSignals() {},
    out: () => out,
    err: () => err,
  };
}

/** Runs `flotilla token --exec-credential` as kubectl does. Returns the token from the output. */
async function plugin() {
  const call = callOf({ 'exec-credential': true });
  await runToken(call);
  const { status } = JSON.parse(call.out()) as { status: { token: string; expirationTimestamp: string } };
  return { ...status, warnings: call.err() };
}

const codeWith = async (token: string) =>
  (await bench.send(server, `${groupPath}/selves`, { method: 'POST', body: {}, token })).code;

/** Returns the number of renewals in the audit log. */
async function renewals(): Promise<number> {
  const lines = (await bench.read('audit.log')).split('\n');
  return lines.filter((line) => line.includes('ResponseComplete') && line.includes('login renewed until')).length;
}

describe('the exec plugin with a login that ends soon', () => {
  it('renews the login without a question, saves it, and ends the old value', async () => {
    const { token, expirationTimestamp, warnings } = await plugin();
    expect([token === first.accessKey, warnings]).toEqual([false, '']);
    expect([await codeWith(token), await codeWith(first.accessKey)]).toEqual([201, 401]);
    expect(Date.parse(expirationTimestamp)).toBeGreaterThan(Date.now() + 19 * 24 * 3_600_000);
    const { accessKey, renewal, expires } = (await saved()) ?? {};
    expect([accessKey, renewal?.nextKey, expires]).toEqual([token, undefined, expirationTimestamp]);
    expect(Date.parse(renewal?.after ?? '')).toBeLessThan(Date.parse(expirationTimestamp));
    expect((await plugin()).token).toBe(token);
  });

  it('renews it once if kubectl starts many plugins at the same time', async () => {
    const before = await renewals();
    const tokens = await Promise.all(Array.from({ length: 12 }, async () => (await plugin()).token));
    expect(new Set(tokens).size).toBe(1);
    expect([await codeWith(tokens[0] ?? ''), (await renewals()) - before]).toEqual([201, 1]);
  });

  it('keeps the login if the response to the renewal was lost', async () => {
    const nextKey = generateAccessKey();
    await save({ ...first, renewal: { after: first.renewal?.after ?? '', nextKey } });
    const body = { accessKey: nextKey };
    const lost = await bench.send(server, '/auth/cli/renew', { method: 'POST', token: first.accessKey, body });
    expect(lost.code, lost.text).toBe(200);
    expect((await plugin()).token).toBe(nextKey);
    expect((await saved())?.renewal?.nextKey).toBeUndefined();
  });

  it('keeps it also if the command was ended before, until after the end of the old value', async () => {
    const nextKey = generateAccessKey();
    const ended = { expires: new Date(Date.now() - 1000).toISOString() };
    await save({ ...first, ...ended, renewal: { after: first.renewal?.after ?? '', nextKey } });
    await bench.send(server, '/auth/cli/renew', {
      ...{ method: 'POST', token: first.accessKey, body: { accessKey: nextKey } },
    });
    expect((await plugin()).token).toBe(nextKey);
  });

  it('says once why the server refuses a renewal, and keeps the login until its end', async () => {
    await restart({ renewedLoginTTL: 0 });
    const { token, warnings } = await plugin();
    expect(token).toBe(first.accessKey);
    expect(warnings).toMatch(
      /^Warning: .*renews no logins \(auth\.renewedLoginTTL\) and ends at .*; log in again: flotilla login https:/,
    );
    expect(await plugin()).toMatchObject({ token, warnings: '' });
    await restart({});
  });

  it('says how to log in again if the login has ended', async () => {
    await bench.send(server, '/auth/logout', { method: 'POST', token: first.accessKey });
    await expect(plugin()).rejects.toThrow(
      `the login at ${server.url} has ended; log in again: flotilla login ${server.url} --name work`,
    );
    expect((await saved())?.renewal).toBeUndefined();
  });

  it('uses the current value while the server does not answer, and renews the login afterwards', async () => {
    await bench.stop(server);
    expect((await plugin()).token).toBe(first.accessKey);
    server = await bench.start({ listen: new URL(server.url).host });
    expect(await codeWith((await plugin()).token)).toBe(201);
    expect(await codeWith(first.accessKey)).toBe(401);
  });

  it('does not renew the login if the new value cannot be saved', async () => {
    // Moves the saved login to a file with a name of nearly the maximum length. Temporary files with a longer name
    // cannot be created beside it.
    const text = await readFile(config, 'utf8');
    config = join(folder, 'c'.repeat(250));
    await writeFile(config, text, { mode: 0o600 });
    expect((await plugin()).token).toBe(first.accessKey);
    expect(await codeWith(first.accessKey)).toBe(201);
  });
});

it('a command that is running continues after another command has renewed its login', async () => {
  const call = callOf();
  await save({ ...first, renewal: { after: new Date(Date.now() + 60_000).toISOString() } });
  const access = await resolveAccess(call);
  await withServerConnection(access, call, async (api) => {
    await api.json({ path: api.managementPath('projects') });
    await save(first);
    await plugin();
    await api.json({ path: api.managementPath('projects') });
    // The login of another user must not be used.
    await save({ ...first, accessKey: await bench.adminKey() });
    await bench.send(server, '/auth/logout', { method: 'POST', token: access.accessKey });
  });
  await expect(
    withServerConnection(access, call, (api) => api.json({ path: api.managementPath('projects') })),
  ).rejects.toMatchObject({ code: 401 });
});
