import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { managementGroup, projectRoles, sleepForceAnnotation } from '../../src/api/naming.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { describeWith } from '../harness/suite.ts';
import { accessibilityFaults } from './harness/accessibility.ts';
import { type AdminApi, adminApi } from './harness/admin-api.ts';
import { chromiumMissing, expectNoProblems, openPage, signIn, startBrowser } from './harness/browser.ts';

const group = `/apis/${managementGroup}/v1`;
const apiVersion = `${managementGroup}/v1`;
const markup = '<img src=x onerror=alert(1)>';

describeWith(chromiumMissing, 'the fleet at a glance', () => {
  let flotilla: FlotillaProcess;
  let browser: Browser;
  let admin: AdminApi;

  beforeAll(async () => {
    flotilla = await startFlotilla();
    browser = await startBrowser();
    admin = adminApi(flotilla);
    const spec = { displayName: markup };
    await admin.createInstance('shop', { spec });
    await admin.createInstance('search', { spec });
    await admin.createInstance('asleep', { spec, metadata: { annotations: { [sleepForceAnnotation]: 'true' } } });
    await admin.ask('POST', `${group}/clusters`, {
      apiVersion,
      kind: 'Cluster',
      metadata: { name: 'far' },
      spec: { networkPeer: true, displayName: markup },
    });
    await admin.ask('PATCH', `${group}/projects/default`, {
      spec: {
        displayName: markup,
        quotas: { project: { virtualclusterinstances: '4' } },
        members: [{ kind: 'User', name: 'vera', clusterRole: projectRoles.viewer }],
      },
    });
    await admin.createUser('vera', 'a password for tests', { displayName: markup });
  });
  afterAll(async () => {
    await admin.close();
    await browser.close();
    await flotilla.remove();
  });

  it('counts, warns, and leads to what it counts', async () => {
    const watched = await openPage(browser, flotilla.url);
    const { page } = watched;
    await signIn(page, flotilla.adminKey);
    await page.getByRole('link', { name: '2 Ready' }).waitFor();
    await page.getByRole('region', { name: 'Clusters' }).getByText('1 of 2 online').waitFor();
    await page.getByRole('link', { name: 'The cluster far is not connected yet' }).waitFor();
    await page.getByText('3 of 4').waitFor();
    // Written down by the server some time after they became Ready.
    await page.getByText(/virtual clusters in 14 days: half of them within/).waitFor({ timeout: 60_000 });

    await page.getByRole('link', { name: '1 Sleeping' }).click();
    await page.getByRole('link', { name: 'asleep' }).waitFor();
    expect(await page.getByRole('link', { name: 'shop' }).count()).toBe(0);
    await page.goBack();
    await page.getByRole('link', { name: '1 Sleeping' }).waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('is gone through with the keyboard alone, and remembers the theme', async () => {
    const watched = await openPage(browser, flotilla.url);
    const { page } = watched;
    await signIn(page, flotilla.adminKey);
    await page.getByRole('link', { name: '2 Ready' }).waitFor();
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('To the page itself');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('New virtual cluster');

    await page.getByRole('button', { name: 'Use the dark theme' }).press('Enter');
    await page.getByRole('button', { name: 'Use the light theme' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Use the light theme' }).waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('offers a viewer nothing that a viewer may not do', async () => {
    const watched = await openPage(browser, flotilla.url);
    const { page } = watched;
    await page.goto('/');
    await page.getByLabel('User name').fill('vera');
    await page.locator('input[name="password"]').fill('a password for tests');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Fleet', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Access keys' }).waitFor();
    expect(await page.getByRole('link', { name: 'Audit' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'New virtual cluster' }).count()).toBe(0);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
  ] as const)('keeps nobody out in the %s theme, %i pixels wide', async (theme, width) => {
    const watched = await openPage(browser, flotilla.url, { theme, width });
    const { page } = watched;
    await signIn(page, flotilla.adminKey);
    await page.getByRole('link', { name: '2 Ready' }).waitFor();
    await page.getByText('3 of 4').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    // Nothing sticks out at the side.
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    expectNoProblems(watched);
    await watched.context.close();
  });
});
