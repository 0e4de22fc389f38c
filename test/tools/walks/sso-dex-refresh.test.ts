import { textAt } from '@flotilla/json';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { renewLoginPath } from '../../../src/api/auth/cli-login.ts';
import { generateAccessKey } from '../../../src/auth/access-key-format.ts';
import { ManualClock } from '../../../src/lib/clock.ts';
import { Browser } from '../../../src/server/auth/browser.fixture.ts';
import { allowRedirect, exchangeCode, newRedirectLogin } from '../../../src/server/auth/grants/cli-login.fixture.ts';
import { groupPath } from '../../../src/server/server.fixture.ts';
import { describeIfAvailable } from '../../harness/suite.ts';
import { DexFixture, dexMissing } from '../../oidc/dex.fixture.ts';
import { SsoServer } from '../../oidc/sso-server.fixture.ts';
import type { WebClient } from '../../oidc/web-client.ts';

const ada = { userID: '1', email: 'ada@acme.test', password: 'correct horse', username: 'Ada', groups: ['platform'] };
const refreshSeconds = 300;
const unavailableSeconds = 3600;

describeIfAvailable(dexMissing, 'a person who signed in through Dex', () => {
  let clock: ManualClock;
  let dex: DexFixture;
  let sso: SsoServer;
  let browser: WebClient;

  beforeEach(async () => {
    clock = new ManualClock(Date.now());
    dex = await DexFixture.start([ada]);
    const settings = { claims: { user: 'email' }, refreshSeconds, unavailableSeconds };
    sso = await SsoServer.start([dex.connector('dex', settings)], { clock });
    await dex.allowRedirects([sso.callbackUrl('dex')]);
    browser = sso.browser();
    expect(await signIn()).toBeUndefined();
  });
  afterEach(async () => {
    await sso?.close();
    await dex?.close();
  });

  /** Signs in. Returns the problem that the page shows; `undefined` if the sign-in succeeded. */
  async function signIn(): Promise<string | undefined> {
    const back = await dex.signIn(browser, sso.loginUrl('dex'), ada.email, ada.password);
    return sso.problemOf(await sso.finish(browser, back));
  }

  /** Advances the clock by `seconds`, and polls until the value equals the expected value. */
  async function waitFor<T>(seconds: number, poll: () => Promise<T>, expected: T): Promise<void> {
    clock.advance(seconds * 1000);
    await expect.poll(poll, { timeout: 60_000 }).toEqual(expected);
  }

  const groups = async () => (await sso.whoami(browser)).groups.filter((group) => !/^(system|platform):/.test(group));
  const code = async () => (await sso.whoami(browser)).code;
  const identityOf = async () => {
    const user = await sso.user('ada');
    return [textAt(user, 'status', 'identities', 0, 'state'), textAt(user, 'status', 'identities', 0, 'message')];
  };
  const failures = async () => (await sso.env.read('audit.log')).includes('failed, and is tried again');

  it('keeps the groups while Dex knows the person, and gets the new groups at each refresh', async () => {
    expect(await groups()).toEqual(['platform']);
    const key = async () => {
      const { json } = await sso.env.send(sso.server, `${groupPath}/accesskeys`);
      const all = json.items as unknown as { spec: { type: string; identityRefresh: string } }[];
      return all.find(({ spec }) => spec.type === 'OIDCRefreshToken')?.spec.identityRefresh;
    };
    const before = await key();
    await waitFor(refreshSeconds, async () => (await key()) !== before, true);
    expect([await groups(), (await identityOf())[0]]).toEqual([['platform'], 'Active']);

    await dex.setPeople([{ ...ada, groups: ['billing', 'platform'] }]);
    await waitFor(refreshSeconds, groups, ['billing', 'platform']);
    await dex.setPeople([{ ...ada, groups: [] }]);
    await waitFor(refreshSeconds, groups, []);
    expect(await failures()).toBe(false);
  });

  it('keeps the login for the set time after the person was removed, because Dex answers with an internal error', async () => {
    await dex.setPeople([]);
    await waitFor(refreshSeconds, failures, true);
    expect([await code(), await groups(), (await identityOf())[0]]).toEqual([201, ['platform'], 'Active']);

    await waitFor(unavailableSeconds, code, 401);
    expect(await identityOf()).toEqual([
      'Unavailable',
      expect.stringContaining('has not confirmed the identity since'),
    ]);
    // For an unknown person, Dex shows an error page and does not redirect back, so the sign-in fails.
    await expect(signIn()).rejects.toThrow();

    await dex.setPeople([ada]);
    expect(await signIn()).toBeUndefined();
    expect([await code(), (await identityOf())[0]]).toEqual([201, 'Active']);
  });

  it('has a login of the command line that is renewed only while Dex confirms the person', async () => {
    const page = new Browser(sso.env, sso.server);
    page.cookie = sso.keyOf(browser);
    const { verifier, consent } = newRedirectLogin();
    const grant = await allowRedirect(page, consent);
    const { json } = await exchangeCode(sso.env, sso.server, { code: grant, verifier });
    expect(json.renewable).toBe(true);
    const renew = async (token: string, accessKey: string) =>
      await sso.env.send(sso.server, renewLoginPath, { method: 'POST', token, body: { accessKey } });
    const next = generateAccessKey();
    const renewed = await renew(textAt(json, 'access_token'), next);
    expect(renewed.code, renewed.text).toBe(200);

    await dex.setPeople([]);
    await waitFor(refreshSeconds, failures, true);
    clock.advance(2 * refreshSeconds * 1000);
    const refused = await renew(next, generateAccessKey());
    expect([refused.code, textAt(refused.json, 'message')]).toEqual([
      503,
      expect.stringContaining('"dex" has not confirmed the person since'),
    ]);
    const stays = await sso.env.send(sso.server, `${groupPath}/selves`, { method: 'POST', body: {}, token: next });
    expect(stays.code).toBe(201);
  });
});
