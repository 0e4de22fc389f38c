import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { chromium, firefox } from '../harness/browsers.ts';
import { expectNoProblems, type MonitoredPage, signIn, signInAs } from './harness/browser.ts';
import { type ConsoleTestEnv, describeConsole } from './harness/console-test-env.ts';

const group = `/apis/${managementGroup}/v1`;
const password = 'correct horse battery';

for (const browser of [chromium, firefox]) describeConsole(`the console in ${browser.name}`, personas, {}, browser);

/**
 * Tests what each persona can do with the console alone. Text is typed key by key, because React fields do not receive
 * text that WebDriver BiDi fills in at once.
 */
function personas(env: ConsoleTestEnv): void {
  beforeAll(async () => {
    for (const name of ['dana', 'vera', 'leo']) await env.admin.createUser(name, password);
  });

  const dialog = (page: Page) => page.getByRole('dialog');
  const menu = (page: Page, name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true });

  async function end(watched: MonitoredPage): Promise<void> {
    expectNoProblems(watched);
    await watched.context.close();
  }

  it('lets a platform engineer set up a project with members and a quota, and put limits on it', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey);
    await menu(page, 'Projects').click();
    await page.getByRole('button', { name: 'New project' }).first().click();
    await dialog(page).getByRole('textbox', { name: 'Name', exact: true }).pressSequentially('payments');
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'payments' }).waitFor();
    await page.getByRole('tab', { name: 'Members' }).click();
    for (const name of ['dana', 'leo']) {
      await page.getByRole('button', { name: 'Add member' }).click();
      await dialog(page).getByPlaceholder('Search by name').pressSequentially(name);
      await page.getByRole('option', { name }).first().click();
      await dialog(page).getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByLabel(`Role of ${name}`).waitFor();
    }
    await page.getByRole('tab', { name: 'Quotas' }).click();
    await page.getByRole('button', { name: 'Edit quotas' }).click();
    await dialog(page).getByLabel('Virtual clusters in the project').pressSequentially('5');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('0 of 5').waitFor();
    await menu(page, 'System').click();
    await page.getByText('One server with its own store').waitFor();
    await end(watched);
  });

  it('lets a developer create a virtual cluster, use it, and share it read-only', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signInAs(page, 'dana', password);
    await page.getByRole('link', { name: 'New virtual cluster' }).first().click();
    await page.locator('[data-path="metadata.name"]').pressSequentially('shop');
    await page.getByText(/^Ready to create/).waitFor();
    await page.getByRole('button', { name: 'Create virtual cluster' }).click();
    await page.getByText('Your virtual cluster is ready.').waitFor();
    await page.getByRole('link', { name: 'Connect', exact: true }).click();
    await page.getByRole('button', { name: 'Create kubeconfig' }).click();
    const kubeconfig = await dialog(page).getByLabel('Kubeconfig', { exact: true }).textContent();
    const token = /token: (\S+)/.exec(kubeconfig ?? '')?.[1] ?? '';
    expect((await env.inside.request('shop', '/version', { token, project: 'payments' })).status).toBe(200);
    await dialog(page).getByRole('button', { name: 'Done' }).click();

    await page.getByRole('link', { name: 'Open explorer' }).click();
    await page.getByRole('link', { name: 'ConfigMap', exact: true }).click();
    await page.getByRole('link', { name: 'kube-root-ca.crt' }).first().waitFor();

    await page.goto('/virtual-clusters/payments/shop?tab=access');
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await dialog(page).getByLabel('User or team').first().pressSequentially('vera');
    await page.getByRole('option', { name: /vera/ }).first().click();
    await dialog(page).getByLabel('Cluster role', { exact: true }).selectOption('view');
    await dialog(page).getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('row').filter({ hasText: 'vera' }).getByText('View and use').waitFor();
    await end(watched);

    const other = await env.open();
    await signInAs(other.page, 'vera', password, '/virtual-clusters');
    await other.page.getByRole('link', { name: 'shop', exact: true }).click();
    await other.page.getByRole('link', { name: 'Open explorer' }).click();
    await other.page.getByRole('link', { name: 'ConfigMap', exact: true }).click();
    await other.page.getByRole('link', { name: 'kube-root-ca.crt' }).first().waitFor();
    expect(await other.page.getByRole('button', { name: 'New ConfigMap' }).count()).toBe(0);
    await end(other);
  });

  it('lets the author of a pipeline create a key that permits only one project', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signInAs(page, 'dana', password);
    await menu(page, 'Access keys').click();
    await page.getByRole('link', { name: 'New access key' }).first().click();
    await page.getByLabel('Name', { exact: true }).pressSequentially('ci');
    await page.getByLabel('Limited access').check();
    await page.getByRole('combobox', { name: 'Projects' }).click();
    await page.getByRole('option', { name: 'payments' }).click();
    await page.getByText(/^In the project payments: view, create, change, delete/).waitFor();
    await page.getByRole('button', { name: 'Create access key' }).click();
    const key = await page.getByLabel('Access key value').innerText();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: 'ci', exact: true }).waitFor();
    const shop = `${group}/namespaces/platform-p-payments/virtualclusterinstances/shop`;
    expect(await env.admin.statusOf(key, 'GET', shop)).toBe(200);
    expect(await env.admin.statusOf(key, 'GET', `${group}/projects/default`)).toBe(403);
    await end(watched);
  });

  it('lets a security officer find who deleted a virtual cluster, explain access, and offboard a person', async () => {
    const leaver = await env.open();
    await signInAs(leaver.page, 'dana', password, '/virtual-clusters/payments/shop');
    await leaver.page.getByRole('button', { name: 'Delete' }).click();
    await dialog(leaver.page).getByRole('textbox').pressSequentially('shop');
    await dialog(leaver.page).getByRole('button', { name: 'Delete shop' }).click();
    await leaver.page.getByRole('heading', { level: 1, name: 'Virtual clusters' }).waitFor();
    await end(leaver);
    await env.admin.createInstance('kept', { spec: { owner: { user: 'dana' } } }, 'payments');

    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey);
    await menu(page, 'Audit log').click();
    await page.getByLabel('Search text').pressSequentially('delete shop');
    await page.getByLabel('Search text').press('Enter');
    const found = page.getByRole('row').filter({ hasText: 'virtualclusterinstances' }).filter({ hasText: 'delete' });
    await found.filter({ hasText: 'dana' }).first().waitFor();

    await menu(page, 'Effective access').click();
    await page.getByRole('combobox', { name: 'User or team' }).pressSequentially('dana');
    await page.getByRole('option', { name: /dana/ }).first().click();
    await page.getByRole('row').filter({ hasText: 'payments/kept' }).getByText('owner of the object').first().waitFor();

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search pages, objects and actions' }).pressSequentially('offboard dana');
    await page.getByRole('option', { selected: true, name: /Offboard dana/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'New owner' }).pressSequentially('leo');
    await page.getByRole('option', { name: /leo/ }).first().click();
    await page.getByRole('button', { name: 'Offboard dana' }).click();
    await dialog(page).getByRole('textbox').pressSequentially('dana');
    await dialog(page).getByRole('button', { name: 'Offboard dana' }).click();
    await page.getByText('All access of dana has ended.').waitFor();
    expect(await env.admin.statusOf(env.flotilla.adminKey, 'GET', `${group}/users/dana`)).toBe(404);
    await end(watched);
  });
}
