import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { managementGroup, projectRoles } from '../../src/api/naming.ts';
import { faultsInBothThemes } from './harness/accessibility.ts';
import { expectNoProblems, signIn } from './harness/browser.ts';
import { describeConsole } from './harness/console-bench.ts';
import { readableTexts } from './harness/secrets.ts';

const group = `/apis/${managementGroup}/v1`;
const markup = '<img src=x onerror=alert(1)> nightly';
const password = 'correct horse battery';

describeConsole('access keys', (bench) => {
  beforeAll(async () => {
    const apiVersion = `${managementGroup}/v1`;
    await bench.admin.createUser('anna', password);
    await bench.admin.ask('POST', `${group}/teams`, {
      apiVersion,
      kind: 'Team',
      metadata: { name: 'ops' },
      spec: { users: ['anna'] },
    });
    const members = [{ kind: 'User', name: 'anna', clusterRole: projectRoles.admin }];
    await bench.admin.ask('PATCH', `${group}/projects/default`, { spec: { members } });
    await bench.admin.ask('POST', `${group}/ownedaccesskeys`, {
      apiVersion,
      kind: 'OwnedAccessKey',
      metadata: { name: 'old' },
      spec: { user: 'anna', scope: { rules: [{ verbs: ['get'], requestTargets: ['Management'] }] } },
    });
  });

  const row = (page: Page, name: string) => page.getByRole('row').filter({ has: page.getByRole('link', { name }) });
  const opens = (key: string) => bench.admin.statusOf(key, 'POST', `${group}/selves`, {});

  async function act(page: Page, name: string, item: string): Promise<void> {
    await page.getByRole('button', { name: `What to do with ${name}` }).click();
    await page.getByRole('menuitem', { name: item }).click();
  }

  /** The value that the dialog shows; the dialog is closed then, and the value gone from the page. */
  async function keptValue(page: Page): Promise<string> {
    const value = await page.getByLabel('The value of the key').innerText();
    expect(value).toMatch(/^flk_\w{46}$/);
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await readableTexts(page)).not.toContain(value);
    return value;
  }

  it('are made with a scope, shown once, rotated, disabled and deleted', async () => {
    const watched = await bench.open();
    const { page } = watched;
    await signIn(page, bench.flotilla.adminKey, '/keys');
    await page.getByRole('link', { name: 'New access key' }).click();
    await page.getByText('It can do everything that you may do.').waitFor();
    expect(await faultsInBothThemes(page)).toEqual([]);

    await page.getByLabel('Name', { exact: true }).fill('Not A Name');
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page
      .getByText(/must consist of lower case/)
      .first()
      .waitFor();
    await page.getByLabel('Name', { exact: true }).fill('ci');
    await page.getByLabel('Display name').fill(markup);
    await page.getByLabel('Only what is chosen here').check();
    await page.getByText('It can do nothing yet').waitFor();
    expect(await page.getByRole('button', { name: 'Create the key' }).isDisabled()).toBe(true);
    await page.getByRole('combobox', { name: 'Projects' }).click();
    await page.getByRole('option', { name: 'default' }).click();
    await page.getByText(/^In the project default: see, make, change and delete/).waitFor();
    await page.getByText(/^Be used with the command-line tool/).waitFor();
    await page.getByLabel('For the command-line tool and kubectl').check();
    await page.getByText(/^Be used with the command-line tool/).waitFor({ state: 'hidden' });
    expect(await faultsInBothThemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create the key' }).click();

    await page.getByRole('button', { name: 'Copy the key' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as ci.key' }).click(),
    ]);
    expect(readFileSync(await download.path(), 'utf8')).toBe(`${copied}\n`);
    const first = await keptValue(page);
    expect(first).toBe(copied);

    await row(page, 'ci').getByText('project default, command line').waitFor();
    await row(page, 'ci').getByText(markup).waitFor();
    expect(await opens(first)).toBe(201);
    expect(await bench.admin.statusOf(first, 'GET', `${group}/users`)).toBe(403);
    await row(page, 'ci').getByText('ago').waitFor();
    expect(await faultsInBothThemes(page)).toEqual([]);

    await act(page, 'ci', 'Give a new value');
    await page.getByRole('button', { name: 'Make a new value' }).click();
    const second = await keptValue(page);
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
    await page.getByText('30 days from its creation').waitFor();
    expect(await faultsInBothThemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete ci' }).click();
    await page.getByText('The key ci is deleted').waitFor();
    expect(await opens(second)).toBe(401);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it("are one's own and those of one's teams; administrators see everybody's", async () => {
    const watched = await bench.open({ width: 390, height: 844 });
    const { page } = watched;
    await page.goto('/keys');
    await signInAsNarrow(page);
    await row(page, 'old').waitFor();
    expect(await page.getByRole('tab', { name: "Everybody's" }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'admin', exact: true }).count()).toBe(0);

    await act(page, 'old', 'Make one like it');
    await page.getByText('Anything, on everything, at the management API.').waitFor({ state: 'hidden' });
    await page.getByText('Requests to get, on everything, at the management API.').first().waitFor();
    await page.getByLabel('For', { exact: true }).selectOption('Team/ops');
    await page.getByText(/only what the team ops may do/).waitFor();
    await page.getByRole('button', { name: 'Create the key' }).click();
    const value = await keptValue(page);
    await page.getByRole('row').filter({ hasText: 'ops' }).first().waitFor();
    const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    expect(isTooWide).toBe(false);
    expect(await faultsInBothThemes(page)).toEqual([]);
    expect(await opens(value)).toBe(403);

    await page.getByRole('tab', { name: 'Your sign-ins' }).click();
    await page.getByText('this session').waitFor();
    expectNoProblems(watched);
    await watched.context.close();

    const other = await bench.open();
    await signIn(other.page, bench.flotilla.adminKey, '/keys?tab=all');
    await row(other.page, 'old').waitFor();
    await row(other.page, 'admin').first().waitFor();
    expect(await faultsInBothThemes(other.page)).toEqual([]);
    expectNoProblems(other);
    await other.context.close();
  });

  it('sign in though they may not ask what they may do: what is in their project can be tried, and nothing waits for ever', async () => {
    const { spec } = await bench.admin.ask<{ spec: { key: string } }>('POST', `${group}/ownedaccesskeys`, {
      apiVersion: `${managementGroup}/v1`,
      kind: 'OwnedAccessKey',
      metadata: { name: 'narrow' },
      spec: { user: 'anna', scope: { projects: [{ project: 'default' }] } },
    });
    await bench.admin.createInstance('reached');
    const watched = await bench.open();
    const { page } = watched;
    await signIn(page, spec.key, '/virtual-clusters/new');
    await page.getByRole('combobox', { name: 'Project' }).waitFor();
    await page.goto('/virtual-clusters/default/reached');
    await page.getByRole('button', { name: 'Sleep' }).click();
    await page.getByRole('button', { name: 'Put it to sleep' }).click();
    await page.getByText('It is asleep').waitFor();
    expect(await page.getByRole('link', { name: 'Users' }).count()).toBe(0);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('shows the new value of the very key that the session was opened with, though that ends', async () => {
    const made = await bench.admin.ask<{ spec: { key: string } }>('POST', `${group}/ownedaccesskeys`, {
      apiVersion: `${managementGroup}/v1`,
      kind: 'OwnedAccessKey',
      metadata: { name: 'mine' },
    });
    const watched = await bench.open();
    const { page } = watched;
    await signIn(page, made.spec.key, '/keys');
    await act(page, 'mine', 'Give a new value');
    await page.getByRole('button', { name: 'Make a new value' }).click();
    await page.getByText('Your session has ended').waitFor();
    const value = await keptValue(page);
    await page.getByText('Access key', { exact: true }).click();
    await page.locator('input[name="access-key"]').fill(value);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await row(page, 'mine').waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });

  /** The navigation is folded away on a narrow screen. */
  async function signInAsNarrow(page: Page): Promise<void> {
    await page.locator('input[name="username"]').fill('anna');
    await page.locator('input[name="password"]').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Access keys' }).waitFor();
  }
});
