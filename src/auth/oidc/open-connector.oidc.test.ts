import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OidcProviderFixture, type OidcProviderOptions } from '../../../test/oidc/oidc-provider.fixture.ts';
import { systemClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import type { ConnectorSettings } from './connector.ts';
import { type OpenConnector, openConnector } from './open-connector.ts';

const redirectUri = 'https://flotilla.test/auth/oidc/company/callback';
const never = new AbortController().signal;
const open: { close(): Promise<void> }[] = [];
let provider: OidcProviderFixture;

async function startProvider(options: OidcProviderOptions = {}): Promise<void> {
  provider = await OidcProviderFixture.start(options);
  open.push(provider);
  provider.allowRedirects([redirectUri], ['https://flotilla.test/sign-in']);
  provider.accounts.set('anna', {
    preferred_username: 'anna',
    name: 'Anna Example',
    email: 'anna@example.com',
    email_verified: true,
    groups: ['staff', 'developers'],
  });
}

function connect(settings: Partial<ConnectorSettings> = {}): OpenConnector {
  const { caFile } = provider;
  const connector = openConnector({
    settings: {
      name: 'company',
      displayName: 'Company',
      issuer: provider.issuer,
      clientId: provider.clientId,
      clientSecretFile: provider.clientSecretFile,
      ...(caFile === undefined ? {} : { caFile }),
      scopes: ['openid', 'profile', 'email', 'groups', 'offline_access'],
      claims: { user: 'preferred_username', email: 'email', groups: 'groups' },
      allowedGroups: [],
      allowedDomains: [],
      groupsToTeams: {},
      adminGroups: [],
      createUsers: true,
      refreshSeconds: 300,
      unavailableSeconds: 3600,
      ...settings,
    },
    clock: systemClock,
    log: silentLog,
  });
  open.push(connector);
  return connector;
}

async function signIn(connector: OpenConnector, subject = 'anna') {
  const { url, pending } = await connector.start(redirectUri, never);
  const callback = await back(url, subject);
  return { pending, callback, finish: () => connector.finish(pending, callback, never) };
}

/** Signs in at the provider. Returns the URL to which the provider sends the browser back. */
async function back(url: URL, subject = 'anna'): Promise<URL> {
  const browser = provider.webClient();
  open.push(browser);
  return await provider.signIn(browser, url, subject);
}

beforeEach(() => startProvider());
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

describe('a connector', () => {
  it('signs a person in with a code, PKCE, state and nonce', async () => {
    const connector = connect();
    const { url, pending } = await connector.start(redirectUri, never);
    expect(url.searchParams.get('code_challenge_method')).toBe('S256');
    expect(url.searchParams.get('state')).toBe(pending.state);
    expect(url.searchParams.get('nonce')).toBe(pending.nonce);
    expect(url.href).not.toContain(pending.codeVerifier);
    const login = await connector.finish(pending, await back(url), never);
    expect(login).toEqual({
      identity: {
        connector: 'company',
        issuer: provider.issuer,
        subject: 'anna',
        username: 'anna',
        displayName: 'Anna Example',
        email: 'anna@example.com',
        emailVerified: true,
        groups: ['staff', 'developers'],
      },
      refreshToken: expect.any(String),
      idToken: expect.any(String),
    });
  });

  it('trusts the CA certificates of its file, and no others', async () => {
    await startProvider({ tls: true });
    await expect((await signIn(connect())).finish()).resolves.toMatchObject({ identity: { subject: 'anna' } });
    const { caFile, ...without } = connect().settings;
    const untrusting = openConnector({ settings: without, clock: systemClock, log: silentLog });
    open.push(untrusting);
    await expect(untrusting.start(redirectUri, never)).rejects.toMatchObject({ reason: 'Unavailable' });
    expect(caFile).toBeDefined();
  });

  it('asks the userinfo endpoint for claims that the ID token lacks', async () => {
    await startProvider({ claimsOnlyAtUserinfo: true });
    const { identity } = await (await signIn(connect())).finish();
    expect(identity).toMatchObject({ username: 'anna', groups: ['staff', 'developers'], emailVerified: true });
  });

  it('reads ten thousand groups', async () => {
    const groups = Array.from({ length: 10_000 }, (_, index) => `/company/department/team-${index}`);
    provider.accounts.set('anna', { preferred_username: 'anna', email: 'anna@example.com', groups });
    const { identity } = await (await signIn(connect({ allowedGroups: ['/company/department/team-9999'] }))).finish();
    expect(identity.groups).toEqual(groups);
  });

  it('accepts each code once', async () => {
    const { finish } = await signIn(connect());
    await finish();
    await expect(finish()).rejects.toMatchObject({ reason: 'Rejected' });
  });

  it.each(['state', 'nonce', 'codeVerifier'] as const)('refuses the %s of another sign-in', async (field) => {
    const connector = connect();
    const { pending, callback } = await signIn(connector);
    const other = (await connector.start(redirectUri, never)).pending;
    const mixed = { ...pending, [field]: other[field] };
    await expect(connector.finish(mixed, callback, never)).rejects.toMatchObject({ reason: 'Rejected' });
  });

  it('refuses an answer in the name of another issuer', async () => {
    const { pending, callback } = await signIn(connect());
    callback.searchParams.set('iss', 'https://attacker.test');
    await expect(connect().finish(pending, callback, never)).rejects.toMatchObject({ reason: 'Rejected' });
    callback.searchParams.delete('iss');
    await expect(connect().finish(pending, callback, never)).rejects.toMatchObject({ reason: 'Rejected' });
  });

  it('reports that the provider refused', async () => {
    const { finish } = await signIn(connect(), 'nobody');
    await expect(finish()).rejects.toMatchObject({ reason: 'Rejected', message: /access_denied/ });
  });

  it('accepts tokens of a new signing key at once', async () => {
    const connector = connect();
    await (await signIn(connector)).finish();
    await provider.rotateKeys();
    await expect((await signIn(connector)).finish()).resolves.toMatchObject({ identity: { subject: 'anna' } });
  });

  it('reports a wrong client secret as a fault of the connector', async () => {
    const wrong = connect({ clientSecretFile: import.meta.filename });
    await expect((await signIn(wrong)).finish()).rejects.toMatchObject({ reason: 'Unavailable' });
    const missing = connect({ clientSecretFile: '/nonexistent' });
    await expect((await signIn(missing)).finish()).rejects.toMatchObject({ message: /clientSecretFile/ });
  });

  it('refuses people whom its settings do not allow', async () => {
    for (const settings of [{ allowedGroups: ['admins'] }, { allowedDomains: ['example.org'] }]) {
      await expect((await signIn(connect(settings))).finish()).rejects.toMatchObject({ reason: 'NotAllowed' });
    }
    const both = { allowedGroups: ['admins', 'staff'], allowedDomains: ['example.com'] };
    await expect((await signIn(connect(both))).finish()).resolves.toBeDefined();
  });

  it('is usable when a provider that was down is up again', async () => {
    provider.behave('down');
    const connector = connect();
    await expect(connector.start(redirectUri, never)).rejects.toMatchObject({ reason: 'Unavailable' });
    const before = provider.requests.length;
    await expect(connector.start(redirectUri, never)).rejects.toMatchObject({ reason: 'Unavailable' });
    expect(provider.requests.length).toBe(before);
    provider.behave('normal');
    await expect(connect().start(redirectUri, never)).resolves.toBeDefined();
  });

  it('shares one discovery between all sign-ins, and a caller who leaves does not end it', async () => {
    const release = provider.hold('/.well-known');
    const connector = connect();
    const leaving = new AbortController();
    const first = connector.start(redirectUri, leaving.signal);
    const others = [1, 2, 3].map(() => connector.start(redirectUri, never));
    leaving.abort();
    await expect(first).rejects.toMatchObject({ reason: 'Unavailable' });
    release();
    await Promise.all(others);
    expect(provider.requests.filter((path) => path.startsWith('/.well-known'))).toHaveLength(1);
  });

  it('does no work for a caller who has left', async () => {
    await expect(connect().start(redirectUri, AbortSignal.abort())).rejects.toMatchObject({ reason: 'Unavailable' });
  });

  it('refuses an issuer that the provider spells differently, and says how', async () => {
    const other = connect({ issuer: `${provider.issuer}/` });
    await expect(other.start(redirectUri, never)).rejects.toMatchObject({
      reason: 'Unavailable',
      message: `the discovery document has the issuer "${provider.issuer}"; set auth.oidc[].issuer to exactly that`,
    });
  });
});

describe('the refresh of a login', () => {
  it('returns current claims, and a token for the next refresh', async () => {
    const connector = connect();
    const { refreshToken = '' } = await (await signIn(connector)).finish();
    provider.accounts.set('anna', { preferred_username: 'anna', groups: 'staff' });
    const login = await connector.refresh({ subject: 'anna', refreshToken }, never);
    expect(login.identity).toMatchObject({ subject: 'anna', groups: ['staff'], emailVerified: false });
    await expect(
      connector.refresh({ subject: 'anna', refreshToken: login.refreshToken ?? '' }, never),
    ).resolves.toBeDefined();
  });

  it('reports a login that the provider ended, or that the settings no longer allow, as gone', async () => {
    const connector = connect({ allowedGroups: ['staff'] });
    const first = await (await signIn(connector)).finish();
    provider.accounts.set('anna', { preferred_username: 'anna', groups: [] });
    const refresh = (token = '') => connector.refresh({ subject: 'anna', refreshToken: token }, never);
    await expect(refresh(first.refreshToken)).rejects.toMatchObject({ reason: 'Gone', message: /no longer sign in/ });
    provider.revokeLogins('anna');
    await expect(refresh(first.refreshToken)).rejects.toMatchObject({ reason: 'Gone', message: /invalid_grant/ });
  });

  it('refuses the login of another subject', async () => {
    const connector = connect();
    const { refreshToken = '' } = await (await signIn(connector)).finish();
    await expect(connector.refresh({ subject: 'ben', refreshToken }, never)).rejects.toMatchObject({
      reason: 'Rejected',
    });
  });

  it('reports a provider that is down as unavailable', async () => {
    const connector = connect();
    const { refreshToken = '' } = await (await signIn(connector)).finish();
    provider.behave('down', '/token');
    await expect(connector.refresh({ subject: 'anna', refreshToken }, never)).rejects.toMatchObject({
      reason: 'Unavailable',
    });
  });
});

describe('the sign-out at the provider', () => {
  it('has a page with and without an ID token', async () => {
    const connector = connect();
    const { idToken = '' } = await (await signIn(connector)).finish();
    const returnTo = 'https://flotilla.test/sign-in';
    const url = await connector.signOutUrl(idToken, returnTo, never);
    expect(url?.origin).toBe(provider.issuer);
    expect(Object.fromEntries(url?.searchParams ?? [])).toEqual({
      post_logout_redirect_uri: returnTo,
      id_token_hint: idToken,
      client_id: provider.clientId,
    });
    // A token with thousands of groups does not fit into a URL.
    for (const token of [undefined, 'x'.repeat(5000)]) {
      const without = await connector.signOutUrl(token, returnTo, never);
      expect(without?.searchParams.has('id_token_hint')).toBe(false);
    }
  });
});
