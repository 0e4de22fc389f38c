import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { OidcProviderFixture } from '../oidc/oidc-provider.fixture.ts';
import type { MonitoredPage } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { readableTexts } from './harness/secrets.ts';

/** A real identity provider. It starts before the server, because the server's settings contain its issuer. */
const provider = await OidcProviderFixture.start();
afterAll(() => provider.close());

const connector = provider.connector('company', {
  displayName: 'Company',
  adminGroups: ['admins'],
  groupsToTeams: { builders: 'builders' },
});
const users = `/apis/${managementGroup}/v1/users`;

describeConsole(
  'signing in to the console with a provider',
  (env) => {
    beforeAll(() => {
      const { url } = env.flotilla;
      provider.allowRedirects([`${url}/auth/oidc/company/callback`], [`${url}/sign-in`]);
      provider.accounts.set('1', { preferred_username: 'ada', name: 'Ada Lovelace', groups: ['admins', 'builders'] });
      provider.accounts.set('2', { preferred_username: 'ben', name: 'Ben Okafor', groups: ['staff'] });
    });

    /** Expects that the page sent requests only to this server and the provider. */
    const expectOnlyProviderProblems = ({ problems }: MonitoredPage) =>
      expect(problems().filter((problem) => !problem.startsWith(`request to ${provider.issuer}/`))).toEqual([]);

    async function signIn(page: Page, subject: string, path: string): Promise<void> {
      await page.goto(path);
      await page.getByRole('link', { name: 'Continue with Company' }).click();
      await page.getByLabel('Account').fill(subject);
      await page.getByRole('button', { name: 'Sign in at the provider' }).click();
    }

    const identityOf = async (name: string) => {
      const user = await env.admin.request<{ status?: { identities?: object[] } }>('GET', `${users}/${name}`);
      return user.status?.identities?.[0];
    };

    it('leads to the provider and back to the same page, as the right user with teams and permissions', async () => {
      const watched = await env.open();
      const { page, context } = watched;
      await signIn(page, '1', '/users?q=a');
      await page.getByRole('button', { name: 'Ada Lovelace' }).waitFor();
      await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
      expect(page.url()).toBe(`${env.flotilla.url}/users?q=a`);
      expect(await identityOf('ada')).toMatchObject({
        connector: 'company',
        subject: '1',
        teams: ['builders'],
        admin: true,
      });
      // Only an administrator sees this button.
      await page.getByRole('main').getByRole('button', { name: 'New user' }).waitFor();

      const cookies = (await context.cookies(env.flotilla.url)).filter(({ name }) => name.startsWith('__Host-'));
      expect(cookies).toMatchObject([
        { name: '__Host-flotilla-session', httpOnly: true, secure: true, sameSite: 'Strict' },
      ]);
      const texts = await readableTexts(page);
      for (const secret of [cookies[0]?.value ?? 'none', 'flk_', 'eyJ', provider.clientSecret]) {
        expect(texts).not.toContain(secret);
      }
      // The session survives a reload: the browser sends the `SameSite=Strict` cookie even though the provider's site
      // started the sign-in.
      await page.reload();
      await page.getByRole('button', { name: 'Ada Lovelace' }).waitFor();
      expectOnlyProviderProblems(watched);
      await context.close();
    });

    it('gives no administrator permissions to others', async () => {
      const watched = await env.open();
      const { page, context } = watched;
      await signIn(page, '2', '/');
      await page.getByRole('button', { name: 'Ben Okafor' }).waitFor();
      expect(await identityOf('ben')).not.toHaveProperty('admin', true);
      expectOnlyProviderProblems(watched);
      await context.close();
    });

    it('ends both sessions on sign-out, so that the next sign-in asks again', async () => {
      const watched = await env.open();
      const { page, context } = watched;
      await signIn(page, '2', '/');
      await page.getByRole('button', { name: 'Ben Okafor' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      // The page of the provider asks for a confirmation.
      await page.waitForURL(`${provider.issuer}/**`);
      await page.getByRole('button', { name: 'Yes, sign me out' }).click();
      await page.waitForURL(`${env.flotilla.url}/**`);
      await page.getByRole('link', { name: 'Continue with Company' }).click();
      await page.getByLabel('Account').waitFor();
      expectOnlyProviderProblems(watched);
      await context.close();
    });

    it('returns to the sign-in page with an explanation if the person or the provider refuses', async () => {
      const watched = await env.open();
      const { page, context } = watched;
      await signIn(page, 'nobody', '/projects');
      await page.getByRole('alert').getByText('Company refused the sign-in').waitFor();
      expect(await context.cookies(env.flotilla.url)).not.toContainEqual(
        expect.objectContaining({ name: expect.stringMatching(/^__Host-flotilla/) }),
      );
      expectOnlyProviderProblems(watched);
      await context.close();
    });

    it('explains that the provider does not answer, and keeps open sessions', async () => {
      const before = await env.open();
      await signIn(before.page, '2', '/');
      await before.page.getByRole('button', { name: 'Ben Okafor' }).waitFor();
      provider.behave('down', '/token');
      const watched = await env.open();
      await signIn(watched.page, '1', '/projects');
      await watched.page.getByRole('alert').getByText('Company does not respond.').waitFor();
      provider.behave('normal', '/token');
      await watched.page.getByRole('link', { name: 'Continue with Company' }).click();
      await watched.page.getByRole('button', { name: 'Ada Lovelace' }).waitFor();
      await before.page.reload();
      await before.page.getByRole('button', { name: 'Ben Okafor' }).waitFor();
      expectOnlyProviderProblems(watched);
      await before.context.close();
      await watched.context.close();
    });
  },
  { auth: { oidc: [connector] } },
);
