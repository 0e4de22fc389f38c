import { textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { groupPath, ServerTestEnv } from '../../server.fixture.ts';
import type { RunningServer } from '../../start-server.ts';
import { Browser } from '../browser.fixture.ts';

const password = 'correct horse battery';

let env: ServerTestEnv;
beforeEach(async () => {
  env = await ServerTestEnv.open();
});
afterEach(() => env.close());

async function start(enabled: boolean): Promise<RunningServer> {
  const server = await env.start(await env.settings({ auth: { password: { enabled } } }));
  await env.createObject(server, 'users', 'anna', { password });
  return server;
}

describe('auth.password.enabled', () => {
  it('is true by default, and the methods of the server say so to everybody', async () => {
    const server = await env.start({});
    const methods = await env.send(server, '/auth/methods', { token: '' });
    expect([methods.code, methods.json]).toEqual([200, { password: true, connectors: [] }]);
    expect((await env.send(server, '/auth/methods', { method: 'POST', token: '', body: {} })).code).toBe(405);
  });

  it('refuses right and wrong passwords alike if it is false, and names the setting and the way in', async () => {
    const server = await start(false);
    expect((await env.send(server, '/auth/methods', { token: '' })).json).toMatchObject({ password: false });
    const logIn = (secret: string) =>
      env.send(server, '/auth/password/login', {
        method: 'POST',
        token: '',
        body: { username: 'anna', password: secret },
      });
    const [right, wrong] = [await logIn(password), await logIn('wrong')];
    expect(right.code, right.text).toBe(403);
    expect(right.text).toBe(wrong.text);
    expect(textAt(right.json, 'message')).toMatch(/auth\.password\.enabled: false.*single sign-on.*admin\.key/);
    const page = new Browser(env, server);
    const body = { username: 'anna', password };
    expect((await page.send('/auth/session', { method: 'POST', body })).code).toBe(403);
    expect(page.cookie).toBe('');
  });

  it('still lets access keys log in, so that the administrator gets back in', async () => {
    const server = await start(false);
    const page = new Browser(env, server);
    await page.signIn({ accessKey: await env.adminKey() });
    expect((await page.self(groupPath)).status).toMatchObject({ user: { name: 'admin' } });
  });
});
