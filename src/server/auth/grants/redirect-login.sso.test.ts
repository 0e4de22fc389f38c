import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listAt, textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cliGrantsPath, cliLoginPath, cliTokenPath } from '../../../api/auth/cli-login.ts';
import { ManualClock } from '../../../lib/clock.ts';
import { groupPath, ServerTestEnv } from '../../server.fixture.ts';
import type { RunningServer } from '../../start-server.ts';
import type { Browser, HeaderChanges } from '../browser.fixture.ts';
import { allowRedirect, exchangeCode, newRedirectLogin, password, postForm, signedIn } from './cli-login.fixture.ts';

const selves = `${groupPath}/selves`;
const invalid = [400, 'invalid_grant'];
let bench: ServerTestEnv;
let server: RunningServer;
let clock: ManualClock;
let anna: Browser;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
  clock = new ManualClock(Date.now());
  server = await bench.start({}, clock);
  await bench.createObject(server, 'users', 'anna', { password });
  anna = await signedIn(bench, server);
});
afterEach(() => bench.close());

const exchanged = async (call: Parameters<typeof exchangeCode>[2]) => {
  const { code, json } = await exchangeCode(bench, server, call);
  return [code, textAt(json, 'error')];
};

const userOf = async (token: string) => {
  const { code, json } = await bench.send(server, selves, { method: 'POST', body: {}, token });
  return code === 201 ? textAt(json, 'status', 'user', 'name') : code;
};

describe('a login of the command line with a redirect', () => {
  it('gives a key of the user who allowed it, with a name that tells where it is used', async () => {
    const { verifier, consent } = newRedirectLogin();
    const code = await allowRedirect(anna, consent);
    const { code: status, json } = await exchangeCode(bench, server, { code, verifier });
    expect([status, textAt(json, 'token_type'), textAt(json, 'user')]).toEqual([200, 'Bearer', 'anna']);
    const token = textAt(json, 'access_token');
    expect(await userOf(token)).toBe('anna');
    const key = await bench.send(server, `${groupPath}/accesskeys/${textAt(json, 'name')}`);
    expect(textAt(key.json, 'spec', 'displayName')).toBe('Login of the command line on laptop');
    // The login of the command line is independent of the session in the browser.
    await anna.signOut();
    expect(await userOf(token)).toBe('anna');
    const logout = await bench.send(server, '/auth/logout', { method: 'POST', token });
    expect([logout.code, await userOf(token)]).toEqual([200, 401]);
  });

  it('accepts a code once', async () => {
    const { verifier, consent } = newRedirectLogin();
    const code = await allowRedirect(anna, consent);
    const answers = await Promise.all([1, 2, 3].map(() => exchanged({ code, verifier })));
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1);
    expect(await exchanged({ code, verifier })).toEqual(invalid);
  });

  it('refuses a code with the verifier of another login, and does not accept it afterwards', async () => {
    const [one, other] = [newRedirectLogin(), newRedirectLogin()];
    const code = await allowRedirect(anna, one.consent);
    expect(await exchanged({ code, verifier: other.verifier })).toEqual(invalid);
    expect(await exchanged({ code, verifier: one.verifier })).toEqual(invalid);
    const second = await allowRedirect(anna, one.consent);
    expect(await exchanged({ code: second, verifier: one.verifier, port: 40_124 })).toEqual(invalid);
  });

  it('refuses a code after a minute, and a code that does not exist', async () => {
    const { verifier, consent } = newRedirectLogin();
    const code = await allowRedirect(anna, consent);
    clock.advance(60_001);
    expect(await exchanged({ code, verifier })).toEqual(invalid);
    expect(await exchanged({ code: 'x'.repeat(43), verifier })).toEqual(invalid);
  });

  it('is refused if the session ended before the code was used', async () => {
    const { verifier, consent } = newRedirectLogin();
    const code = await allowRedirect(anna, consent);
    await anna.signOut();
    expect(await exchanged({ code, verifier })).toEqual(invalid);
  });

  it('makes a source wait that sends many unknown codes', async () => {
    const codes = [];
    for (let index = 0; index < 60; index++)
      codes.push((await exchangeCode(bench, server, { code: `guess-${index}`, verifier: 'x' })).code);
    expect(codes).toContain(429);
  });

  it('refuses requests that are not complete', async () => {
    const send = async (fields: Record<string, string>) =>
      textAt((await postForm(bench, server, cliTokenPath, fields)).json, 'error');
    expect(await send({})).toBe('unsupported_grant_type');
    expect(await send({ grant_type: 'authorization_code', code: 'x' })).toBe('invalid_request');
    const asJson = await bench.send(server, cliTokenPath, { method: 'POST', token: '', body: {} });
    expect([asJson.code, textAt(asJson.json, 'error')]).toEqual([400, 'invalid_request']);
    expect((await bench.send(server, cliTokenPath, { token: '' })).code).toBe(405);
  });
});

describe('the consent to a login of the command line', () => {
  const consent = async (body: object, changes: HeaderChanges = {}) => {
    const sent = { ...newRedirectLogin().consent, allow: true, ...body };
    return await anna.send(cliGrantsPath, { method: 'POST', body: sent }, changes);
  };

  it('is accepted only from a page of the console', async () => {
    for (const changes of [
      { 'x-flotilla-console': null },
      { origin: 'https://evil.example' },
      { origin: null },
      { 'sec-fetch-site': 'cross-site' },
    ])
      expect((await consent({}, changes)).code).toBe(403);
    expect((await consent({}, { cookie: null })).code).toBe(401);
    expect((await consent({}, { 'x-flotilla-session': 'login-of-somebody-else' })).code).toBe(401);
    const body = { ...newRedirectLogin().consent, allow: true };
    expect((await bench.send(server, cliGrantsPath, { method: 'POST', body })).code).toBe(403);
    expect((await anna.send(cliGrantsPath)).code).toBe(405);
  });

  it('needs a loopback port, a state, a challenge and a host name', async () => {
    for (const wrong of [
      { port: 0 },
      { port: 80 },
      { port: 70_000 },
      { port: 1.5e4 + 0.5 },
      { port: '40123@evil.example' },
      { state: '' },
      { state: 'x&code=1' },
      { challenge: 'short' },
      { client: '<b>laptop</b>' },
      { client: 'x'.repeat(64) },
      { allow: 'yes' },
    ])
      expect((await consent(wrong)).code, JSON.stringify(wrong)).toBe(400);
  });

  it('that is denied leads back with an error and no code', async () => {
    const { json } = await consent({ allow: false });
    const { searchParams } = new URL(textAt(json, 'redirect'));
    expect([searchParams.get('error'), searchParams.get('code')]).toEqual(['access_denied', null]);
  });

  it('is limited to ten codes at a time per user', async () => {
    for (let index = 0; index < 10; index++) expect((await consent({})).code).toBe(201);
    expect((await consent({})).code).toBe(429);
    clock.advance(60_001);
    expect((await consent({})).code).toBe(201);
  });

  it('and the login are audited with user, host and login, without the code and the key', async () => {
    const { verifier, consent: asked } = newRedirectLogin();
    const code = await allowRedirect(anna, asked);
    const { json } = await exchangeCode(bench, server, { code, verifier });
    await exchangeCode(bench, server, { code: await allowRedirect(anna, asked), verifier: 'wrong' });
    const log = await bench.read('audit.log');
    for (const secret of [code, verifier, textAt(json, 'access_token')]) expect(log).not.toContain(secret);
    const events = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const reasons = (path: string) =>
      events
        .filter(({ requestURI, stage }) => requestURI === path && stage === 'ResponseComplete')
        .map((event) => [
          textAt(event, 'user', 'username'),
          textAt(event, 'decision', 'reason'),
          listAt(event, 'sourceIPs').length,
        ]);
    expect(reasons(cliGrantsPath)[0]).toEqual(['anna', 'allows a login of the command line on "laptop"', 1]);
    const [redeemed, refused] = reasons(cliTokenPath);
    expect(redeemed?.[0]).toBe('anna');
    expect(redeemed?.[1]).toMatch(/^login of the command line on "laptop", which "anna" allowed with "login-/);
    expect(refused?.[1]).toContain('without its verifier');
  });
});

it('a server without a console offers no logins of the command line', async () => {
  expect((await bench.send(server, cliLoginPath, { token: '' })).code).toBe(200);
  await server.close();
  const config = join(bench.root, 'flotilla.yaml');
  await writeFile(config, JSON.stringify({ console: { enabled: false } }));
  server = await bench.start({ config }, clock);
  for (const path of [cliLoginPath, cliTokenPath])
    expect((await bench.send(server, path, { token: '' })).code).toBe(404);
});
