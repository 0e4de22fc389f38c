import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { managementGroup, projectRoles } from '../../src/api/naming.ts';
import { violationsInBothThemes } from './harness/accessibility.ts';
import { expectNoProblems, signIn } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { readableTexts } from './harness/secrets.ts';

const group = `/apis/${managementGroup}/v1`;
const markup = '<img src=x onerror=alert(1)> nightly';
const password = 'correct horse battery';

describeConsole('access keys', (env) => {
  beforeAll(async () => {
    const apiVersion = `${managementGroup}/v1`;
    await env.admin.createUser('anna', password);
    await env.admin.request('POST', `${group}/teams`, {
      apiVersion,
      kind: 'Team',
      metadata: { name: 'ops' },
      spec: { users: ['anna'] },
    });
    const members = [{ kind: 'User', name: 'anna', clusterRole: projectRoles.admin }];
    await env.admin.request('PATCH', `${group}/projects/default`, { spec: { members } });
    await env.admin.request('POST', `${group}/ownedaccesskeys`, {
      apiVersion,
      kind: 'OwnedAccessKey',
      metadata: { name: 'old' },
      spec: { user: 'anna', scope: { rules: [{ verbs: ['get'], requestTargets: ['Management'] }] } },
    });
  });

  const row = (page: Page, name: string) => page.getByRole('row').filter({ has: page.getByRole('link', { name }) });
  const opens = (key: string) => env.admin.statusOf(key, 'POST', `${group}/selves`, {});

  async function act(page: Page, name: string, item: string): Promise<void> {
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: item }).click();
  }

  /** Returns the value that the dialog shows, closes the dialog, and checks that the value left the page. */
  async function takeValue(page: Page): Promise<string> {
    const value = await page.getByLabel('Access key value').innerText();
    expect(value).toMatch(/^flk_\w{46}$/);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await readableTexts(page)).not.toContain(value);
    return value;
  }

  it('are created with a scope, shown once, rotated, disabled and deleted', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/keys');
    await page.getByRole('link', { name: 'New access key' }).click();
    await page.getByRole('region', { name: 'Permissions' }).getByText('All permissions of the owner').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);

    await page.getByLabel('Name', { exact: true }).fill('Not A Name');
    await page.getByRole('button', { name: 'Create access key' }).click();
    await page
      .getByText(/must consist of lower case/)
      .first()
      .waitFor();
    await page.getByLabel('Name', { exact: true }).fill('ci');
    await page.getByLabel('Display name').fill(markup);
    await page.getByLabel('Limited access').check();
    await page.getByText('No access yet').waitFor();
    expect(await page.getByRole('button', { name: 'Create access key' }).isDisabled()).toBe(true);
    await page.getByRole('combobox', { name: 'Projects' }).click();
    await page.getByRole('option', { name: 'default' }).click();
    await page.getByText(/^In the project default: view, create, change, delete/).waitFor();
    // The switch is on as soon as the key may access something. A key without any access permits nothing.
    await page.getByText(/^With the command-line tool or kubectl: show the owner of the key/).waitFor();
    await page.getByLabel('Allow the command-line tool and kubectl').uncheck();
    await page.getByText(/^Use kubectl with the management API/).waitFor();
    await page.getByLabel('Allow the command-line tool and kubectl').check();
    await page.getByText(/^Use kubectl with the management API/).waitFor({ state: 'hidden' });
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create access key' }).click();

    await page.getByRole('button', { name: 'Copy access key' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download ci.key' }).click(),
    ]);
    expect(readFileSync(await download.path(), 'utf8')).toBe(`${copied}\n`);
    const first = await takeValue(page);
    expect(first).toBe(copied);

    await row(page, 'ci').getByText('project default, command line').waitFor();
    await row(page, 'ci').getByText(markup).waitFor();
    expect(await opens(first)).toBe(201);
    expect(await env.admin.statusOf(first, 'GET', `${group}/users`)).toBe(403);
    await row(page, 'ci').getByText('ago').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);

    await act(page, 'ci', 'Rotate');
    await page.getByRole('button', { name: 'Rotate key' }).click();
    const second = await takeValue(page);
    expect([await opens(first), await opens(second)]).toEqual([401, 201]);

    await act(page, 'ci', 'Disable');
    await page.getByRole('button', { name: 'Disable ci' }).click();
    await row(page, 'ci').getByText('Disabled').waitFor();
    expect(await opens(second)).toBe(401);
    await act(page, 'ci', 'Enable');
    await page.getByRole('button', { name: 'Enable ci' }).click();
    await row(page, 'ci').getByText('Active').waitFor();
    expect(await opens(second)).toBe(201);

    await page.getByRole('link', { name: 'ci', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: markup }).waitFor();
    await page.getByText('30 days after creation').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete ci' }).click();
    await page.getByText('Deleted ci').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Access keys' }).waitFor();
    expect(await opens(second)).toBe(401);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('list the keys of the user and their teams; administrators see all keys', async () => {
    const watched = await env.open({ width: 390, height: 844 });
    const { page } = watched;
    await page.goto('/keys');
    await signInAsNarrow(page);
    await row(page, 'old').waitFor();
    expect(await page.getByRole('tab', { name: 'All keys' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'admin', exact: true }).count()).toBe(0);

    await act(page, 'old', 'Duplicate');
    await page.getByText('All verbs on everything, only on the management API.').waitFor({ state: 'hidden' });
    await page.getByText('Verb get on everything, only on the management API.').first().waitFor();
    await page.getByLabel('Owner', { exact: true }).selectOption('Team/ops');
    await page.getByText(/^Limited access\. The key can never do more than its owner may do/).waitFor();
    await page.getByRole('button', { name: 'Create access key' }).click();
    const value = await takeValue(page);
    await page.getByRole('row').filter({ hasText: 'ops' }).first().waitFor();
    const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    expect(isTooWide).toBe(false);
    expect(await violationsInBothThemes(page)).toEqual([]);
    expect(await opens(value)).toBe(403);

    await page.getByRole('tab', { name: 'Your sessions' }).click();
    await page.getByText('this session').waitFor();
    expectNoProblems(watched);
    await watched.context.close();

    const other = await env.open();
    await signIn(other.page, env.flotilla.adminKey, '/keys?tab=all');
    await row(other.page, 'old').waitFor();
    await row(other.page, 'admin').first().waitFor();
    expect(await violationsInBothThemes(other.page)).toEqual([]);
    expectNoProblems(other);
    await other.context.close();
  });

  it('without permission for access reviews can still sign in and act in their project', async () => {
    const { spec } = await env.admin.request<{ spec: { key: string } }>('POST', `${group}/ownedaccesskeys`, {
      apiVersion: `${managementGroup}/v1`,
      kind: 'OwnedAccessKey',
      metadata: { name: 'narrow' },
      spec: { user: 'anna', scope: { projects: [{ project: 'default' }] } },
    });
    await env.admin.createInstance('reached');
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, spec.key, '/virtual-clusters/new');
    await page.getByRole('combobox', { name: 'Project' }).waitFor();
    await page.goto('/virtual-clusters/default/reached');
    await page.getByRole('button', { name: 'Sleep', exact: true }).click();
    await page.getByRole('button', { name: 'Put to sleep' }).click();
    await page.getByText('This virtual cluster is asleep').waitFor();
    expect(await page.getByRole('link', { name: 'Users' }).count()).toBe(0);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('shows the new value of a rotated key even if the current session belongs to it and ends', async () => {
    const made = await env.admin.request<{ spec: { key: string } }>('POST', `${group}/ownedaccesskeys`, {
      apiVersion: `${managementGroup}/v1`,
      kind: 'OwnedAccessKey',
      metadata: { name: 'mine' },
    });
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, made.spec.key, '/keys');
    await act(page, 'mine', 'Rotate');
    await page.getByRole('button', { name: 'Rotate key' }).click();
    await page.getByText('Your session has ended').waitFor();
    const value = await takeValue(page);
    await page.getByRole('button', { name: 'Use an access key' }).click();
    await page.locator('input[name="access-key"]').fill(value);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await row(page, 'mine').waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });

  /** Signs in on a narrow screen, where the navigation is collapsed. */
  async function signInAsNarrow(page: Page): Promise<void> {
    await page.locator('input[name="username"]').fill('anna');
    await page.locator('input[name="password"]').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Access keys' }).waitFor();
  }
});
