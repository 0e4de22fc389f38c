import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { type SignInMethods, signInProblems } from '../../src/api/sign-in.ts';
import { expectNoProblems, signIn } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { violationsInEveryLook } from './harness/looks.ts';

/** If set, the directory for screenshots. */
const screenshots = process.env['FLOTILLA_SCREENSHOTS'];
const connectors = [
  { name: 'acme', displayName: 'Acme' },
  { name: 'partner', displayName: 'Partner <b>Ltd</b>' },
];

/**
 * Makes the page offer the given sign-in methods, which this server does not have. No identity providers are needed.
 */
async function offer(page: Page, methods: SignInMethods): Promise<void> {
  await page.route('**/auth/methods', (route) => route.fulfill({ json: methods }));
}

async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (screenshots !== undefined) await page.screenshot({ path: join(screenshots, `${name}.png`) });
}

describeConsole('the sign-in page with connectors', (env) => {
  it('has a link for each connector that returns to the current page, before the password', async () => {
    const watched = await env.open();
    const { page, context } = watched;
    await offer(page, { password: true, connectors });
    await page.goto('/virtual-clusters?q=shop');
    const link = page.getByRole('link', { name: 'Continue with Acme' });
    expect(await link.getAttribute('href')).toBe('/auth/oidc/acme/login?returnTo=%2Fvirtual-clusters%3Fq%3Dshop');
    // Markup in a name is escaped.
    await page.getByRole('link', { name: 'Continue with Partner <b>Ltd</b>' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await link.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await page.getByLabel('Username').isVisible()).toBe(true);
    expect(await violationsInEveryLook(page)).toEqual([]);
    await keepScreenshot(page, 'sso-sign-in');
    expectNoProblems(watched);
    await context.close();
  });

  it('hides the password if it is disabled, and keeps access keys behind a link', async () => {
    const watched = await env.open();
    const { page, context } = watched;
    await offer(page, { password: false, connectors });
    await page.goto('/');
    await page.getByRole('link', { name: 'Continue with Acme' }).waitFor();
    expect(await page.locator('input').count()).toBe(0);
    await page.getByRole('button', { name: 'Use an access key' }).click();
    const field = page.locator('input[name="access-key"]');
    await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await page.getByRole('button', { name: 'Use a password' }).count()).toBe(0);
    await field.fill(env.flotilla.adminKey);
    await page.keyboard.press('Enter');
    await page.locator('main#page').waitFor();
    expectNoProblems(watched);
    await context.close();
  });

  it.each(signInProblems)('explains the problem %s and the next step', async (problem) => {
    const watched = await env.open();
    const { page, context } = watched;
    await offer(page, { password: true, connectors });
    await page.goto(`/sign-in?problem=${problem}&connector=acme`);
    const notice = page.getByRole('alert');
    expect(await notice.innerText()).toMatch(/\w\n+\w.*\w\. .*(try again|sign in again|administrator)/i);
    await keepScreenshot(page, `sso-problem-${problem}`);
    if (problem === 'NoUser') expect(await violationsInEveryLook(page)).toEqual([]);
    expectNoProblems(watched);
    await context.close();
  });

  it('shows no text that the URL contains', async () => {
    const watched = await env.open();
    const { page, context } = watched;
    await page.goto('/sign-in?problem=Call+0900&connector=evil');
    await page.getByLabel('Username').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.goto('/sign-in?problem=Refused&connector=Call+0900');
    await page.getByRole('alert').waitFor();
    expect(await page.locator('body').innerText()).not.toContain('0900');
    expectNoProblems(watched);
    await context.close();
  });

  it('leads from a problem to the start page, and keeps an earlier session', async () => {
    const watched = await env.open();
    const { page, context } = watched;
    await signIn(page, env.flotilla.adminKey, '/sign-in?problem=Expired&connector=acme');
    await expect.poll(() => new URL(page.url()).pathname + new URL(page.url()).search).toBe('/');
    await page.goto('/sign-in?problem=Expired&connector=acme');
    await page.getByRole('heading', { name: 'Sign-in failed' }).waitFor();
    await page.getByRole('link', { name: 'Continue to the console' }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/');
    await page.goto('/sign-in');
    await expect.poll(() => new URL(page.url()).pathname).toBe('/');
    expectNoProblems(watched);
    await context.close();
  });
});

describeConsole(
  'a console whose passwords are disabled and that has no connector',
  (env) => {
    it('asks for an access key at once', async () => {
      const watched = await env.open();
      const { page, context } = watched;
      await page.goto('/');
      await page.locator('input[name="access-key"]').fill(env.flotilla.adminKey);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.locator('main#page').waitFor();
      expectNoProblems(watched);
      await context.close();
    });
  },
  { auth: { password: { enabled: false } } },
);
