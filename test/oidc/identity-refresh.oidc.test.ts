import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../src/lib/clock.ts';
import { readLines } from '../../src/lib/read-lines.ts';
import { groupPath } from '../../src/server/server.fixture.ts';
import { OidcProviderFixture } from './oidc-provider.fixture.ts';
import { SsoServer } from './sso-server.fixture.ts';
import type { WebClient } from './web-client.ts';

const anna = { preferred_username: 'anna', name: 'Anna', groups: ['staff', 'admins'] };
const refreshSeconds = 300;
const unavailableSeconds = 3600;

let clock: ManualClock;
let provider: OidcProviderFixture;
let sso: SsoServer;
let browser: WebClient;

beforeEach(async () => {
  clock = new ManualClock(Date.now());
  provider = await OidcProviderFixture.start();
  provider.accounts.set('1', anna);
  const settings = { adminGroups: ['admins'], allowedGroups: ['staff'], refreshSeconds, unavailableSeconds };
  sso = await SsoServer.start([provider.connector('company', settings)], { clock });
  provider.allowRedirects([sso.callbackUrl('company')]);
  browser = sso.browser();
  await signIn();
});
afterEach(async () => {
  await sso.close();
  await provider.close();
});

async function signIn(): Promise<void> {
  const page = await sso.finish(browser, await provider.signIn(browser, sso.loginUrl('company'), '1'));
  expect(sso.problemOf(page)).toBeUndefined();
}

/** Advances the clock by `seconds`, and polls until the value equals the expected value. */
async function waitFor<T>(seconds: number, poll: () => Promise<T>, expected: T): Promise<void> {
  clock.advance(seconds * 1000);
  await expect.poll(poll, { timeout: 20_000 }).toEqual(expected);
}

const statusOfUsers = async () => (await sso.send(`${groupPath}/users`, browser)).code;
const stateOf = async (name: string) => textAt(await sso.user(name), 'status', 'identities', 0, 'state');
const tokenRequests = () => provider.requests.filter((path) => path === '/token').length;

describe('the refresh of a person who signed in', () => {
  it('withdraws the permissions of a lost group, and ends the watch that they opened', async () => {
    const watch = await sso.env.request(sso.server, `${groupPath}/teams?watch=true`, { token: sso.keyOf(browser) });
    expect(watch.statusCode).toBe(200);
    const lines: string[] = [];
    const ended = (async () => {
      for await (const line of readLines(watch.body)) lines.push(line);
      return true;
    })();
    expect((await sso.whoami(browser)).groups).toContain('admins');

    provider.accounts.set('1', { ...anna, groups: ['staff'] });
    await waitFor(refreshSeconds, async () => (await sso.whoami(browser)).groups.includes('admins'), false);
    await waitFor(5, () => ended, true);
    expect(lines.join('\n')).toMatch(/"code":410|^$/);
    expect((await sso.whoami(browser)).name).toBe('anna');
    expect(await stateOf('anna')).toBe('Active');
  });

  it('ends all logins of a person who is gone', async () => {
    expect(await statusOfUsers()).toBe(200);
    provider.accounts.delete('1');
    await waitFor(refreshSeconds, statusOfUsers, 401);
    expect(await stateOf('anna')).toBe('Gone');
    const other = sso.browser();
    const callback = await provider.signIn(other, sso.loginUrl('company'), '1');
    expect(sso.problemOf(await sso.finish(other, callback))).toBe('Refused');
  });

  it('ends the logins of a person who leaves the allowed groups, and a later sign-in does not revive them', async () => {
    const old = sso.keyOf(browser);
    provider.accounts.set('1', { ...anna, groups: [] });
    await waitFor(refreshSeconds, statusOfUsers, 401);
    provider.accounts.set('1', anna);
    await signIn();
    expect(await statusOfUsers()).toBe(200);
    expect((await sso.env.send(sso.server, `${groupPath}/users`, { token: old })).code).toBe(401);
  });

  it('keeps logins while the provider is down, and ends them after the set time', async () => {
    provider.behave('down', '/token');
    const before = tokenRequests();
    await waitFor(refreshSeconds, async () => tokenRequests() > before, true);
    expect(await statusOfUsers()).toBe(200);
    await waitFor(unavailableSeconds, statusOfUsers, 401);
    expect(await stateOf('anna')).toBe('Unavailable');
    provider.behave('normal', '/token');
    await signIn();
    expect(await statusOfUsers()).toBe(200);
  });

  it('continues after the provider was down for a short time', async () => {
    provider.behave('down', '/token');
    const before = tokenRequests();
    await waitFor(refreshSeconds, async () => tokenRequests() > before, true);
    provider.accounts.set('1', { ...anna, groups: ['staff'] });
    provider.behave('normal', '/token');
    await waitFor(refreshSeconds, async () => (await sso.whoami(browser)).groups.includes('admins'), false);
    expect(await stateOf('anna')).toBe('Active');
  });

  it('continues after the provider replaced its keys', async () => {
    await provider.rotateKeys();
    provider.accounts.set('1', { ...anna, groups: ['staff', 'builders'] });
    await waitFor(refreshSeconds, async () => (await sso.whoami(browser)).groups.includes('builders'), true);
  });
});

describe('the refresh token', () => {
  it('is in no response, in no file in clear, and not in the audit log', async () => {
    const tokens = provider.refreshTokens();
    expect(tokens).toHaveLength(1);
    const { json, text } = await sso.env.send(sso.server, `${groupPath}/accesskeys`);
    expect(JSON.stringify(json)).toContain('"OIDCRefreshToken"');
    const files = await readdir(sso.env.dataDir, { recursive: true, withFileTypes: true });
    const contents = await Promise.all(
      files.filter((file) => file.isFile()).map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')),
    );
    for (const token of tokens) {
      expect(text).not.toContain(token);
      for (const content of contents) expect(content.includes(token)).toBe(false);
    }
  });
});
