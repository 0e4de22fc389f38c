import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { violationsInBothThemes } from './harness/accessibility.ts';
import { expectNoProblems, signIn, signInAs } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { readableTexts } from './harness/secrets.ts';

const group = `/apis/${managementGroup}/v1`;
const markup = '<b onclick=alert(1)>Anna</b>';
const password = 'correct horse battery';
const another = 'another horse battery';

describeConsole('users and teams', (env) => {
  beforeAll(async () => {
    await env.admin.createUser('ben', password, { displayName: 'Ben Okafor' });
  });

  const dialog = (page: Page) => page.getByRole('dialog');
  const button = (page: Page, name: string) => page.getByRole('main').getByRole('button', { name, exact: true });

  it('are created, combined, given keys and passwords, disabled and deleted', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/users');
    await page.getByRole('row').filter({ hasText: 'Ben Okafor' }).waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);

    await button(page, 'New user').click();
    await dialog(page).getByLabel(/^Name/).fill('anna');
    await dialog(page).getByLabel('Display name').fill(markup);
    await dialog(page).getByLabel('Email').fill('anna@example.org');
    await dialog(page).getByLabel('Password', { exact: true }).fill('short');
    await dialog(page).getByLabel('Groups').fill('dev');
    await dialog(page).getByLabel('Groups').press('Enter');
    expect(await violationsInBothThemes(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    await dialog(page)
      .getByText(/must be 8 to 1024 characters long/)
      .first()
      .waitFor();
    await dialog(page).getByLabel('Password', { exact: true }).fill(password);
    await dialog(page).getByRole('button', { name: 'Create' }).click();

    await page.getByRole('heading', { level: 1, name: markup }).waitFor();
    expect(await readableTexts(page)).not.toContain(password);
    await page.getByText('anna@example.org').waitFor();
    await page.getByText('Not a member of any team.').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);

    await page.getByRole('navigation').getByRole('link', { name: 'Teams' }).click();
    await page.getByText('No teams yet').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await button(page, 'New team').first().click();
    await dialog(page).getByLabel(/^Name/).fill('ops');
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    await page.getByText('No members yet').waitFor();
    await button(page, 'Add user').click();
    await dialog(page).getByRole('combobox', { name: 'User' }).fill('okafor');
    await page.getByRole('option', { name: /Ben Okafor/ }).click();
    await dialog(page).getByRole('button', { name: 'Add' }).click();
    await page.getByRole('link', { name: 'Ben Okafor' }).waitFor();
    // A concurrent change by another client.
    await env.admin.request('PATCH', `${group}/teams/ops`, { spec: { users: ['ben', 'anna'] } });
    await page.getByRole('link', { name: markup }).waitFor();
    await button(page, 'Remove ben').click();
    await dialog(page).getByRole('button', { name: 'Remove ben' }).click();
    await page.getByRole('link', { name: 'Ben Okafor' }).waitFor({ state: 'hidden' });
    expect(await violationsInBothThemes(page)).toEqual([]);

    await page.getByRole('tab', { name: 'Access keys' }).click();
    await page.getByRole('link', { name: 'New access key' }).click();
    const owner = page.getByRole('combobox', { name: /^Owner/ }).or(page.getByRole('textbox', { name: /^Owner/ }));
    await expect.poll(() => owner.inputValue()).toMatch(/ops/);
    await page.getByRole('button', { name: 'Create access key' }).click();
    const value = await page.getByLabel('Access key value').innerText();
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await env.admin.statusOf(value, 'POST', `${group}/selves`, {})).toBe(201);

    await page.goto('/users/anna');
    await page.getByRole('link', { name: 'ops' }).waitFor();
    await button(page, 'Disable').click();
    await dialog(page).getByRole('button', { name: 'Disable anna' }).click();
    await page.getByRole('main').getByText('Disabled', { exact: true }).waitFor();
    await button(page, 'Enable').click();
    await dialog(page).getByRole('button', { name: 'Enable anna' }).click();
    await page.getByRole('main').getByText('Active', { exact: true }).waitFor();
    await button(page, 'Delete').click();
    await dialog(page).getByLabel('Type anna to confirm').fill('anna');
    await dialog(page).getByRole('button', { name: 'Delete anna' }).click();
    await page.getByText('Deleted user anna').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('allow a user to change their own password, and nothing of others', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signInAs(page, 'ben', password);
    await page.getByRole('button', { name: 'Ben Okafor' }).click();
    await page.getByRole('menuitem', { name: 'Account settings' }).click();
    await button(page, 'Set password').waitFor();
    for (const name of ['Disable', 'Delete']) expect(await button(page, name).count()).toBe(0);
    await button(page, 'Set password').click();
    await dialog(page).getByLabel('New password', { exact: true }).fill(another);
    await dialog(page).getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Changed password of ben').waitFor();
    expect(await readableTexts(page)).not.toContain(another);
    // The current session continues.
    await page.getByRole('navigation').getByRole('link', { name: 'Users' }).click();
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
    expect(await button(page, 'New user').count()).toBe(0);
    expectNoProblems(watched);
    await watched.context.close();

    const later = await env.open({ width: 390, height: 844 });
    await later.page.goto('/users/ben');
    await later.page.locator('input[name="username"]').fill('ben');
    await later.page.locator('input[name="password"]').fill(another);
    await later.page.getByRole('button', { name: 'Sign in' }).click();
    await later.page.getByRole('heading', { level: 1, name: 'Ben Okafor' }).waitFor();
    const isTooWide = await later.page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    expect(isTooWide).toBe(false);
    expectNoProblems(later);
    await later.context.close();
  });
});
