import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Browser } from '../auth/browser.fixture.ts';
import { groupPath, mergePatch } from '../server.fixture.ts';
import {
  grafanaRequest,
  grafanaSecret,
  newProof,
  ProviderTestEnv,
  password,
  publicRedirectUri,
  queryOf,
} from './oidc-provider.fixture.ts';

let env: ProviderTestEnv;
beforeEach(async () => {
  env = await ProviderTestEnv.open();
});
afterEach(() => env.close());

const describeRequest = (request: Record<string, string>) =>
  env.browser.send(`/oidc/consent?${new URLSearchParams({ request: queryOf(request) })}`);
const argoRequest = () =>
  grafanaRequest(newProof(), { client_id: 'argocd', redirect_uri: 'https://argocd.test/auth/callback' });

describe('the console', () => {
  it('asks once per app, login and set of scopes', async () => {
    await env.signIn();
    const first = await describeRequest(grafanaRequest(newProof(), { scope: 'openid offline_access' }));
    expect(first.json).toEqual({
      app: { id: 'grafana', name: 'Grafana' },
      user: 'anna',
      mustConfirm: true,
      mustSignInAgain: false,
    });
    await env.signInToGrafana('openid offline_access');
    const asksAgain = async (changes: Record<string, string>) =>
      (await describeRequest(grafanaRequest(newProof(), changes))).json.mustConfirm;
    expect(await asksAgain({ scope: 'openid' })).toBe(false);
    expect(await asksAgain({ scope: 'openid', prompt: 'consent' })).toBe(true);
    expect(await asksAgain({ scope: 'openid groups' })).toBe(true);
    await env.signIn();
    expect(await asksAgain({ scope: 'openid' })).toBe(true);
  });

  it('returns to the app with an error if the user declines', async () => {
    await env.signIn();
    const answer = await env.consent(grafanaRequest(newProof()), 'deny');
    expect(textAt(answer.json, 'location')).toMatch(/\?error=access_denied&.*state=state-1&iss=/);
  });

  it('lets only members of the allowed teams in', async () => {
    await env.signIn();
    expect(textAt((await describeRequest(argoRequest())).json, 'refusal')).toMatch(/"anna" is in none of the teams/);
    const refused = await env.consent(argoRequest());
    expect([refused.code, refused.json.location]).toEqual([403, undefined]);
    await env.setTeam('platform', ['anna']);
    expect((await env.consent(argoRequest())).code).toBe(200);
  });

  it('answers only a browser session on its own origin', async () => {
    await env.signIn();
    const raw = new URLSearchParams({ request: queryOf(grafanaRequest(newProof())), decision: 'allow' }).toString();
    const call = { method: 'POST', raw, type: 'application/x-www-form-urlencoded' } as const;
    for (const changes of [{ 'x-flotilla-console': null }, { origin: 'https://evil.test' }, { origin: null }]) {
      expect((await env.browser.send('/oidc/consent', call, changes)).code).toBe(403);
    }
    expect((await env.browser.send('/oidc/consent', call, { cookie: null })).code).toBe(401);
    const bearer = await env.bench.send(env.server, '/oidc/consent', { ...call, token: env.browser.cookie });
    expect([bearer.code, bearer.text]).toEqual([403, expect.stringContaining('no session cookie')]);
  });

  it('refuses logins that were opened with an access key, with or without a scope', async () => {
    const scope = { projects: [{ project: 'default' }] };
    for (const [name, spec] of [
      ['whole', { user: 'anna' }],
      ['narrow', { user: 'anna', scope }],
    ] as const) {
      const accessKey = await env.bench.createKey(env.server, name, spec);
      const browser = new Browser(env.bench, env.server);
      await browser.signIn({ accessKey });
      env.browser = browser;
      const answer = await env.consent(grafanaRequest(newProof()));
      expect([answer.code, answer.json.location]).toEqual([403, undefined]);
    }
  });
});

describe('a session at an app', () => {
  it('ends at once with the login, the password, the user and the membership', async () => {
    const ends: Record<string, () => Promise<unknown>> = {
      'sign-out': () => env.browser.signOut(),
      'new password': () =>
        env.bench.send(env.server, `${groupPath}/users/anna`, mergePatch({ spec: { password: `${password}2` } })),
    };
    let current = password;
    for (const [cause, end] of Object.entries(ends)) {
      await env.browser.signIn({ username: 'anna', password: current });
      const { accessToken, refreshToken } = await env.signInToGrafana();
      expect((await env.userinfo(accessToken)).code).toBe(200);
      await end();
      expect((await env.userinfo(accessToken)).code, cause).toBe(401);
      expect((await env.refresh(refreshToken)).code, cause).toBe(400);
      if (cause === 'new password') current = `${password}2`;
    }
  });

  it('ends when the user leaves the allowed teams, and has the groups of the moment before that', async () => {
    await env.setTeam('platform', ['anna']);
    await env.setTeam('shop', ['anna']);
    await env.signIn();
    const { accessToken, refreshToken, idToken } = await env.signInToGrafana();
    expect(idToken.groups).toEqual(['platform', 'shop']);
    await env.setTeam('shop', []);
    expect((await env.userinfo(accessToken)).json.groups).toEqual(['platform']);
    expect((await env.refresh(refreshToken)).idToken.groups).toEqual(['platform']);
  });

  it('is an access key that its user sees and can delete, and that no request can use', async () => {
    await env.signIn();
    const { refreshToken, accessToken } = await env.signInToGrafana();
    const [session] = await env.sessions();
    expect(session).toMatchObject({
      spec: {
        type: 'OIDCRefreshToken',
        user: 'anna',
        displayName: 'Sign-in to Grafana',
        oidcProvider: { clientId: 'grafana', nonce: 'nonce-1', scopes: expect.stringContaining('offline_access') },
      },
    });
    expect(JSON.stringify(session)).not.toContain(refreshToken);
    const name = textAt(session, 'metadata', 'name');
    const value = 'a-value-that-a-user-has-chosen-0123456789';
    await env.browser.send(`${groupPath}/ownedaccesskeys/${name}`, mergePatch({ spec: { key: value } }));
    expect((await env.bench.send(env.server, `${groupPath}/projects`, { token: value })).code).toBe(401);
    expect((await env.browser.send(`${groupPath}/ownedaccesskeys/${name}`, { method: 'DELETE' })).code).toBe(200);
    expect((await env.userinfo(accessToken)).code).toBe(401);
  });

  it('is limited in number per user and app', async () => {
    await env.signIn();
    const first = await env.signInToGrafana();
    for (let count = 0; count < 20; count++) await env.signInToGrafana('openid');
    expect((await env.sessions()).length).toBe(20);
    expect((await env.userinfo(first.accessToken)).code).toBe(401);
  });

  it('is in the audit log with the user and the app at each step', async () => {
    await env.signIn();
    const { refreshToken } = await env.signInToGrafana();
    await env.refresh(refreshToken);
    await env.refresh(refreshToken);
    const lines = (await readFile(env.bench.file('audit.log'), 'utf8')).trim().split('\n');
    const events = lines.map((line) => JSON.parse(line)).filter(({ stage }) => stage === 'ResponseComplete');
    const steps = events.filter(({ requestURI }) => String(requestURI).startsWith('/oidc/'));
    const described = steps.map(({ requestURI, user, responseStatus, decision }) => [
      requestURI,
      user?.username,
      responseStatus?.code,
      decision?.reason,
    ]);
    expect(described).toEqual([
      ['/oidc/consent', 'anna', 200, 'sign-in to the app "grafana"'],
      ['/oidc/token', 'anna', 200, 'request of the app "grafana": authorization_code'],
      ['/oidc/token', 'anna', 200, 'request of the app "grafana": refresh_token'],
      [
        '/oidc/token',
        undefined,
        400,
        expect.stringMatching(/the refresh token was used before.*"anna", session "app-/),
      ],
    ]);
    expect(lines.join('\n')).not.toContain(refreshToken);
    expect(lines.join('\n')).not.toContain(grafanaSecret);
  });
});

describe('the secret of an app', () => {
  const wrong = { client_id: 'grafana', client_secret: 'wrong', grant_type: 'refresh_token', refresh_token: 'x' };

  it('is required, in one place, and a wrong one must wait after several failures', async () => {
    for (const form of [wrong, { ...wrong, client_secret: '' }, { ...wrong, client_id: 'cli' }]) {
      const { code, json } = await env.post('/oidc/token', form);
      expect([code, textAt(json, 'error')]).toEqual([401, 'invalid_client']);
    }
    const basic = `Basic ${Buffer.from(`grafana:${grafanaSecret}`).toString('base64')}`;
    const both = await env.post('/oidc/token', wrong, { authorization: basic });
    expect(textAt(both.json, 'error')).toBe('invalid_request');
    const form = { grant_type: 'refresh_token', refresh_token: 'x' };
    expect(textAt((await env.post('/oidc/token', form, { authorization: basic })).json, 'error')).toBe('invalid_grant');
    const codes: number[] = [];
    for (let count = 0; count < 8; count++) codes.push((await env.post('/oidc/token', wrong)).code);
    expect(codes).toContain(429);
    // Failures of other callers do not block the app.
    expect((await env.post('/oidc/token', form, { authorization: basic })).code).toBe(400);
  });

  it('can be replaced while the server runs', async () => {
    const next = 'another-grafana-secret-for-tests-only-987654321';
    await writeFile(join(env.bench.root, 'grafana.secret'), next);
    expect((await env.refresh('x')).code).toBe(401);
    expect((await env.refresh('x', { client_id: 'grafana', client_secret: next })).code).toBe(400);
  });

  it('is not needed by a public client, which proves itself with PKCE', async () => {
    await env.signIn();
    const proof = newProof();
    const request = grafanaRequest(proof, { client_id: 'cli', redirect_uri: publicRedirectUri });
    const code = (await env.approve(request)).get('code') ?? '';
    const changes = { client_id: 'cli', redirect_uri: publicRedirectUri };
    const tokens = await env.exchange(code, proof.verifier, changes);
    expect([tokens.code, tokens.idToken.aud]).toEqual([200, 'cli']);
    expect((await env.refresh(tokens.refreshToken, { client_id: 'cli' })).code).toBe(200);
  });
});
