import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CodeFlow } from './code-flow.ts';
import { OidcProviderFixture } from './oidc-provider.fixture.ts';
import type { WebClient } from './web-client.ts';

describe('the provider of the tests', () => {
  let provider: OidcProviderFixture;
  let flow: CodeFlow;
  let browser: WebClient;

  beforeEach(async () => {
    provider = await OidcProviderFixture.start();
    provider.accounts.set('1', { preferred_username: 'ada', email: 'ada@acme.test', groups: ['platform'] });
    flow = new CodeFlow(provider);
    provider.allowRedirects([flow.callback]);
    browser = provider.webClient();
  });
  afterEach(async () => {
    await browser.close();
    await provider.close();
  });

  async function claimsOf(token: string | undefined) {
    const keys = createRemoteJWKSet(new URL(`${provider.issuer}/jwks`));
    return (await jwtVerify(token ?? '', keys, { issuer: provider.issuer, audience: provider.clientId })).payload;
  }

  async function signIn() {
    const back = await provider.signIn(browser, flow.authorizationUrl(`${provider.issuer}/auth`), '1');
    expect(back.href).toContain(`${flow.callback}?code=`);
    return flow.exchange(`${provider.issuer}/token`, back);
  }
  const refresh = (token: string | undefined) => flow.refresh(`${provider.issuer}/token`, token);

  it('signs a person in and gives an ID token with the groups', async () => {
    const { id_token: idToken } = await signIn();
    expect(await claimsOf(idToken)).toMatchObject({
      sub: '1',
      nonce: 'n',
      preferred_username: 'ada',
      groups: ['platform'],
    });
  });

  it('gives the current groups at a refresh, signed by the current key', async () => {
    const { refresh_token: refreshToken } = await signIn();
    provider.accounts.set('1', { groups: [] });
    await provider.rotateKeys();
    const { id_token: idToken } = await refresh(refreshToken);
    expect(await claimsOf(idToken)).toMatchObject({ sub: '1', groups: [] });
  });

  it('refuses to refresh for an account that is gone', async () => {
    const { refresh_token: refreshToken } = await signIn();
    provider.accounts.delete('1');
    expect(await refresh(refreshToken)).toMatchObject({
      error: 'invalid_grant',
    });
  });

  it('sends people back with an error if the account does not exist', async () => {
    const back = await provider.signIn(browser, flow.authorizationUrl(`${provider.issuer}/auth`), 'nobody');
    expect(back.searchParams.get('error')).toBe('access_denied');
  });

  it('closes connections while it is down', async () => {
    provider.behave('down', '/token');
    await expect(refresh('')).rejects.toThrow('fetch failed');
    provider.behave('normal', '/token');
    expect(await refresh('')).toHaveProperty('error');
  });
});
