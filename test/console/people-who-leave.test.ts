import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it, vi } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { withoutCreator } from '../../src/server/token-without-creator.fixture.ts';
import { violationsInBothThemes } from './harness/accessibility.ts';
import { expectNoProblems, signIn, signInAs } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { violationsInEveryLook } from './harness/looks.ts';

const group = `/apis/${managementGroup}/v1`;
/** If set, the directory for screenshots. */
const screenshots = process.env.FLOTILLA_SCREENSHOTS;

describeConsole('the pages about people who leave', (env) => {
  async function person(name: string): Promise<string> {
    const password = 'correct horse battery';
    await env.admin.request('POST', `${group}/users`, { metadata: { name }, spec: { password } });
    return password;
  }

  async function offboard(page: Page, user: string): Promise<void> {
    await page.getByRole('button', { name: `Offboard ${user}` }).click();
    const dialog = page.getByRole('dialog', { name: `Offboard ${user}?` });
    await dialog.getByRole('textbox').fill(user);
    await dialog.getByRole('button', { name: `Offboard ${user}` }).click();
    await page.getByText(`All access of ${user} has ended.`).waitFor();
  }

  it('list the credentials of a virtual cluster, and revoke all of them', async () => {
    await env.admin.createInstance('shop');
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/virtual-clusters/default/shop?tab=access');
    await page.getByText('No credentials.').waitFor();
    const made = await env.inside.request('shop', '/api/v1/namespaces/default/secrets', {
      method: 'POST',
      document: {
        metadata: { name: 'robot', annotations: { 'kubernetes.io/service-account.name': 'default' } },
        type: 'kubernetes.io/service-account-token',
      },
    });
    expect(made.status, made.text).toBe(201);
    await page.reload();
    const table = page.getByRole('region', { name: 'Credentials', exact: true });
    await table.getByText('default/robot').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Revoke all' }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke all credentials?' });
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText(/Tokens issued before .* are revoked/).waitFor();
    await page.getByText('No credentials.').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    expectNoProblems(watched);
    await page.close();
  });

  it('explain what a user reaches, and offboard the user', async () => {
    await person('anna');
    await env.admin.createInstance('annas', { spec: { owner: { user: 'anna' } } });
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/users/anna?tab=effective-access');
    const access = page.getByRole('region', { name: 'Permissions', exact: true });
    await access.getByText('annas').first().waitFor();
    if (screenshots !== undefined) await page.screenshot({ path: `${screenshots}/effective-access.png` });
    await page.getByRole('link', { name: 'Offboard', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Offboarding' }).waitFor();
    await page.getByRole('region', { name: 'Offboarding plan' }).getByText('default/annas').waitFor();
    if (screenshots !== undefined) await page.screenshot({ path: `${screenshots}/offboard.png` });
    expect(await violationsInEveryLook(page)).toEqual([]);
    expect(await page.getByRole('button', { name: 'Offboard anna' }).isDisabled()).toBe(true);
    await page.getByRole('combobox', { name: 'New owner' }).fill('admin');
    await page.getByRole('option', { name: /admin/ }).first().click();
    await offboard(page, 'anna');
    const result = page.getByRole('region', { name: 'Result of the offboarding' });
    await result.getByRole('row').filter({ hasText: 'Transferred' }).filter({ hasText: 'default/annas' }).waitFor();
    expect(await violationsInEveryLook(page)).toEqual([]);
    expect(await env.admin.statusOf(env.flotilla.adminKey, 'GET', `${group}/users/anna`)).toBe(404);
    await page.close();
  });

  it('revoke tokens without a known creator while a user is offboarded, if the switch is on', async () => {
    await person('dora');
    const access = [{ name: 'use', verbs: ['get', 'use'], users: ['dora'] }];
    await env.admin.createInstance('common', { spec: { access } });
    const account = '/api/v1/namespaces/default/serviceaccounts/default/token';
    const issued = await vi.waitFor(
      async () => {
        const response = await env.inside.request('common', account, { method: 'POST', document: { spec: {} } });
        expect(response.status, response.text).toBe(201);
        return response.text;
      },
      { timeout: 30_000 },
    );
    const signingKeys = readFileSync(join(env.flotilla.dataDirectory, 'signing.key'), 'utf8');
    const token = await withoutCreator(JSON.parse(issued).status.token, signingKeys);
    const codeOfToken = async () => (await env.inside.request('common', '/version', { token })).status;
    expect(await codeOfToken()).toBe(200);

    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/users/dora');
    await page.getByRole('link', { name: 'Offboard', exact: true }).click();
    const plannedFor = (name: string, action: string) =>
      page
        .getByRole('row')
        .filter({ has: page.getByRole('cell', { name: action, exact: true }) })
        .filter({ has: page.getByRole('cell', { name, exact: true }) });
    await plannedFor('default/common', 'Keep').waitFor();
    await page.getByRole('switch', { name: 'Revoke service account tokens without a known creator' }).check();
    await plannedFor('default/common', 'Revoke').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    expect(await codeOfToken()).toBe(200);
    await offboard(page, 'dora');
    expect(await codeOfToken()).toBe(401);
    await page.close();
  });

  it('ask for the password again before a key without a scope is created', async () => {
    const password = await person('carol');
    const key = await env.admin.request<{ spec: { key: string } }>('POST', `${group}/ownedaccesskeys`, {
      metadata: { name: 'carols' },
      spec: { user: 'carol' },
    });
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, key.spec.key, '/keys/new');
    await page.getByLabel('Name', { exact: true }).fill('wide');
    await page.getByRole('button', { name: /^Create/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm your password' });
    if (screenshots !== undefined) await page.screenshot({ path: `${screenshots}/password.png` });
    await dialog.getByLabel('Password of carol', { exact: true }).fill(password);
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await expect
      .poll(async () => await env.admin.statusOf(env.flotilla.adminKey, 'GET', `${group}/accesskeys/wide`))
      .toBe(200);
    await page.close();
    const again = await env.open();
    await signInAs(again.page, 'carol', password, '/keys');
    await again.page.getByText('wide').first().waitFor();
    expectNoProblems(again);
    await again.page.close();
  });
});
