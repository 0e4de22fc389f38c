import { textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../lib/clock.ts';
import { groupPath, mergePatch, ServerTestEnv } from '../../server.fixture.ts';
import type { RunningServer } from '../../start-server.ts';

const password = 'correct horse battery';
const newPassword = 'a brand new password';

let env: ServerTestEnv;
let server: RunningServer;
beforeEach(async () => {
  env = await ServerTestEnv.open();
});
afterEach(() => env.close());

async function start(clock?: ManualClock, settings = {}): Promise<void> {
  server = await env.start(await env.settings(settings), clock);
  await env.createObject(server, 'users', 'anna', { password });
}

const issue = (body = {}, token?: string) =>
  env.send(server, `${groupPath}/users/anna/resetpassword`, {
    method: 'POST',
    body,
    ...(token === undefined ? {} : { token }),
  });
async function newLink(): Promise<string> {
  const answer = await issue();
  expect(answer.code, answer.text).toBe(201);
  return textAt(answer.json, 'status', 'url').split('#')[1] ?? '';
}
const reset = (token: string, secret = newPassword) =>
  env.send(server, '/auth/password/reset', { method: 'POST', token: '', body: { token, password: secret } });
const logIn = (secret: string) =>
  env.send(server, '/auth/password/login', { method: 'POST', token: '', body: { username: 'anna', password: secret } });
const whoAmI = (token: string) => env.send(server, `${groupPath}/selves`, { method: 'POST', token, body: {} });

describe('a reset link', () => {
  it('sets a new password once, and ends all logins of the user', async () => {
    await start();
    const login = textAt((await logIn(password)).json, 'accessKey');
    const token = await newLink();
    expect((await whoAmI(login)).code).toBe(201);
    const done = await reset(token);
    expect(done.code, done.text).toBe(200);
    expect((await whoAmI(login)).code).toBe(401);
    expect((await logIn(password)).code).toBe(401);
    expect((await logIn(newPassword)).code).toBe(201);
    const again = await reset(token, 'another password');
    expect([again.code, textAt(again.json, 'message')]).toEqual([
      403,
      expect.stringContaining('ask your administrator'),
    ]);
    expect((await logIn(newPassword)).code).toBe(201);
  });

  it('is an access key of the type Reset that expires after a day and authenticates no request', async () => {
    const clock = new ManualClock(Date.now());
    await start(clock);
    const token = await newLink();
    const [name = ''] = (await env.names(server, 'accesskeys')).filter((each) => each.startsWith('reset-'));
    const key = await env.send(server, `${groupPath}/accesskeys/${name}`);
    expect(key.json).toMatchObject({ spec: { type: 'Reset', user: 'anna', ttl: 24 * 3600, createdBy: 'admin' } });
    expect(key.text).not.toContain(token);
    expect((await whoAmI(token)).code).toBe(401);
    clock.advance(24 * 3600 * 1000);
    expect((await reset(token)).code).toBe(403);
    expect((await logIn(password)).code).toBe(201);
  });

  it('is invalid after a newer link, after another change of the password, and while the user is disabled', async () => {
    await start();
    const [older, newer] = [await newLink(), await newLink()];
    expect((await reset(older)).code).toBe(403);
    const user = `${groupPath}/users/anna`;
    await env.send(server, user, mergePatch({ spec: { disabled: true } }));
    expect((await reset(newer)).code).toBe(403);
    await env.send(server, user, mergePatch({ spec: { disabled: false } }));
    await env.send(server, user, mergePatch({ spec: { password: 'set by somebody' } }));
    expect((await reset(newer)).code).toBe(403);
    expect((await logIn('set by somebody')).code).toBe(201);
    expect((await env.names(server, 'accesskeys')).filter((name) => name.startsWith('reset-'))).toHaveLength(1);
  });

  it('stays valid after a password that breaks the rules, and works if the password is the old one', async () => {
    await start();
    const login = textAt((await logIn(password)).json, 'accessKey');
    const token = await newLink();
    const short = await reset(token, 'short');
    expect([short.code, short.text]).toEqual([422, expect.stringContaining('must be 8 to 1024 characters')]);
    expect((await whoAmI(login)).code).toBe(201);
    expect((await reset(token, password)).code).toBe(200);
    expect((await whoAmI(login)).code).toBe(401);
    expect((await reset(token)).code).toBe(403);
  });

  it('can be issued only by admins with a fresh login, for a lifetime within the limits', async () => {
    await start();
    const login = textAt((await logIn(password)).json, 'accessKey');
    expect((await issue({}, login)).code).toBe(403);
    for (const ttl of [59, 604_801]) {
      const answer = await issue({ spec: { ttl } });
      expect([answer.code, answer.text]).toEqual([422, expect.stringContaining('from 60 to 604800')]);
    }
    expect((await issue({ spec: { ttl: 60 } })).json).toMatchObject({ spec: { ttl: 60 } });
    const other = `${groupPath}/users/nobody/resetpassword`;
    expect((await env.send(server, other, { method: 'POST', body: {} })).code).toBe(404);
  });

  it('lets callers guess only a few times, and is audited without its value', async () => {
    await start(new ManualClock(Date.now()), { audit: { rules: [{ level: 'RequestResponse' }] } });
    const token = await newLink();
    const wrong = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;
    const codes: number[] = [];
    for (let index = 0; index < 8; index++) codes.push((await reset(wrong)).code);
    expect(codes).toEqual([403, 403, 403, 403, 403, 403, 429, 429]);
    expect((await reset(token)).code).toBe(200);
    const log = await env.read('audit.log');
    expect(log).not.toContain(token);
    expect(log).not.toContain(newPassword);
    const lines = log
      .split('\n')
      .filter((line) => line.includes('/auth/password/reset') && line.includes('ResponseComplete'));
    expect(lines.at(-1)).toMatch(/"username":"anna".*reset link \\"reset-[a-z0-9]+\\" of \\"anna\\"/);
  });

  it('needs passwords to be enabled', async () => {
    await start(undefined, { auth: { password: { enabled: false } } });
    const answer = await reset(await newLink());
    expect([answer.code, answer.text]).toEqual([403, expect.stringContaining('auth.password.enabled: false')]);
  });
});
