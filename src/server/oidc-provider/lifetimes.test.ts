import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { grafanaRequest, newProof, ProviderTestEnv, queryOf } from './oidc-provider.fixture.ts';

let clock: ManualClock;
let env: ProviderTestEnv;
beforeEach(async () => {
  clock = new ManualClock();
  env = await ProviderTestEnv.open(clock);
  await env.signIn();
});
afterEach(() => env.close());

const describeRequest = async (changes: Record<string, string>) =>
  (
    await env.browser.send(
      `/oidc/consent?${new URLSearchParams({ request: queryOf(grafanaRequest(newProof(), changes)) })}`,
    )
  ).json;

describe('the lifetime', () => {
  it('of an authorization code is a minute', async () => {
    const proof = newProof();
    const code = async () => (await env.approve(grafanaRequest(proof))).get('code') ?? '';
    const [early, late] = [await code(), await code()];
    clock.advance(59_999);
    expect((await env.exchange(early, proof.verifier)).code).toBe(200);
    clock.advance(1);
    expect((await env.exchange(late, proof.verifier)).code).toBe(400);
    // Presenting the code a second time counts as a replay, even though the code has expired in the meantime.
    const again = await env.exchange(early, proof.verifier);
    expect(again.text).toMatch(/was used before/);
  });

  it('of access tokens is tokenTTL, of refresh tokens refreshTTL, and neither is extended by a refresh', async () => {
    const first = await env.signInToGrafana();
    expect(first.json.expires_in).toBe(600);
    clock.advance(599_000);
    expect((await env.userinfo(first.accessToken)).code).toBe(200);
    clock.advance(1_000);
    expect((await env.userinfo(first.accessToken)).code).toBe(401);
    clock.advance(2_900_000);
    const second = await env.refresh(first.refreshToken);
    // Tokens expire with the session at the latest. The session lasts an hour, of which 100 seconds are left.
    expect([second.code, second.json.expires_in]).toEqual([200, 100]);
    clock.advance(100_000);
    expect((await env.userinfo(second.accessToken)).code).toBe(401);
    expect((await env.refresh(second.refreshToken)).code).toBe(400);
  });

  it('of a login is limited by max_age and prompt=login', async () => {
    clock.advance(30_000);
    expect((await describeRequest({ prompt: 'login' })).mustSignInAgain).toBe(false);
    clock.advance(60_000);
    expect((await describeRequest({ prompt: 'login' })).mustSignInAgain).toBe(true);
    expect((await describeRequest({ max_age: '3600' })).mustSignInAgain).toBe(false);
    expect((await describeRequest({ max_age: '0' })).mustSignInAgain).toBe(true);
    expect((await env.consent(grafanaRequest(newProof(), { max_age: '60' }))).code).toBe(403);
    await env.signIn();
    expect((await env.consent(grafanaRequest(newProof(), { max_age: '60' }))).code).toBe(200);
  });

  it('of a login is not renewed by another login that its key opens', async () => {
    clock.advance(90_000);
    await env.browser.signIn({ accessKey: env.browser.cookie });
    expect((await describeRequest({ prompt: 'login' })).mustSignInAgain).toBe(true);
    expect((await env.consent(grafanaRequest(newProof(), { max_age: '60' }))).code).toBe(403);
  });
});
