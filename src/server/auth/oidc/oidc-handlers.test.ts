import { type JsonObject, textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OidcProviderFixture } from '../../../../test/oidc/oidc-provider.fixture.ts';
import type { WebClient, WebPage } from '../../../../test/oidc/web-client.ts';
import { sessionCookieName } from '../../../http/session/session-cookie.ts';
import { ServerTestEnv } from '../../server.fixture.ts';
import type { RunningServer } from '../../start-server.ts';

let env: ServerTestEnv;
let provider: OidcProviderFixture;
let server: RunningServer;
let browser: WebClient;

beforeEach(async () => {
  env = await ServerTestEnv.open();
  provider = await OidcProviderFixture.start();
  provider.accounts.set('anna', { preferred_username: 'anna', email: 'anna@example.com', groups: ['staff'] });
});
afterEach(async () => {
  await browser.close();
  await provider.close();
  await env.close();
});

async function start(settings: object = {}, consoleEnabled = true): Promise<void> {
  const oidc = [provider.connector('company', { displayName: 'Company', ...settings })];
  server = await env.start(await env.settings({ auth: { oidc }, console: { enabled: consoleEnabled } }));
  provider.allowRedirects([`${server.url}/auth/oidc/company/callback`]);
  browser = provider.webClient([await env.read('ca.crt')]);
}

const loginUrl = (query = '') => `${server.url}/auth/oidc/company/login${query}`;
const isAnywhere = () => true;
/** Requests a URL without following a redirect. */
const request = (url: string | URL) => browser.visit(url, { stopAt: isAnywhere });
const locationOf = ({ headers }: WebPage) => String(headers.location);
const pendingNames = () => browser.cookieNames(server.url).filter((name) => name.startsWith('__Host-flotilla-oidc-'));

async function auditEvents(): Promise<readonly Record<string, unknown>[]> {
  const lines = (await env.read('audit.log')).trim().split('\n');
  return lines.map((line) => JSON.parse(line)).filter((event) => String(event.requestURI).startsWith('/auth/oidc'));
}

describe('the start of a sign-in', () => {
  it('sends the browser to the provider and keeps the sign-in in a sealed cookie', async () => {
    await start();
    const page = await request(loginUrl('?returnTo=/projects'));
    const url = new URL(locationOf(page));
    expect([page.status, url.origin]).toEqual([302, provider.issuer]);
    expect(url.searchParams.get('redirect_uri')).toBe(`${server.url}/auth/oidc/company/callback`);
    const [cookie = ''] = [page.headers['set-cookie'] ?? []].flat();
    expect(cookie).toMatch(
      /^__Host-flotilla-oidc-[\w-]{16}=[\w.-]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/,
    );
    for (const name of ['state', 'nonce']) expect(cookie).not.toContain(url.searchParams.get(name));
  });

  it('keeps few cookies, however often it is repeated', async () => {
    await start();
    for (let count = 0; count < 8; count++) await request(loginUrl());
    expect(pendingNames()).toHaveLength(4);
  });

  it('offers the connectors, and knows no others', async () => {
    await start();
    const methods = await env.send(server, '/auth/methods', { token: '' });
    expect(methods.json).toEqual({ password: true, connectors: [{ name: 'company', displayName: 'Company' }] });
    for (const path of ['other/login', 'company', 'company/other', 'company/login/more']) {
      expect((await env.send(server, `/auth/oidc/${path}`, { token: '' })).code, path).toBe(404);
    }
    expect((await env.send(server, '/auth/oidc/company/login', { token: '', method: 'POST' })).code).toBe(405);
  });

  it('leads to the sign-in page while the provider is down, and the server runs', async () => {
    provider.behave('down');
    await start();
    const page = await request(loginUrl());
    expect([page.status, locationOf(page)]).toEqual([303, '/sign-in?problem=ProviderUnavailable&connector=company']);
  });

  it('is a page of its own if the console is disabled', async () => {
    await start({}, false);
    const page = await request(loginUrl());
    expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.text).toContain('console.enabled');
  });
});

const problemOf = (page: WebPage) => new URL(locationOf(page), server.url).searchParams.get('problem');

/** Signs in with a path to return to. Returns the reply to the callback. */
async function signIn(query = '', subject = 'anna'): Promise<WebPage> {
  return await request(await provider.signIn(browser, loginUrl(query), subject));
}

/** Sends a request as a page of the console does. */
async function send(path: string, method: 'GET' | 'DELETE' = 'GET'): Promise<{ code: number; json: JsonObject }> {
  const cookie = `${sessionCookieName}=${browser.cookie(server.url, sessionCookieName) ?? ''}`;
  const headers = { cookie, origin: server.url, 'x-flotilla-console': '1', 'sec-fetch-site': 'same-origin' };
  const response = await env.request(server, path, { method, token: '' }, headers);
  const text = await response.body.text();
  return { code: response.statusCode, json: text === '' ? {} : JSON.parse(text) };
}

describe('a person who signed in', () => {
  it('has a session, and returns to the page where they were', async () => {
    await start();
    const page = await signIn('?returnTo=/projects/default%3Ftab%3Dusers');
    expect([page.status, locationOf(page)]).toEqual([303, '/projects/default?tab=users']);
    const cookies = [page.headers['set-cookie'] ?? []].flat();
    expect(cookies[0]).toMatch(
      /^__Host-flotilla-session=\w+; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
    );
    const { code, json } = await send('/auth/session');
    expect([code, json.user]).toEqual([200, 'anna']);
    const event = (await auditEvents()).find(({ stage }) => stage === 'ResponseComplete');
    expect(event).toMatchObject({
      user: { username: 'anna' },
      accessKey: json.accessKey,
      decision: { allowed: true, reason: 'login with the connector "company", subject "anna"' },
      responseStatus: { code: 303 },
    });
  });

  it('does not leave this server', async () => {
    await start();
    for (const path of ['//evil.test', 'https://evil.test', '/%5Cevil.test']) {
      expect(locationOf(await signIn(`?returnTo=${path}`)), path).toBe('/');
    }
  });

  it('has one session, whatever was signed in before', async () => {
    await start();
    await signIn();
    const first = (await send('/auth/session')).json.accessKey;
    await signIn();
    const second = (await send('/auth/session')).json.accessKey;
    expect(second).not.toBe(first);
    expect(await env.names(server, 'ownedaccesskeys')).not.toContain(first);
  });

  it('learns where to sign out at the provider', async () => {
    await start();
    await signIn();
    const { code, json } = await send('/auth/session', 'DELETE');
    const url = new URL(String(json.signOutUrl));
    expect([code, url.origin]).toEqual([200, provider.issuer]);
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe(`${server.url}/sign-in`);
    expect((await send('/auth/session')).code).toBe(204);
  });

  it('is refused if no user is linked and none may be created', async () => {
    await start({ createUsers: false });
    expect(problemOf(await signIn())).toBe('NoUser');
  });
});

describe('the end of a sign-in', () => {
  it('needs the cookie of the browser in which it began, and uses it once', async () => {
    await start();
    const callback = await provider.signIn(browser, loginUrl(), 'anna');
    const other = provider.webClient([await env.read('ca.crt')]);
    try {
      const page = await other.visit(callback, { stopAt: isAnywhere });
      expect([page.status, problemOf(page)]).toEqual([303, 'Expired']);
    } finally {
      await other.close();
    }
    expect(pendingNames()).toHaveLength(1);
    expect(locationOf(await request(callback))).toBe('/');
    expect(pendingNames()).toEqual([]);
    expect(problemOf(await request(callback))).toBe('Expired');
  });

  it('refuses another state, and a cookie that another browser or connector got', async () => {
    await start();
    const first = await provider.signIn(browser, loginUrl(), 'anna');
    const second = await provider.signIn(browser, loginUrl(), 'anna');
    const mixed = new URL(first);
    mixed.searchParams.set('state', second.searchParams.get('state') ?? '');
    expect(problemOf(await request(mixed))).toBe('Refused');
    for (const state of ['', 'x', '../', 'a'.repeat(43)]) {
      mixed.searchParams.set('state', state);
      expect(problemOf(await request(mixed))).toBe('Expired');
    }
    const name = pendingNames()[0] ?? '';
    browser.setCookie(server.url, `${name}=v1.AAAA; Path=/; Secure`);
    expect(problemOf(await request(first))).toBe('Expired');
  });

  it('reports people who refuse, people who are not allowed, and a provider that is down', async () => {
    await start({ allowedGroups: ['admins'] });
    expect(problemOf(await request(await provider.signIn(browser, loginUrl(), 'nobody')))).toBe('Refused');
    expect(problemOf(await request(await provider.signIn(browser, loginUrl(), 'anna')))).toBe('NotAllowed');
    const callback = await provider.signIn(browser, loginUrl(), 'anna');
    provider.behave('down', '/token');
    expect(problemOf(await request(callback))).toBe('ProviderUnavailable');
    const reasons = (await auditEvents())
      .filter(({ stage }) => stage === 'ResponseComplete')
      .map((event) => [textAt(event as never, 'decision', 'reason'), (event.responseStatus as { code: number }).code]);
    expect(reasons).toEqual([
      [expect.stringMatching(/^login with the connector "company": the provider answered .*access_denied/), 401],
      ['login with the connector "company": "anna": the person is in none of the allowed groups', 403],
      [expect.stringMatching(/^login with the connector "company": no usable response of http/), 503],
    ]);
  });

  it('writes no code to the audit log, and nothing for requests without a sign-in', async () => {
    await start();
    const callback = await provider.signIn(browser, loginUrl(), 'anna');
    const code = callback.searchParams.get('code') ?? '';
    await request(callback);
    const before = (await auditEvents()).length;
    for (let count = 0; count < 5; count++) await request(callback);
    const events = await auditEvents();
    expect(events.length).toBe(before);
    expect(new Set(events.map(({ requestURI }) => requestURI))).toEqual(new Set(['/auth/oidc/company/callback']));
    expect(code.length).toBeGreaterThan(10);
    expect(await env.read('audit.log')).not.toContain(code);
  });

  it('makes a source wait whose sign-ins fail again and again', async () => {
    await start();
    const problems: (string | null)[] = [];
    for (let count = 0; count < 53; count++) {
      const { searchParams } = new URL(locationOf(await request(loginUrl())));
      problems.push(
        problemOf(await request(`${server.url}/auth/oidc/company/callback?error=x&state=${searchParams.get('state')}`)),
      );
    }
    expect(problems.slice(0, 51).every((problem) => problem === 'Refused')).toBe(true);
    expect(problems.slice(51)).toEqual(['Busy', 'Busy']);
    expect((await auditEvents()).filter(({ stage }) => stage === 'ResponseComplete')).toHaveLength(51);
  });
});
