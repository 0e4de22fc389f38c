import { listAt, textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { groupPath } from '../../src/server/server.fixture.ts';
import { freePorts } from '../harness/start-program.mjs';
import { HostileProvider } from './hostile-provider.fixture.ts';
import { OidcProviderFixture } from './oidc-provider.fixture.ts';
import { SsoServer } from './sso-server.fixture.ts';
import { redirectTarget, type WebClient, type WebPage } from './web-client.ts';

const anna = {
  preferred_username: 'anna',
  name: 'Anna',
  email: 'anna@acme.test',
  email_verified: true,
  groups: ['staff', 'builders'],
};

/** A server with two connectors: `company` to a good provider, and `partner` to a provider that an attacker runs. */
let sso: SsoServer;
let company: OidcProviderFixture;
let partner: HostileProvider;
let browser: WebClient;

beforeEach(async () => {
  company = await OidcProviderFixture.start();
  company.accounts.set('anna', anna);
  partner = await HostileProvider.start();
  sso = await SsoServer.start([
    company.connector('company', { adminGroups: ['admins'], groupsToTeams: { builders: ['builders'] } }),
    partner.connector('partner'),
  ]);
  company.allowRedirects([sso.callbackUrl('company')]);
  browser = sso.browser();
});
afterEach(async () => {
  await sso.close();
  await company.close();
  await partner.close();
});

/** Signs in at the good provider. Returns the URL to which the provider redirects the browser. */
const atCompany = (client: WebClient, subject = 'anna', query = '') =>
  company.signIn(client, sso.loginUrl('company', query), subject);

/** Signs in at the attacker's provider. */
async function atPartner(client: WebClient): Promise<URL> {
  return partner.back(redirectTarget(await client.visit(sso.loginUrl('partner'), { stopAt: () => true })));
}

async function signIn(client: WebClient, callback: URL): Promise<WebPage> {
  const page = await sso.finish(client, callback);
  expect(sso.problemOf(page)).toBeUndefined();
  return page;
}

/** Returns the names of the session cookies that the response sets. */
const sessionCookies = ({ headers }: WebPage) =>
  [headers['set-cookie'] ?? []].flat().filter((cookie) => /^__Host-flotilla-session=\w/.test(cookie));

describe('a sign-in that another person began', () => {
  it('cannot be completed in the browser of a victim', async () => {
    const attackers = await atCompany(sso.browser());
    const page = await sso.finish(browser, attackers);
    expect([sso.problemOf(page), sessionCookies(page)]).toEqual(['Expired', []]);
    // The victim has also begun a separate sign-in in the same browser.
    const own = await atCompany(browser);
    const second = await sso.finish(browser, attackers);
    expect([sso.problemOf(second), sessionCookies(second)]).toEqual(['Expired', []]);
    await signIn(browser, own);
    expect((await sso.whoami(browser)).name).toBe('anna');
  });

  it("cannot be completed with the victim's state and the attacker's code", async () => {
    company.accounts.set('mallory', { preferred_username: 'mallory', groups: [] });
    const own = await atCompany(browser);
    const mixed = await atCompany(sso.browser(), 'mallory');
    mixed.searchParams.set('state', own.searchParams.get('state') ?? '');
    const page = await sso.finish(browser, mixed);
    expect([sso.problemOf(page), sessionCookies(page)]).toEqual(['Refused', []]);
  });

  it('cannot be completed with a cookie that the attacker invented', async () => {
    const own = await atCompany(browser);
    const [name = ''] = browser.cookieNames(sso.server.url);
    const values = ['', 'null', '{}', '%7B%7D', 'v1.', 'AAAA', `${browser.cookie(sso.server.url, name)}A`];
    for (const value of values) {
      browser.setCookie(sso.server.url, `${name}=${value}; Path=/; Secure`);
      expect(sso.problemOf(await sso.finish(browser, own)), value).toBe('Expired');
    }
  });
});

describe('a code', () => {
  it('is accepted once, even if the browser still has the cookie of the sign-in', async () => {
    const callback = await atCompany(browser);
    const [name = ''] = browser.cookieNames(sso.server.url);
    const kept = browser.cookie(sso.server.url, name);
    await signIn(browser, callback);
    const other = sso.browser();
    other.setCookie(sso.server.url, `${name}=${kept}; Path=/; Secure`);
    const page = await sso.finish(other, callback);
    expect([sso.problemOf(page), sessionCookies(page)]).toEqual(['Refused', []]);
  });

  it('of one provider is never sent to another', async () => {
    const callback = await atCompany(browser);
    const mixed = new URL(`${sso.callbackUrl('partner')}${callback.search}`);
    expect(sso.problemOf(await sso.finish(browser, mixed))).toBe('Expired');
    // A sign-in at the attacker's provider is in progress in the same browser. The callback names the good provider as
    // the issuer.
    const own = await atPartner(browser);
    own.searchParams.set('iss', company.issuer);
    expect(sso.problemOf(await sso.finish(browser, own))).toBe('Refused');
    expect(partner.requests).not.toContain('/token');
  });
});

describe('a second provider', () => {
  const names = async () => (await sso.env.names(sso.server, 'users')).sort();

  it("cannot take over a user with the person's email address, name and subject", async () => {
    await signIn(browser, await atCompany(browser));
    const before = await sso.user('anna');
    partner.claims = { ...anna, sub: 'anna', groups: ['admins', 'builders'] };
    const attacker = sso.browser();
    await signIn(attacker, await atPartner(attacker));
    expect((await sso.whoami(attacker)).name).toBe('anna-2');
    expect(await sso.user('anna')).toEqual(before);
    // Groups from a connector give permissions only through the rules of that connector.
    expect((await sso.send(`${groupPath}/users`, attacker)).json.items ?? []).not.toContainEqual(
      expect.objectContaining({ metadata: expect.objectContaining({ name: 'admin' }) }),
    );
    expect(listAt(await sso.user('anna-2'), 'status', 'identities', 0, 'teams')).toEqual([]);
  });

  it('cannot take over a local user by its name, nor the administrator', async () => {
    await sso.env.createObject(sso.server, 'users', 'grace', { username: 'grace', email: 'grace@acme.test' });
    for (const [name, email] of [
      ['grace', 'grace@acme.test'],
      ['admin', 'admin@acme.test'],
      ['ADMIN', 'admin@acme.test'],
    ]) {
      partner.claims = { preferred_username: name, email, email_verified: true, sub: `evil ${name}` };
      const attacker = sso.browser();
      await signIn(attacker, await atPartner(attacker));
      expect((await sso.whoami(attacker)).name).toMatch(/^(grace-2|admin-2|admin-3)$/);
    }
    expect(textAt(await sso.user('grace'), 'status', 'identities', 0, 'subject')).toBe('');
    expect(await names()).toEqual(['admin', 'admin-2', 'admin-3', 'grace', 'grace-2']);
  });

  it('cannot speak for the first one', async () => {
    partner.claims = { ...partner.claims, ...anna, sub: 'anna', iss: company.issuer };
    expect(sso.problemOf(await sso.finish(browser, await atPartner(browser)))).toBe('Refused');
    expect(await names()).toEqual(['admin']);
  });

  it('cannot assign groups that Kubernetes or this server give meaning to', async () => {
    partner.claims = { ...partner.claims, groups: ['system:masters', 'platform:admins', 'builders'] };
    await signIn(browser, await atPartner(browser));
    const { groups } = await sso.whoami(browser);
    expect(groups).toContain('builders');
    expect(groups.filter((group) => /masters|admins/.test(group))).toEqual([]);
  });
});

describe('groups', () => {
  it('can be 10,000, and the server answers', async () => {
    const groups = Array.from({ length: 10_000 }, (_, index) => `group-${String(index).padStart(5, '0')}`);
    company.accounts.set('anna', { ...anna, groups: [...groups, 'builders'] });
    await signIn(browser, await atCompany(browser));
    const { code, groups: found } = await sso.whoami(browser);
    expect(code).toBe(201);
    expect(found.length).toBeLessThan(600);
    expect(listAt(await sso.user('anna'), 'status', 'identities', 0, 'teams')).toEqual(['builders']);
  });

  it('can be one text, which is one group and not a list', async () => {
    company.accounts.set('anna', { ...anna, groups: 'builders' });
    await signIn(browser, await atCompany(browser));
    expect(listAt(await sso.user('anna'), 'status', 'identities', 0, 'teams')).toEqual(['builders']);
    company.accounts.set('ben', { preferred_username: 'ben', groups: 'staff builders admins' });
    const other = sso.browser();
    await signIn(other, await atCompany(other, 'ben'));
    expect((await sso.whoami(other)).groups).toContain('staff builders admins');
    expect(listAt(await sso.user('ben'), 'status', 'identities', 0, 'teams')).toEqual([]);
  });
});

describe('the redirect URI', () => {
  it('has the host name of the request, which the provider compares with the registered one', async () => {
    const headers = { host: 'flotilla.evil.test' };
    const target = redirectTarget(await browser.visit(sso.loginUrl('company'), { headers, stopAt: () => true }));
    expect(target.searchParams.get('redirect_uri')).toBe('https://flotilla.evil.test/auth/oidc/company/callback');
    const page = await browser.visit(target);
    expect([page.url.origin, page.status]).toEqual([company.issuer, 400]);
    expect(page.text).toContain('redirect_uri');
  });

  it('has no spellings that look alike', async () => {
    const { pathname, search } = await atCompany(browser);
    const others = [
      `${pathname}/..`,
      `${pathname}%00`,
      `${pathname};x`,
      pathname.toUpperCase(),
      pathname.replace('company', 'Company'),
      pathname.replace('company', 'company%2f'),
      pathname.replace('company', 'company.'),
      pathname.replace('company', '%63ompany%20'),
      pathname.replace('company', 'compаny'),
      pathname.replace('callback', 'callback%3f'),
    ];
    for (const path of others) {
      const { code } = await sso.env.send(sso.server, `${path}${search}`, { token: '' });
      expect([400, 404], path).toContain(code);
    }
  });
});

describe('the redirect URI of a server with an external URL', () => {
  it('is the external URL, whatever the request contains', async () => {
    const [port = 0] = await freePorts(1);
    const external = `https://localhost:${port}`;
    const other = await SsoServer.start([company.connector('company')], {
      settings: { externalUrl: external },
      listen: `127.0.0.1:${port}`,
    });
    const client = other.browser();
    const request = (query: string, host: string) =>
      client.visit(`https://127.0.0.1:${port}/auth/oidc/company/login${query}`, {
        headers: { host },
        stopAt: () => true,
      });
    const hosts = ['evil.test', `localhost.evil.test:${port}`, `127.0.0.1:${port}`];
    for (const host of hosts) {
      const direct = redirectTarget(await request('?moved=1', host));
      expect(direct.searchParams.get('redirect_uri'), host).toBe(`${external}/auth/oidc/company/callback`);
      // If a browser uses another host name of the server, the server redirects it to the external URL, because the
      // browser's cookies are for the host of that URL.
      expect(redirectTarget(await request('', host)).origin, host).toBe(external);
    }
    await other.close();
  });
});

describe('the page after a sign-in', () => {
  it('is always on this server', async () => {
    const targets = [
      '//evil.test',
      '///evil.test',
      '/\\evil.test',
      '\\\\evil.test',
      '/\t/evil.test',
      '/\n/evil.test',
      ' //evil.test',
      'https://evil.test',
      'https:evil.test',
      'HTTPS://evil.test',
      'javascript:alert(1)',
      'data:text/html,x',
      '@evil.test',
      '.evil.test',
      ':443@evil.test',
      '/%09/evil.test',
      '/..//evil.test',
      '/./\\evil.test',
      '',
      '/x\r\nset-cookie: a=b',
      `/${'x'.repeat(5000)}`,
    ];
    for (const target of targets) {
      const client = sso.browser();
      const callback = await atCompany(client, 'anna', `?${new URLSearchParams({ returnTo: target })}`);
      const page = await signIn(client, callback);
      expect(redirectTarget(page).origin, JSON.stringify(target)).toBe(sso.server.url);
      expect(page.headers['set-cookie']).not.toContain('a=b');
    }
  });
});

describe('a provider that is slow', () => {
  it('delays neither people who sign in elsewhere nor other requests', async () => {
    const release = company.hold('/.well-known');
    const waiting = Array.from({ length: 30 }, () =>
      sso.browser().visit(sso.loginUrl('company'), { stopAt: () => true }),
    );
    let ended = 0;
    for (const each of waiting) each.then(() => (ended += 1)).catch(() => {});
    await expect.poll(() => company.requests.length).toBeGreaterThan(0);
    const other = sso.browser();
    await signIn(other, await atPartner(other));
    expect((await sso.whoami(other)).name).toBe('mallory');
    expect(await sso.env.names(sso.server, 'projects')).toContain('default');
    expect(ended).toBe(0);
    release();
    const targets = (await Promise.all(waiting)).map((page) => redirectTarget(page).origin);
    expect(targets).toContain(company.issuer);
  });
});
