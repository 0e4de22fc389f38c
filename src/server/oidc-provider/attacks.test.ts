import { createHmac } from 'node:crypto';
import { textAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groupPath } from '../server.fixture.ts';
import { allScopes, grafanaRequest, newProof, ProviderTestEnv, queryOf, redirectUri } from './oidc-provider.fixture.ts';

let env: ProviderTestEnv;
beforeAll(async () => {
  env = await ProviderTestEnv.open();
  await env.signIn();
});
afterAll(() => env.close());

const authorize = (request: Parameters<typeof queryOf>[0]) => env.get(`/oidc/authorize?${queryOf(request)}`);

/** Returns the error that the browser takes back to the app. */
async function returnedError(changes: Record<string, string>): Promise<string> {
  const { code, headers } = await authorize(grafanaRequest(newProof(), changes));
  const location = new URL(String(headers.location));
  expect([code, `${location.origin}${location.pathname}`]).toEqual([303, redirectUri]);
  expect([location.searchParams.get('state'), location.searchParams.get('iss')]).toEqual(['state-1', env.issuer]);
  expect(location.searchParams.has('code')).toBe(false);
  return location.searchParams.get('error') ?? '';
}

describe('the authorization endpoint', () => {
  it('passes a valid request to the console with the parameters it knows', async () => {
    const request = grafanaRequest(newProof());
    const { code, headers } = await authorize({ ...request, other: 'x' });
    expect([code, headers.location]).toEqual([303, `/authorize-app?${queryOf(request)}`]);
  });

  it('accepts a request in the body of a form', async () => {
    const request = grafanaRequest(newProof());
    const { code, headers } = await env.post('/oidc/authorize', request);
    expect([code, headers.location]).toEqual([303, `/authorize-app?${queryOf(request)}`]);
  });

  it('shows a page and never redirects for redirect URIs that are not registered character by character', async () => {
    const lookAlikes = [
      '',
      'https://evil.test/',
      `${redirectUri}/`,
      `${redirectUri}?x=1`,
      `${redirectUri}#x`,
      `${redirectUri}/../login/generic_oauth`,
      redirectUri.replace('https:', 'http:'),
      redirectUri.replace('grafana.test', 'GRAFANA.test'),
      redirectUri.replace('grafana.test', 'grafana.test:443'),
      redirectUri.replace('grafana.test', 'grafana.test.'),
      redirectUri.replace('grafana.test', 'grafana.test@evil.test'),
      redirectUri.replace('grafana.test', 'grafana.test.evil.test'),
      redirectUri.replace('grafana.test', 'grаfana.test'),
      redirectUri.replace('generic', 'generic%5F'),
      redirectUri.replace('/login', '//login'),
      `${redirectUri}%00`,
      ` ${redirectUri}`,
      'https://argocd.test/auth/callback',
      'javascript:alert(1)',
    ];
    for (const uri of lookAlikes) {
      const { code, headers, text } = await authorize(grafanaRequest(newProof(), { redirect_uri: uri }));
      expect([code, headers.location], uri).toEqual([400, undefined]);
      expect(headers['content-type']).toMatch(/^text\/html/);
      expect(text).not.toContain('evil');
      const asked = await env.consent(grafanaRequest(newProof(), { redirect_uri: uri }));
      expect([asked.code, asked.json.location], uri).toEqual([400, undefined]);
    }
  });

  it('shows a page for unknown clients, repeated clients and redirect URIs, and huge requests', async () => {
    const request = grafanaRequest(newProof());
    const huge = queryOf({ ...request, state: 'x'.repeat(9_000) });
    for (const query of [
      queryOf({ ...request, client_id: 'nobody' }),
      queryOf({ ...request, client_id: '__proto__' }),
      `${queryOf(request)}&client_id=cli`,
      `${queryOf(request)}&redirect_uri=https://evil.test/`,
      huge,
      '',
    ]) {
      const { code, headers } = await env.get(`/oidc/authorize?${query}`);
      expect([code, headers.location], query.slice(0, 80)).toEqual([400, undefined]);
    }
  });

  it('returns errors of all other parameters to the app', async () => {
    expect(await returnedError({ response_type: 'token' })).toBe('unsupported_response_type');
    expect(await returnedError({ response_type: 'code id_token' })).toBe('unsupported_response_type');
    expect(await returnedError({ response_mode: 'fragment' })).toBe('invalid_request');
    expect(await returnedError({ response_mode: 'form_post' })).toBe('invalid_request');
    expect(await returnedError({ scope: 'profile' })).toBe('invalid_scope');
    expect(await returnedError({ code_challenge: '' })).toBe('invalid_request');
    expect(await returnedError({ code_challenge: 'short' })).toBe('invalid_request');
    expect(await returnedError({ code_challenge_method: 'plain' })).toBe('invalid_request');
    expect(await returnedError({ code_challenge_method: '' })).toBe('invalid_request');
    expect(await returnedError({ request: 'eyJhbGciOiJub25lIn0..' })).toBe('request_not_supported');
    expect(await returnedError({ request_uri: 'https://evil.test/request' })).toBe('request_uri_not_supported');
    expect(await returnedError({ registration: '{}' })).toBe('registration_not_supported');
    expect(await returnedError({ prompt: 'none' })).toBe('login_required');
    expect(await returnedError({ prompt: 'none login' })).toBe('invalid_request');
    expect(await returnedError({ max_age: 'soon' })).toBe('invalid_request');
    expect(await returnedError({ nonce: 'n'.repeat(600) })).toBe('invalid_request');
  });

  it('keeps the query of a registered redirect URI', async () => {
    const uri = 'https://grafana.test/other?tenant=1';
    const { headers } = await authorize(grafanaRequest(newProof(), { redirect_uri: uri, scope: 'x' }));
    expect(String(headers.location)).toMatch(/^https:\/\/grafana\.test\/other\?tenant=1&error=invalid_scope&/);
  });
});

describe('an authorization code', () => {
  const code = async (proof: { challenge: string }, changes: Record<string, string> = {}) =>
    (await env.approve(grafanaRequest(proof, changes))).get('code') ?? '';

  it('needs the code verifier of its request', async () => {
    const proof = newProof();
    const value = await code(proof);
    for (const verifier of ['', proof.challenge, newProof().verifier, 'x'.repeat(5_000)]) {
      const { code: status, json } = await env.exchange(value, verifier);
      expect(status).toBe(400);
      expect(textAt(json, 'error')).toBe(verifier === '' ? 'invalid_request' : 'invalid_grant');
    }
    expect((await env.exchange(value, proof.verifier)).code).toBe(200);
  });

  it('works once, and another use ends the session that it has opened', async () => {
    const proof = newProof();
    const value = await code(proof);
    const first = await env.exchange(value, proof.verifier);
    expect((await env.userinfo(first.accessToken)).code).toBe(200);
    const again = await env.exchange(value, proof.verifier);
    expect([again.code, textAt(again.json, 'error')]).toEqual([400, 'invalid_grant']);
    expect((await env.userinfo(first.accessToken)).code).toBe(401);
    expect((await env.refresh(first.refreshToken)).code).toBe(400);
    expect((await env.exchange(value, proof.verifier)).code).toBe(400);
  });

  it('opens at most one session if it is used several times at once', async () => {
    const proof = newProof();
    const value = await code(proof);
    const answers = await Promise.all(Array.from({ length: 5 }, () => env.exchange(value, proof.verifier)));
    const opened = answers.filter((answer) => answer.code === 200);
    expect(opened.length).toBeLessThanOrEqual(1);
    for (const { accessToken } of opened) expect((await env.userinfo(accessToken)).code).toBe(401);
  });

  it('is refused for another client or another redirect URI', async () => {
    const proof = newProof();
    const value = await code(proof);
    expect((await env.exchange(value, proof.verifier, { client_id: 'cli' })).code).toBe(400);
    expect(
      (await env.exchange(value, proof.verifier, { redirect_uri: 'https://grafana.test/other?tenant=1' })).code,
    ).toBe(400);
    expect((await env.exchange(`${value}x`, proof.verifier)).code).toBe(400);
    expect((await env.exchange(value, proof.verifier)).code).toBe(200);
  });
});

describe('a refresh token', () => {
  it('is replaced by each use, and the use of an old one ends the session', async () => {
    const first = await env.signInToGrafana();
    const second = await env.refresh(first.refreshToken);
    expect([second.code, second.idToken.sub]).toEqual([200, first.idToken.sub]);
    expect(second.idToken.nonce).toBeUndefined();
    const reused = await env.refresh(first.refreshToken);
    expect([reused.code, textAt(reused.json, 'error')]).toEqual([400, 'invalid_grant']);
    expect((await env.refresh(second.refreshToken)).code).toBe(400);
    expect((await env.userinfo(second.accessToken)).code).toBe(401);
  });

  it('is useless for another client, with more scopes, and if it was invented', async () => {
    const { refreshToken, accessToken } = await env.signInToGrafana('openid offline_access');
    expect((await env.refresh(refreshToken, { client_id: 'cli' })).code).toBe(400);
    expect(textAt((await env.refresh(refreshToken, { scope: 'openid groups' })).json, 'error')).toBe('invalid_scope');
    const [session = ''] = refreshToken.split('.');
    for (const invented of [accessToken, session, `${session}.aaaa.${'a'.repeat(43)}`, 'x'.repeat(10_000)]) {
      expect((await env.refresh(invented)).code, invented.slice(0, 80)).toBe(400);
    }
    // None of the requests above has ended the session.
    expect((await env.refresh(refreshToken)).code).toBe(200);
  });

  it('is issued only if the app requests offline_access', async () => {
    const { json } = await env.signInToGrafana('openid');
    expect(json.refresh_token).toBeUndefined();
  });
});

describe('the tokens of an app', () => {
  it('are not credentials at the API', async () => {
    const { accessToken, refreshToken, json } = await env.signInToGrafana();
    for (const token of [accessToken, refreshToken, textAt(json, 'id_token')]) {
      for (const path of [`${groupPath}/projects`, '/metrics', '/kubernetes/cluster/local/api']) {
        expect((await env.bench.send(env.server, path, { token })).code).toBe(401);
      }
    }
  });

  it('reveal no more than the scopes permit', async () => {
    const { accessToken, idToken } = await env.signInToGrafana('openid');
    expect(Object.keys((await env.userinfo(accessToken)).json)).toEqual(['sub']);
    for (const claim of ['name', 'email', 'groups']) expect(idToken[claim]).toBeUndefined();
  });

  it('are accepted by userinfo only if this installation issued them as access tokens', async () => {
    const { accessToken, refreshToken, json } = await env.signInToGrafana();
    const [session = '', end = ''] = accessToken.split('.');
    const forged = createHmac('sha256', '').update(`${session}.${end}`).digest('base64url');
    const header = Buffer.from('{"alg":"none"}').toString('base64url');
    const later = `${session}.${(Number.parseInt(end, 36) + 1e9).toString(36)}.${accessToken.split('.')[2]}`;
    for (const token of [
      refreshToken,
      textAt(json, 'id_token'),
      `${session}.${end}.${forged}`,
      `${header}.${textAt(json, 'id_token').split('.')[1]}.`,
      later,
    ]) {
      const { code, headers } = await env.userinfo(token);
      expect([code, headers['www-authenticate']]).toEqual([401, 'Bearer error="invalid_token"']);
    }
    expect((await env.get('/oidc/userinfo')).code).toBe(401);
    expect((await env.get(`/oidc/userinfo?access_token=${accessToken}`)).code).toBe(401);
  });

  it('are signed with ES256 by a key of the JWKS, which has no private or symmetric keys', async () => {
    const { json } = await env.signInToGrafana();
    const header = JSON.parse(Buffer.from(textAt(json, 'id_token').split('.')[0] ?? '', 'base64url').toString());
    expect(header).toMatchObject({ alg: 'ES256', typ: 'JWT' });
    const { keys } = JSON.parse((await env.get('/oidc/jwks')).text);
    expect(keys).toEqual([expect.objectContaining({ kid: header.kid, kty: 'EC', alg: 'ES256' })]);
    expect(keys[0]).not.toHaveProperty('d');
  });
});

describe('the endpoints for apps', () => {
  it('refuse wrong methods, bodies and repeated parameters', async () => {
    for (const path of ['/oidc/token', '/oidc/revoke']) expect((await env.get(path)).code).toBe(405);
    const { token } = { token: '/oidc/token' };
    const twice = 'client_id=cli&client_id=grafana&grant_type=refresh_token';
    expect(textAt((await env.post(token, twice)).json, 'error')).toBe('invalid_request');
    const json = await env.bench.send(env.server, token, { method: 'POST', token: '', body: { client_id: 'cli' } });
    expect([json.code, textAt(json.json, 'error')]).toEqual([400, 'invalid_request']);
    expect((await env.post(token, { client_id: 'x'.repeat(20_000) })).code).toBe(413);
    expect(textAt((await env.token({ grant_type: 'password' })).json, 'error')).toBe('unsupported_grant_type');
    expect(textAt((await env.token({})).json, 'error')).toBe('invalid_request');
  });

  it('allow no other origin to read their responses', async () => {
    const headers = { origin: 'https://evil.test' };
    for (const path of ['/oidc/.well-known/openid-configuration', '/oidc/jwks', '/oidc/userinfo']) {
      const answer = await env.get(path, headers);
      expect(answer.headers['access-control-allow-origin'], path).toBeUndefined();
    }
    const preflight = await env.bench.request(env.server, '/oidc/token', { method: 'OPTIONS', token: '' }, headers);
    expect([preflight.statusCode, preflight.headers['access-control-allow-origin']]).toEqual([405, undefined]);
    await preflight.body.dump();
  });

  it('never let a response with tokens be cached', async () => {
    const { headers } = await env.post('/oidc/token', { client_id: 'cli', grant_type: 'refresh_token' });
    expect(headers['cache-control']).toBe('no-store');
    const { json } = await env.signInToGrafana(allScopes);
    expect(json.token_type).toBe('Bearer');
  });
});
