import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { ReplicasTestEnv } from '../replicas.fixture.ts';
import { grafanaRequest, newProof, ProviderTestEnv, providerFlags } from './oidc-provider.fixture.ts';

let replicas: ReplicasTestEnv;
let first: ProviderTestEnv;
let second: ProviderTestEnv;
beforeEach(async () => {
  replicas = await ReplicasTestEnv.open(systemClock, providerFlags);
  first = new ProviderTestEnv(replicas.first.bench, replicas.first.server);
  second = new ProviderTestEnv(replicas.second.bench, replicas.second.server);
  await first.createAnna();
  await first.signIn();
});
afterEach(() => replicas.close());

describe('a sign-in to an app through several replicas', () => {
  it('can use another replica for each step', async () => {
    const proof = newProof();
    const code = (await first.approve(grafanaRequest(proof))).get('code') ?? '';
    const tokens = await second.exchange(code, proof.verifier);
    expect(tokens.code, tokens.text).toBe(200);
    expect((await first.userinfo(tokens.accessToken)).code).toBe(200);
    let { refreshToken } = tokens;
    for (const replica of [first, second, first, second]) {
      const refreshed = await replica.refresh(refreshToken);
      expect(refreshed.code, refreshed.text).toBe(200);
      refreshToken = refreshed.refreshToken;
    }
    await first.browser.signOut();
    expect((await second.refresh(refreshToken)).code).toBe(400);
  });

  it('opens at most one session if both replicas get the code, and none that lasts', async () => {
    const proof = newProof();
    const code = (await first.approve(grafanaRequest(proof))).get('code') ?? '';
    const answers = await Promise.all([first, second].map((replica) => replica.exchange(code, proof.verifier)));
    const opened = answers.filter((answer) => answer.code === 200);
    expect(opened.length).toBeLessThanOrEqual(1);
    for (const { refreshToken } of opened) expect((await first.refresh(refreshToken)).code).toBe(400);
    expect(await first.sessions()).toEqual([]);
  });

  it('ends a session whose refresh token both replicas get', async () => {
    const { refreshToken } = await first.signInToGrafana();
    const answers = await Promise.all([first, second].map((replica) => replica.refresh(refreshToken)));
    expect(answers.filter(({ code }) => code === 200).length).toBeLessThanOrEqual(1);
    for (const { refreshToken: next } of answers) expect((await second.refresh(next)).code).toBe(400);
    expect(await second.sessions()).toEqual([]);
  });
});
