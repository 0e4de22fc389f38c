import { createHmac, generateKeyPairSync } from 'node:crypto';
import { textAt } from '@flotilla/json';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { groupPath } from '../server.fixture.ts';
import { ProviderTestEnv, queryOf, signedOutUri } from './oidc-provider.fixture.ts';

let env: ProviderTestEnv;
let clock: ManualClock;
/** The ID token of a sign-in to Grafana. */
let hint: string;
beforeAll(async () => {
  clock = new ManualClock(Date.now());
  env = await ProviderTestEnv.open(clock);
});
afterAll(() => env.close());
beforeEach(async () => {
  env.browser.cookie = '';
  await env.signIn();
  hint = textAt((await env.signInToGrafana()).json, 'id_token');
});

const ask = (parameters: Record<string, string>) => env.get(`/oidc/end-session?${queryOf(parameters)}`);

const isSignedIn = async () => (await env.browser.send('/auth/session')).code === 200;

async function expectRefusal(parameters: Record<string, string>, why: RegExp): Promise<void> {
  const { code, headers, text } = await ask(parameters);
  expect([code, headers.location, await isSignedIn()], text).toEqual([400, undefined, true]);
  expect(text).toMatch(why);
  expect(text).not.toContain('evil');
}

describe('the sign-out that an app requests', () => {
  it('is named in the discovery document', async () => {
    const { json } = await env.get('/oidc/.well-known/openid-configuration');
    expect(json.end_session_endpoint).toBe(`${env.issuer}/end-session`);
  });

  it('ends the login and the sessions of all apps in it, and returns to the app with its state', async () => {
    const { accessToken, refreshToken } = await env.signInToGrafana();
    expect((await env.userinfo(accessToken)).code).toBe(200);
    const request = { id_token_hint: hint, post_logout_redirect_uri: signedOutUri, state: 'a b&c' };
    const { code, headers } = await ask(request);
    expect([code, headers.location]).toEqual([303, `${signedOutUri}?state=a+b%26c`]);
    expect([headers['cache-control'], headers['referrer-policy']]).toEqual(['no-store', 'no-referrer']);
    expect(await isSignedIn()).toBe(false);
    expect((await env.userinfo(accessToken)).code).toBe(401);
    expect((await env.refresh(refreshToken)).code).toBe(400);
  });

  it('accepts a form, and an address with a query', async () => {
    const request = { id_token_hint: hint, post_logout_redirect_uri: 'https://grafana.test/out?tenant=1', state: 's' };
    const { code, headers } = await env.post('/oidc/end-session', { ...request, client_id: 'grafana' });
    expect([code, headers.location]).toEqual([303, 'https://grafana.test/out?tenant=1&state=s']);
    expect(await isSignedIn()).toBe(false);
  });

  it('shows a page if the app names no address', async () => {
    const { code, headers, text } = await ask({ id_token_hint: hint, state: 'ignored' });
    expect([code, headers.location]).toEqual([200, undefined]);
    expect(text).toContain('You signed out in Grafana');
    expect(await isSignedIn()).toBe(false);
  });

  it('accepts an ID token that has expired, and returns also if the login has already ended', async () => {
    clock.advance(3 * 3_600_000);
    const request = { id_token_hint: hint, post_logout_redirect_uri: signedOutUri };
    expect((await ask(request)).code).toBe(303);
    expect(await isSignedIn()).toBe(false);
    expect((await ask(request)).headers.location).toBe(signedOutUri);
  });

  it('ends only the login of the ID token, not that of the browser or of a later sign-in', async () => {
    const first = hint;
    env.browser.cookie = '';
    await env.signIn();
    expect((await ask({ id_token_hint: first })).code).toBe(200);
    expect(await isSignedIn()).toBe(true);
    expect((await env.userinfo((await env.signInToGrafana()).accessToken)).code).toBe(200);
  });

  it('does not redirect to addresses that are not registered character by character, and ends nothing', async () => {
    for (const uri of [
      'https://evil.test/',
      '//evil.test/',
      `${signedOutUri}/`,
      `${signedOutUri}?x=1`,
      `${signedOutUri}#x`,
      signedOutUri.replace('https:', 'http:'),
      signedOutUri.replace('grafana.test', 'grafana.test@evil.test'),
      signedOutUri.replace('grafana.test', 'grafana.test.evil.test'),
      signedOutUri.toUpperCase(),
      ` ${signedOutUri}`,
      `${signedOutUri}\r\nlocation: https://evil.test/`,
      'javascript:alert(1)',
      // These addresses are registered for the sign-in, or for another app.
      'https://grafana.test/login/generic_oauth',
      'https://argocd.test/signed-out',
    ])
      await expectRefusal({ id_token_hint: hint, post_logout_redirect_uri: uri }, /not registered for Grafana/);
  });

  it('is refused without an ID token, because any page could send the browser there', async () => {
    await expectRefusal({}, /sent no ID token/);
    await expectRefusal({ client_id: 'grafana', post_logout_redirect_uri: signedOutUri }, /sent no ID token/);
    await expectRefusal({ id_token_hint: '', post_logout_redirect_uri: signedOutUri }, /sent no ID token/);
  });

  it('is refused with an ID token of another app, or with a parameter that is set twice', async () => {
    await expectRefusal({ id_token_hint: hint, client_id: 'argocd' }, /issued to another app/);
    const twice = `${queryOf({ id_token_hint: hint, post_logout_redirect_uri: signedOutUri })}`;
    for (const added of [
      'post_logout_redirect_uri=https://evil.test/',
      `id_token_hint=${hint}`,
      'client_id=a&client_id=b',
    ]) {
      const { code, headers } = await env.get(`/oidc/end-session?${twice}&${added}`);
      expect([code, headers.location, await isSignedIn()], added).toEqual([400, undefined, true]);
    }
  });

  it('is refused with tokens that this provider did not issue as ID tokens', async () => {
    const [header = '', payload = '', signature = ''] = hint.split('.');
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString());
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwks = (await env.get('/oidc/jwks')).text;
    const symmetric = `${encoded({ alg: 'HS256', kid })}.${payload}`;
    const direct = await env.bench.send(env.server, `${groupPath}/directclusterendpointtokens`, {
      ...{ method: 'POST', body: { spec: {} } },
    });
    for (const [what, token] of Object.entries({
      garbage: 'a.b.c',
      'another user in the claims': `${header}.${encoded({ ...claims, sub: 'somebody' })}.${signature}`,
      'alg none': `${encoded({ alg: 'none', kid })}.${payload}.`,
      'HS256 with the public keys': `${symmetric}.${createHmac('sha256', jwks).update(symmetric).digest('base64url')}`,
      'a foreign key': await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey),
      'a token for direct endpoints': textAt(direct.json, 'status', 'token'),
      'a long text': 'x'.repeat(20_000),
    })) {
      expect(token, what).not.toBe('');
      const { code, headers } = await env.post('/oidc/end-session', {
        ...{ id_token_hint: token, post_logout_redirect_uri: signedOutUri },
      });
      expect([code, headers.location, await isSignedIn()], what).toEqual([400, undefined, true]);
    }
  });

  it('needs GET or POST: a check of the link must not end the login', async () => {
    const { statusCode } = await env.bench.request(env.server, `/oidc/end-session?id_token_hint=${hint}`, {
      ...{ method: 'HEAD', token: '' },
    });
    expect([statusCode, await isSignedIn()]).toEqual([405, true]);
  });

  it('is audited with the user and the app, without the ID token', async () => {
    await ask({ id_token_hint: hint });
    const log = await env.bench.read('audit.log');
    expect(log).toContain('logout requested by the app \\"grafana\\"');
    expect(log).not.toContain(hint);
    expect(log).not.toContain('id_token_hint');
    const line = log.split('\n').findLast((each) => each.includes('logout requested by the app')) ?? '{}';
    expect(textAt(JSON.parse(line), 'user', 'username')).toBe('anna');
  });
});
