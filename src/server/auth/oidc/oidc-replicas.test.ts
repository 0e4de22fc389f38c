import { afterEach, beforeEach, expect, it } from 'vitest';
import { OidcProviderFixture } from '../../../../test/oidc/oidc-provider.fixture.ts';
import { sessionCookieName } from '../../../http/session/session-cookie.ts';
import { systemClock } from '../../../lib/clock.ts';
import { ReplicasTestEnv } from '../../replicas.fixture.ts';

let provider: OidcProviderFixture;
let env: ReplicasTestEnv;

beforeEach(async () => {
  provider = await OidcProviderFixture.start();
  provider.accounts.set('anna', { preferred_username: 'anna', email: 'anna@example.com', groups: [] });
  env = await ReplicasTestEnv.open(systemClock, (server) =>
    server.settings({ auth: { oidc: [provider.connector('company')] } }),
  );
});
afterEach(async () => {
  await env.close();
  await provider.close();
});

it('one server completes a sign-in that another one started, and both accept the session', async () => {
  const [first, second] = [env.first.server.url, env.second.server.url];
  provider.allowRedirects([`${first}/auth/oidc/company/callback`]);
  const browser = provider.webClient([await env.first.bench.read('ca.crt')]);
  try {
    const callback = await provider.signIn(browser, `${first}/auth/oidc/company/login`, 'anna');
    // The browser sends its cookies to both ports of this host, as it would to two servers behind a load balancer.
    const elsewhere = new URL(`${callback.pathname}${callback.search}`, second);
    const page = await browser.visit(elsewhere, { stopAt: () => true });
    expect([page.status, page.headers.location]).toEqual([303, '/']);
    const cookie = `${sessionCookieName}=${browser.cookie(second, sessionCookieName)}`;
    for (const { bench, server } of [env.first, env.second]) {
      const headers = { cookie, 'x-flotilla-console': '1' };
      const response = await bench.request(server, '/auth/session', { token: '' }, headers);
      expect(await response.body.json()).toMatchObject({ user: 'anna' });
    }
  } finally {
    await browser.close();
  }
});
