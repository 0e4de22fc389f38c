import { beforeAll, expect, it } from 'vitest';
import { managementGroup, projectRoles, sleepForceAnnotation } from '../../src/api/naming.ts';
import { expectNoProblems, signIn } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { violationsInEveryLook } from './harness/looks.ts';

const group = `/apis/${managementGroup}/v1`;
const apiVersion = `${managementGroup}/v1`;
const markup = '<img src=x onerror=alert(1)>';

describeConsole('the fleet page', (env) => {
  beforeAll(async () => {
    const spec = { displayName: markup };
    await env.admin.createInstance('shop', { spec });
    await env.admin.createInstance('search', { spec });
    await env.admin.createInstance('asleep', { spec, metadata: { annotations: { [sleepForceAnnotation]: 'true' } } });
    await env.admin.request('POST', `${group}/clusters`, {
      apiVersion,
      kind: 'Cluster',
      metadata: { name: 'far' },
      spec: { networkPeer: true, displayName: markup },
    });
    await env.admin.request('PATCH', `${group}/projects/default`, {
      spec: {
        displayName: markup,
        quotas: { project: { virtualclusterinstances: '4' } },
        members: [{ kind: 'User', name: 'vera', clusterRole: projectRoles.viewer }],
      },
    });
    await env.admin.createUser('vera', 'a password for tests', { displayName: markup });
  });

  it('shows counts and warnings, with links', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey);
    await page.getByRole('link', { name: '2 Ready' }).waitFor();
    await page.getByRole('region', { name: 'Clusters' }).getByText('1 of 2 online').waitFor();
    await page.getByRole('link', { name: 'Cluster "far" is not connected yet' }).waitFor();
    await page.getByText('3 of 4').waitFor();
    // The server records it some time after they became Ready.
    await page.getByText(/virtual clusters became Ready in the last 14 days/).waitFor({ timeout: 60_000 });

    await page.getByRole('link', { name: '1 Sleeping' }).click();
    await page.getByRole('link', { name: 'asleep' }).waitFor();
    expect(await page.getByRole('link', { name: 'shop' }).count()).toBe(0);
    await page.goBack();
    await page.getByRole('link', { name: '1 Sleeping' }).waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('can be used with the keyboard alone, and remembers the theme', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey);
    await page.getByRole('link', { name: '2 Ready' }).waitFor();
    // It is the page's first link, and appears when the server has confirmed the permission.
    await page.getByRole('link', { name: 'New virtual cluster' }).waitFor();
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to main content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('New virtual cluster');

    await page.getByRole('button', { name: 'Switch to dark theme' }).press('Enter');
    await page.getByRole('button', { name: 'Switch to light theme' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Switch to light theme' }).waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('offers a viewer only permitted actions', async () => {
    const watched = await env.open();
    const { page } = watched;
    await page.goto('/');
    await page.getByLabel('Username').fill('vera');
    await page.locator('input[name="password"]').fill('a password for tests');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Fleet', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Access keys' }).waitFor();
    expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'New virtual cluster' }).count()).toBe(0);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('is accessible in both themes and on a narrow screen', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey);
    await page.getByRole('link', { name: '2 Ready' }).waitFor();
    await page.getByText('3 of 4').waitFor();
    expect(await violationsInEveryLook(page)).toEqual([]);
    expectNoProblems(watched);
    await watched.context.close();
  });
});
