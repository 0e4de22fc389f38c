import { listAt, textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { totpCode, totpStepAt } from '../../../auth/totp.ts';
import { ManualClock } from '../../../lib/clock.ts';
import { groupPath, mergePatch, type ParsedResponse, ServerTestEnv } from '../../server.fixture.ts';
import type { RunningServer } from '../../start-server.ts';
import { Browser } from '../browser.fixture.ts';

const password = 'correct horse battery';

let env: ServerTestEnv;
let server: RunningServer;
let clock: ManualClock;
beforeEach(async () => {
  env = await ServerTestEnv.open();
  clock = new ManualClock(Date.now());
});
afterEach(() => env.close());

async function start(secondFactor: string): Promise<void> {
  server = await env.start(await env.settings({ auth: { password: { secondFactor } } }), clock);
  await env.createObject(server, 'users', 'anna', { password });
}

const logIn = (proof = {}, secret = password): Promise<ParsedResponse> =>
  env.send(server, '/auth/password/login', {
    method: 'POST',
    token: '',
    body: { username: 'anna', password: secret, ...proof },
  });
const totp = (token: string, method: 'GET' | 'POST' | 'DELETE', body = {}) =>
  env.send(server, '/auth/totp', { method, token, ...(method === 'GET' ? {} : { body }) });
const reasonOf = (answer: ParsedResponse) => textAt(listAt(answer.json, 'details', 'causes')[0], 'reason');
const codeNow = (secret: string) => totpCode(secret, totpStepAt(clock.now()));
/** Advances the clock to the next time step, because the code of this step has not been used yet. */
const nextStep = () => clock.advance(30_000);

/** Sets up a second factor. Returns the secret of the app and the recovery codes. */
async function setUp(): Promise<{ secret: string; recoveryCodes: string[] }> {
  const token = textAt((await logIn()).json, 'accessKey');
  const begun = await totp(token, 'POST');
  expect(begun.code, begun.text).toBe(200);
  const secret = textAt(begun.json, 'secret');
  const done = await totp(token, 'POST', { setup: textAt(begun.json, 'setup'), code: codeNow(secret) });
  expect(done.code, done.text).toBe(201);
  nextStep();
  return { secret, recoveryCodes: listAt(done.json, 'recoveryCodes').map(String) };
}

describe('a second factor', () => {
  it('is asked for only after the right password, and opens the login', async () => {
    await start('optional');
    expect((await logIn()).code).toBe(201);
    const { secret } = await setUp();
    const missing = await logIn();
    expect([missing.code, reasonOf(missing)]).toEqual([401, 'SecondFactorRequired']);
    const wrong = [await logIn({ code: codeNow(secret) }, 'wrong password'), await logIn({ code: '000000' })];
    for (const answer of wrong) expect([answer.code, reasonOf(answer)]).toEqual([401, '']);
    const opened = await logIn({ code: codeNow(secret) });
    expect(opened.code, opened.text).toBe(201);
    nextStep();
    const page = new Browser(env, server);
    await page.signIn({ username: 'anna', password, code: codeNow(secret) });
    expect((await page.self(groupPath)).status).toMatchObject({ user: { name: 'anna' } });
  });

  it('accepts each code once, also an older one of the window, and also at the same time', async () => {
    await start('optional');
    const { secret } = await setUp();
    const code = codeNow(secret);
    const answers = await Promise.all([logIn({ code }), logIn({ code }), logIn({ code })]);
    expect(answers.map((answer) => answer.code).sort()).toEqual([201, 401, 401]);
    nextStep();
    expect((await logIn({ code })).code).toBe(401);
    expect((await logIn({ code: codeNow(secret) })).code).toBe(201);
  });

  it('has ten recovery codes that work once each', async () => {
    await start('optional');
    const { secret, recoveryCodes } = await setUp();
    expect(new Set(recoveryCodes).size).toBe(10);
    const [first = '', second = ''] = recoveryCodes;
    const opened = await logIn({ code: first });
    expect(opened.code, opened.text).toBe(201);
    expect((await logIn({ code: first })).code).toBe(401);
    expect((await logIn({ code: second.toUpperCase().replace('-', ' ') })).code).toBe(201);
    const state = await totp(textAt(opened.json, 'accessKey'), 'GET');
    expect(state.json).toEqual({ policy: 'optional', enabled: true, recoveryCodes: 8 });
    const user = await env.send(server, `${groupPath}/users/anna`);
    for (const hidden of [secret, first, second]) expect(user.text).not.toContain(hidden);
  });

  it('is slowed down for all addresses after a few wrong codes, even for right ones', async () => {
    await start('optional');
    const { secret } = await setUp();
    for (let index = 0; index < 6; index++) expect((await logIn({ code: '000000' })).code).toBe(401);
    expect((await logIn({ code: codeNow(secret) })).code).toBe(429);
    // A login without a code does not reset the count of wrong codes.
    clock.advance(1000);
    expect(reasonOf(await logIn())).toBe('SecondFactorRequired');
    expect((await logIn({ code: '000000' })).code).toBe(401);
    expect((await logIn({ code: codeNow(secret) })).code).toBe(429);
    clock.advance(10_000);
    expect((await logIn({ code: codeNow(secret) })).code).toBe(201);
  });

  it('is removed by its user with a code, and by an admin without one', async () => {
    await start('optional');
    const { secret, recoveryCodes } = await setUp();
    const token = textAt((await logIn({ code: codeNow(secret) })).json, 'accessKey');
    expect((await totp(token, 'DELETE')).code).toBe(403);
    expect((await totp(token, 'DELETE', { code: '000000' })).code).toBe(403);
    expect((await totp(token, 'DELETE', { code: recoveryCodes[0] ?? '' })).code).toBe(200);
    expect((await logIn()).code).toBe(201);
    await setUp();
    const removal = `${groupPath}/users/anna/removesecondfactor`;
    expect((await env.send(server, removal, { method: 'POST', token, body: {} })).code).toBe(403);
    const removed = await env.send(server, removal, { method: 'POST', body: {} });
    expect([removed.code, removed.json], removed.text).toEqual([
      201,
      expect.objectContaining({ status: { removed: true } }),
    ]);
    expect((await logIn()).code).toBe(201);
    expect((await env.send(server, removal, { method: 'POST', body: {} })).json).toMatchObject({
      status: { removed: false },
    });
  });

  it('needs a recent login and a key without a scope for every change', async () => {
    env.freshLoginSeconds = 900;
    await start('optional');
    const token = textAt((await logIn()).json, 'accessKey');
    clock.advance(901_000);
    const late = await totp(token, 'POST');
    expect([late.code, reasonOf(late)]).toEqual([403, 'FreshLoginRequired']);
    const scoped = await env.createObject(server, 'ownedaccesskeys', 'scoped', {
      user: 'anna',
      ttl: 600,
      scope: { projects: [{ project: '*' }] },
    });
    expect((await totp(textAt(scoped, 'spec', 'key'), 'GET')).code).toBe(403);
  });

  it('survives a change of the password', async () => {
    await start('optional');
    await setUp();
    await env.send(server, `${groupPath}/users/anna`, mergePatch({ spec: { password: 'another password' } }));
    expect(reasonOf(await logIn({}, 'another password'))).toBe('SecondFactorRequired');
  });
});

describe('a server that requires a second factor', () => {
  it('lets users without one set it up during the login, and only then opens it', async () => {
    await start('required');
    const begun = await logIn();
    expect([begun.code, reasonOf(begun)]).toEqual([401, 'SecondFactorSetupRequired']);
    const fields = Object.fromEntries(
      listAt(begun.json, 'details', 'causes').map((cause) => [textAt(cause, 'field'), textAt(cause, 'message')]),
    );
    const { secret = '', uri = '', setup = '' } = fields;
    expect(uri).toContain(`secret=${secret}`);
    expect((await logIn({ setup, code: '000000' })).code).toBe(401);
    const done = await logIn({ setup, code: codeNow(secret) });
    expect(done.code, done.text).toBe(201);
    expect(listAt(done.json, 'recoveryCodes')).toHaveLength(10);
    expect(reasonOf(await logIn())).toBe('SecondFactorRequired');
    nextStep();
    const token = textAt((await logIn({ code: codeNow(secret) })).json, 'accessKey');
    nextStep();
    expect((await totp(token, 'DELETE', { code: codeNow(secret) })).code).toBe(403);
  });

  it('refuses the setup of another user, an expired one, and one after another was completed', async () => {
    await start('required');
    await env.createObject(server, 'users', 'bob', { password });
    const begin = async (username: string) => {
      const body = { username, password };
      const answer = await env.send(server, '/auth/password/login', { method: 'POST', token: '', body });
      const causes = listAt(answer.json, 'details', 'causes');
      return Object.fromEntries(causes.map((cause) => [textAt(cause, 'field'), textAt(cause, 'message')]));
    };
    const bobs = await begin('bob');
    expect((await logIn({ setup: bobs.setup, code: codeNow(bobs.secret ?? '') })).code).toBe(401);
    const late = await begin('anna');
    clock.advance(15 * 60_000 + 1);
    expect((await logIn({ setup: late.setup, code: codeNow(late.secret ?? '') })).code).toBe(401);
    const [first, second] = [await begin('anna'), await begin('anna')];
    expect((await logIn({ setup: first.setup, code: codeNow(first.secret ?? '') })).code).toBe(201);
    expect((await logIn({ setup: second.setup, code: codeNow(second.secret ?? '') })).code).toBe(401);
  });
});

it('a server without second factors ignores those of its users', async () => {
  await start('optional');
  await setUp();
  await env.stop(server);
  server = await env.start(await env.settings({ auth: { password: { secondFactor: 'off' } } }), clock);
  const opened = await logIn();
  expect(opened.code).toBe(201);
  expect((await totp(textAt(opened.json, 'accessKey'), 'POST')).code).toBe(403);
});
