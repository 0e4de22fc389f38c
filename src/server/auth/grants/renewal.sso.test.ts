import { textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { renewLoginPath } from '../../../api/auth/cli-login.ts';
import { generateAccessKey } from '../../../auth/access-key-format.ts';
import { ManualClock } from '../../../lib/clock.ts';
import { groupPath, mergePatch, ServerTestEnv } from '../../server.fixture.ts';
import type { RunningServer } from '../../start-server.ts';
import { Browser } from '../browser.fixture.ts';
import { allowRedirect, exchangeCode, newRedirectLogin, password, signedIn } from './cli-login.fixture.ts';

const hour = 3_600_000;
const auth = { loginTTL: 36_000, renewedLoginTTL: 90_000 };
let bench: ServerTestEnv;
let server: RunningServer;
let clock: ManualClock;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
  clock = new ManualClock(Math.floor(Date.now() / 1000) * 1000);
  server = await bench.start(await bench.settings({ auth }), clock);
  await bench.createObject(server, 'users', 'anna', { password });
});
afterEach(() => bench.close());

async function restart(settings: object): Promise<void> {
  await bench.stop(server);
  server = await bench.start(await bench.settings({ auth: { ...auth, ...settings } }), clock);
}

/** Logs in like the command line, and returns the response of the token endpoint. */
async function logIn() {
  const { verifier, consent } = newRedirectLogin();
  const code = await allowRedirect(await signedIn(bench, server), consent);
  const { json } = await exchangeCode(bench, server, { code, verifier });
  return { key: textAt(json, 'access_token'), name: textAt(json, 'name'), json };
}

const renew = async (token: string, accessKey: string) =>
  await bench.send(server, renewLoginPath, { method: 'POST', token, body: { accessKey } });

const codeWith = async (token: string) =>
  (await bench.send(server, `${groupPath}/selves`, { method: 'POST', body: {}, token })).code;

const setUser = async (spec: object) =>
  await bench.send(server, `${groupPath}/users/anna`, mergePatch({ spec } as never));

describe('the renewal of a login of the command line', () => {
  it('gives the same login a new value and a later end, and ends the old value', async () => {
    const { key, name, json } = await logIn();
    expect(json).toMatchObject({ expires_in: 36_000, renewable: true });
    clock.advance(9 * hour);
    const next = generateAccessKey();
    const renewed = await renew(key, next);
    expect([renewed.code, renewed.json]).toEqual([200, { expires_in: 36_000, renewable: true }]);
    expect([await codeWith(key), await codeWith(next)]).toEqual([401, 201]);
    clock.advance(9 * hour);
    expect(await codeWith(next)).toBe(201);
    const stored = await bench.send(server, `${groupPath}/accesskeys/${name}`);
    expect(textAt(stored.json, 'spec', 'displayName')).toBe('Login of the command line on laptop');
    expect(stored.text).not.toContain(next);
  });

  it('extends the login until the end of all renewals, and no further', async () => {
    let { key } = await logIn();
    const answers = [];
    for (let hours = 9; hours <= 27; hours += 9) {
      clock.advance(9 * hour);
      const next = generateAccessKey();
      const { code, json } = await renew(key, next);
      answers.push(code === 200 ? json : code);
      if (code === 200) key = next;
    }
    // The end of all renewals is 25 hours after the sign-in.
    expect(answers).toEqual([{ expires_in: 36_000, renewable: true }, { expires_in: 25_200, renewable: false }, 401]);
    expect(await codeWith(key)).toBe(401);
  });

  it('is refused with the reason if the login has reached that end but is still valid', async () => {
    const { key } = await logIn();
    clock.advance(9 * hour);
    const second = generateAccessKey();
    await renew(key, second);
    clock.advance(8 * hour);
    const third = generateAccessKey();
    await renew(second, third);
    const refused = await renew(third, generateAccessKey());
    expect([refused.code, textAt(refused.json, 'message')]).toEqual([
      403,
      expect.stringMatching(/reached the end of all renewals after the sign-in at .*auth\.renewedLoginTTL/),
    ]);
    expect(await codeWith(third)).toBe(201);
  });

  it('succeeds once if many clients send it with the same value at the same time', async () => {
    const { key } = await logIn();
    const values = Array.from({ length: 6 }, () => generateAccessKey());
    const codes = await Promise.all(values.map(async (value) => (await renew(key, value)).code));
    expect(codes.filter((code) => code === 200)).toHaveLength(1);
    expect(codes.filter((code) => code !== 200)).toEqual([401, 401, 401, 401, 401]);
    const working = await Promise.all(values.map(codeWith));
    expect(working.map((code) => code === 201)).toEqual(codes.map((code) => code === 200));
  });

  it('can be asked for again by a client that did not receive the response, and then changes nothing', async () => {
    const { key } = await logIn();
    const next = generateAccessKey();
    await renew(key, next);
    clock.advance(hour);
    expect((await renew(key, next)).code).toBe(401);
    const again = await renew(next, next);
    expect([again.code, again.json]).toEqual([200, { expires_in: 32_400, renewable: true }]);
  });

  it('does not count as a sign-in', async () => {
    bench.freshLoginSeconds = 900;
    await restart({});
    const { key } = await logIn();
    const create = (token: string) =>
      bench.send(server, `${groupPath}/ownedaccesskeys`, { method: 'POST', token, body: { spec: { ttl: 60 } } });
    expect((await create(key)).code).toBe(201);
    clock.advance(hour);
    const next = generateAccessKey();
    await renew(key, next);
    expect((await create(next)).code).toBe(403);
  });

  it('does not end streams of the login', async () => {
    const projects = `${groupPath}/projects`;
    await bench.createObject(server, 'projects', 'shop', { access: [{ users: ['anna'], verbs: ['*'] }] });
    const { key } = await logIn();
    const found = await bench.send(server, projects, { token: key });
    const from = textAt(found.json, 'metadata', 'resourceVersion');
    const stream = await bench.request(server, `${projects}?watch=true&resourceVersion=${from}`, { token: key });
    expect((await renew(key, generateAccessKey())).code).toBe(200);
    await bench.send(server, `${projects}/shop`, mergePatch({ spec: { displayName: 'The shop' } }));
    const { value } = await stream.body[Symbol.asyncIterator]().next();
    expect(JSON.parse(String(value))).toMatchObject({
      type: 'MODIFIED',
      object: { spec: { displayName: 'The shop' } },
    });
  });

  it('is refused for all other credentials', async () => {
    const message = async (token: string) => {
      const { code, json } = await renew(token, generateAccessKey());
      return [code, textAt(json, 'message')];
    };
    const refused = [403, expect.stringContaining('only logins that "flotilla login" opened')];
    const opened = await bench.send(server, '/auth/password/login', {
      ...{ method: 'POST', token: '', body: { username: 'anna', password } },
    });
    expect(await message(textAt(opened.json, 'accessKey'))).toEqual(refused);
    expect(await message(await bench.adminKey())).toEqual(refused);
    const browser = await signedIn(bench, server);
    const body = { accessKey: generateAccessKey() };
    expect((await browser.send(renewLoginPath, { method: 'POST', body })).code).toBe(403);
    const { key } = await logIn();
    expect((await bench.send(server, renewLoginPath, { token: key })).code).toBe(405);
    expect((await renew('', generateAccessKey())).code).toBe(401);
    const admin = await bench.adminKey();
    const headers = { authorization: `Bearer ${admin}`, 'impersonate-user': 'anna' };
    expect((await browser.send(renewLoginPath, { method: 'POST', body }, { ...headers, cookie: null })).code).toBe(403);
  });

  it('needs a new value that is hard to guess', async () => {
    const { key } = await logIn();
    const real = generateAccessKey();
    for (const value of ['', 'short', 'x'.repeat(40), `${real.slice(0, -1)}${real.endsWith('a') ? 'b' : 'a'}`])
      expect((await renew(key, value)).code, value).toBe(400);
    expect((await renew(key, await bench.adminKey())).code).toBe(422);
    expect(await codeWith(key)).toBe(201);
  });

  it('is refused if the settings for passwords no longer allow the login', async () => {
    const { key } = await logIn();
    for (const [settings, why] of [
      [{ password: { enabled: false } }, 'logins with a password are disabled'],
      [{ password: { secondFactor: 'required' } }, 'requires a second factor'],
      [{ renewedLoginTTL: 0 }, 'renews no logins'],
    ] as const) {
      await restart(settings);
      const { code, text } = await renew(key, generateAccessKey());
      expect([code, text]).toEqual([403, expect.stringContaining(why)]);
      expect(await codeWith(key)).toBe(201);
    }
  });

  it('is refused after the password was changed, and after the user was disabled', async () => {
    const [one, other] = [await logIn(), await logIn()];
    await setUser({ password: 'battery staple horse' });
    expect((await renew(one.key, generateAccessKey())).code).toBe(401);
    await setUser({ password });
    await setUser({ disabled: true });
    expect((await renew(other.key, generateAccessKey())).code).toBe(401);
  });

  it('of a login that an access key opened ends with that key', async () => {
    const own = await bench.send(server, `${groupPath}/ownedaccesskeys`, {
      ...{ method: 'POST', body: { metadata: { name: 'own' }, spec: { ttl: 72_000 } } },
    });
    const browser = new Browser(bench, server);
    await browser.signIn({ accessKey: textAt(own.json, 'spec', 'key') });
    const { verifier, consent } = newRedirectLogin();
    const { json } = await exchangeCode(bench, server, { code: await allowRedirect(browser, consent), verifier });
    clock.advance(9 * hour);
    const next = generateAccessKey();
    const renewed = await renew(textAt(json, 'access_token'), next);
    expect(renewed.code, renewed.text).toBe(200);
    clock.advance(9 * hour);
    const last = generateAccessKey();
    const { json: until } = await renew(next, last);
    expect(until).toMatchObject({ expires_in: 7_200, renewable: false });
  });

  it('is refused for a login that a session with an old sign-in allowed', async () => {
    await bench.stop(server);
    bench.freshLoginSeconds = 900;
    server = await bench.start(await bench.settings({ auth }), clock);
    const browser = await signedIn(bench, server);
    const openLogin = async () => {
      const { verifier, consent } = newRedirectLogin();
      return (await exchangeCode(bench, server, { code: await allowRedirect(browser, consent), verifier })).json;
    };
    expect(await openLogin()).toMatchObject({ renewable: true });
    clock.advance(hour);
    const login = await openLogin();
    expect(login).toMatchObject({ expires_in: 32_400, renewable: false });
    const refused = await renew(textAt(login, 'access_token'), generateAccessKey());
    expect([refused.code, textAt(refused.json, 'message')]).toEqual([
      403,
      expect.stringContaining('was too old when you allowed the login (auth.freshLoginSeconds)'),
    ]);
  });

  it('is audited with the user and the sign-in, without values of the key', async () => {
    const { key } = await logIn();
    const [next, other] = [generateAccessKey(), generateAccessKey()];
    await renew(key, next);
    await restart({ renewedLoginTTL: 0 });
    await renew(next, other);
    const log = await bench.read('audit.log');
    for (const value of [key, next, other]) expect(log).not.toContain(value);
    const reasons = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ requestURI, stage }) => requestURI === renewLoginPath && stage === 'ResponseComplete')
      .map((event) => textAt(event, 'decision', 'reason'));
    expect(reasons).toEqual([
      expect.stringMatching(/^login renewed until .*Z: user "anna", signed in at .*Z$/),
      expect.stringContaining('this server renews no logins'),
    ]);
  });
});
