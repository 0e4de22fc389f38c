import { readFile } from 'node:fs/promises';
import { textAt } from '@flotilla/json';
import * as client from 'openid-client';
import { Agent, fetch as undiciFetch } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { groupPath, mergePatch } from '../server.fixture.ts';
import { allScopes, grafanaSecret, ProviderTestEnv, redirectUri } from './oidc-provider.fixture.ts';

let env: ProviderTestEnv;
let agent: Agent;
let config: client.Configuration;

beforeEach(async () => {
  env = await ProviderTestEnv.open();
  agent = new Agent({ connect: { ca: await readFile(env.bench.file('ca.crt'), 'utf8') } });
  const customFetch: client.CustomFetch = async (url, options) => {
    const { method, headers, body, redirect } = options;
    const sent = body === undefined || body === null ? {} : { body: String(body) };
    const response = await undiciFetch(url, {
      ...{ method, headers, redirect, ...sent },
      dispatcher: agent,
    });
    return new Response(await response.text(), {
      status: response.status,
      headers: Object.fromEntries(response.headers),
    });
  };
  config = await client.discovery(new URL(env.issuer), 'grafana', grafanaSecret, undefined, {
    [client.customFetch]: customFetch,
  });
  config[client.customFetch] = customFetch;
});
afterEach(async () => {
  await agent.destroy();
  await env.close();
});

/** Signs anna in with the certified client as the app. */
async function signIn(): Promise<{ tokens: client.TokenEndpointResponse & client.TokenEndpointResponseHelpers }> {
  const [pkceCodeVerifier, expectedNonce, expectedState] = [
    client.randomPKCECodeVerifier(),
    client.randomNonce(),
    client.randomState(),
  ];
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: allScopes,
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  const entered = await env.get(`${url.pathname}${url.search}`);
  expect(entered.code).toBe(303);
  const page = new URL(String(entered.headers.location), env.server.url);
  expect(page.pathname).toBe('/authorize-app');
  const raw = new URLSearchParams({ request: page.search.slice(1), decision: 'allow' }).toString();
  const type = 'application/x-www-form-urlencoded';
  const answer = await env.browser.send('/oidc/consent', { method: 'POST', raw, type });
  const returned = new URL(textAt(answer.json, 'location'));
  const tokens = await client.authorizationCodeGrant(config, returned, {
    ...{ pkceCodeVerifier, expectedNonce, expectedState },
    idTokenExpected: true,
    maxAge: 600,
  });
  return { tokens };
}

describe('the certified client openid-client as an app', () => {
  it('signs a user in, reads userinfo, refreshes and revokes', async () => {
    await env.setTeam('platform', ['anna']);
    await env.signIn();
    const { tokens } = await signIn();
    const claims = tokens.claims();
    expect(claims).toMatchObject({
      iss: env.issuer,
      aud: 'grafana',
      name: 'Anna Able',
      preferred_username: 'anna',
      email: 'anna@acme.test',
      email_verified: false,
      groups: ['platform'],
    });
    const info = await client.fetchUserInfo(config, tokens.access_token, claims?.sub ?? '');
    expect(info).toMatchObject({ sub: claims?.sub, groups: ['platform'] });

    await env.setTeam('platform', []);
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(refreshed.claims()).toMatchObject({ sub: claims?.sub, groups: [] });
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);

    await client.tokenRevocation(config, refreshed.refresh_token ?? '');
    await expect(client.fetchUserInfo(config, refreshed.access_token, client.skipSubjectCheck)).rejects.toThrow();
    await expect(client.refreshTokenGrant(config, refreshed.refresh_token ?? '')).rejects.toThrow();
  });

  it('verifies ID tokens before and after a rotation of the signing key', async () => {
    await env.signIn();
    const before = (await signIn()).tokens.id_token ?? '';
    const rotated = await env.bench.send(env.server, '/auth/signing-keys', { method: 'POST' });
    expect(rotated.code).toBe(201);
    const after = (await signIn()).tokens.id_token ?? '';
    const { keys } = JSON.parse((await env.get('/oidc/jwks')).text) as { keys: { kid: string }[] };
    const kidOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
    expect(kidOf(before)).not.toBe(kidOf(after));
    expect(keys.map(({ kid }) => kid)).toEqual([kidOf(after), kidOf(before)]);
  });

  it('gets no more tokens for a user who is disabled', async () => {
    await env.signIn();
    const { tokens } = await signIn();
    await env.bench.send(env.server, `${groupPath}/users/anna`, mergePatch({ spec: { disabled: true } }));
    await expect(client.fetchUserInfo(config, tokens.access_token, client.skipSubjectCheck)).rejects.toThrow();
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toThrow();
  });
});
