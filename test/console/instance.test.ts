import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { managementGroup, projectNamespace } from '../../src/api/naming.ts';
import { accessibilityViolations, violationsInBothThemes } from './harness/accessibility.ts';
import { expectNoProblems, signIn } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { readableTexts } from './harness/secrets.ts';

const group = `/apis/${managementGroup}/v1`;
const instances = `${group}/namespaces/${projectNamespace('default')}/virtualclusterinstances`;
const markup = '<img src=x onerror=alert(1)> shop';
const path = (name: string, tab = '') => `/virtual-clusters/default/${name}${tab === '' ? '' : `?tab=${tab}`}`;

describeConsole('the page of a virtual cluster', (env) => {
  /** Creates a user with an access key and returns the key. */
  async function person(name: string): Promise<string> {
    await env.admin.request('POST', `${group}/users`, {
      metadata: { name },
      kind: 'User',
      apiVersion: `${managementGroup}/v1`,
    });
    const key = await env.admin.request<{ spec: { key: string } }>('POST', `${group}/ownedaccesskeys`, {
      apiVersion: `${managementGroup}/v1`,
      kind: 'OwnedAccessKey',
      metadata: { name: `${name}s` },
      spec: { user: name },
    });
    return key.spec.key;
  }

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
  const status = (page: Page, text: string) => page.getByRole('main').getByText(text, { exact: true }).first();

  it('shows conditions, events and resources; shares, connects, sleeps, wakes and deletes', async () => {
    const annasKey = await person('anna');
    await env.admin.createInstance('shop', {
      spec: { displayName: markup, description: '<script>alert(2)</script>' },
    });
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, path('shop'));

    // Overview
    await heading(page, markup).waitFor();
    await status(page, 'Ready').waitFor();
    const conditions = page.getByRole('list', { name: 'Conditions' }).getByRole('listitem');
    await conditions.filter({ hasText: 'Ready to use' }).filter({ hasText: 'True' }).waitFor();
    expect(await conditions.count()).toBe(6);
    await page.getByRole('list', { name: 'Events' }).getByText('Installed', { exact: true }).waitFor();
    await page.getByRole('link', { name: '3 Namespaces' }).waitFor();
    expect(
      (
        await env.inside.request('shop', '/api/v1/namespaces', {
          method: 'POST',
          document: { metadata: { name: 'web' } },
        })
      ).status,
    ).toBe(201);
    expect(await violationsInBothThemes(page)).toEqual([]);

    // Edit
    await page.getByRole('button', { name: 'Edit details' }).click();
    await page.getByRole('dialog').getByLabel('Display name').fill('The shop');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await heading(page, 'The shop').waitFor();

    // Auto-sleep
    await page.getByRole('button', { name: 'Set auto-sleep' }).click();
    const autoSleep = page.getByRole('dialog', { name: 'Auto-sleep and auto-delete of shop' });
    await autoSleep.getByLabel('Auto-sleep').selectOption('After 4 hours without use');
    expect(await accessibilityViolations(page)).toEqual([]);
    await autoSleep.getByRole('button', { name: 'Save' }).click();
    await page.locator('dd', { hasText: 'After 4 hours without use' }).waitFor();

    // Connect
    await page.getByRole('tab', { name: 'Connect' }).click();
    await page.getByText('flotilla connect shop --project default --exec').waitFor();
    await page.getByLabel('Valid for').selectOption('1 hour');
    await page.getByRole('button', { name: 'Create kubeconfig' }).click();
    const dialog = page.getByRole('dialog', { name: 'Kubeconfig for shop' });
    const shown = (await dialog.getByLabel('Kubeconfig', { exact: true }).textContent()) ?? '';
    const token = /token: (\S+)/.exec(shown)?.[1] ?? '';
    expect((await env.inside.request('shop', '/version', { token })).status).toBe(200);
    const ends = Date.parse((await dialog.locator('time').getAttribute('datetime')) ?? '');
    expect(Math.abs(ends - Date.now() - 3_600_000)).toBeLessThan(60_000);
    expect(await accessibilityViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Copy kubeconfig' }).click();
    await dialog.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(shown);
    const saving = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Download shop.kubeconfig' }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe('shop.kubeconfig');
    expect(readFileSync(await saved.path(), 'utf8')).toBe(shown);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await readableTexts(page)).not.toContain(token);
    expect(await violationsInBothThemes(page)).toEqual([]);

    // Share
    await page.getByRole('tab', { name: 'Access', exact: true }).click();
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const sharing = page.getByRole('dialog', { name: 'Share shop' });
    await sharing
      .getByRole('combobox', { name: 'User or team' })
      .or(sharing.getByLabel('User or team'))
      .first()
      .fill('ann');
    await page.getByRole('option', { name: /anna/ }).first().click();
    const role = sharing.getByLabel('Cluster role', { exact: true });
    // If the template has no default role, the dialog suggests the role `edit`, not the role that applies without a
    // choice.
    expect(await role.inputValue()).toBe('edit');
    await role.selectOption('view');
    await sharing.getByText('flotilla share shop --project default --user anna --role view').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await sharing.getByRole('button', { name: 'Share', exact: true }).click();
    const anna = page.getByRole('row').filter({ hasText: 'anna' });
    await anna.getByText('View and use').waitFor();
    await anna.getByText('view', { exact: true }).waitFor();
    // The controller binds the role inside the virtual cluster after the row has appeared.
    const configMaps = () => env.inside.request('shop', '/api/v1/configmaps', { token: annasKey });
    await expect.poll(async () => (await configMaps()).status).toBe(200);
    expect((await env.inside.request('shop', '/api/v1/secrets', { token: annasKey })).status).toBe(403);
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Revoke access of anna' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke access' }).click();
    await anna.waitFor({ state: 'detached' });
    expect((await configMaps()).status).toBe(403);

    // YAML
    await page.getByRole('tab', { name: 'YAML' }).click();
    await page.getByText('displayName').first().waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);

    // Sleep and wake
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page.getByRole('button', { name: 'Sleep', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Put to sleep' }).click();
    await page.getByText('A user put it to sleep.').waitFor();
    await page.getByText('Resources are not counted while the virtual cluster is asleep').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Wake' }).click();
    await page.getByRole('link', { name: '4 Namespaces' }).waitFor();

    // Protect
    await page.getByRole('switch', { name: 'Protect from deletion' }).click();
    await page.getByText('Protected', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.getByRole('switch', { name: 'Protect from deletion' }).click();

    // Delete
    await page.getByRole('button', { name: 'Delete' }).click();
    const confirm = page.getByRole('dialog', { name: 'Delete shop?' });
    const sure = confirm.getByRole('button', { name: 'Delete shop' });
    expect(await sure.isDisabled()).toBe(true);
    await confirm.getByLabel('Type shop to confirm').fill('shop');
    expect(await accessibilityViolations(page)).toEqual([]);
    await sure.click();
    // After deleting the instance, the console returns to the list.
    await page.getByRole('heading', { level: 1, name: 'Virtual clusters' }).waitFor();
    await page.getByText('Deleting shop').waitFor();
    expect(new URL(page.url()).pathname).toBe('/virtual-clusters');
    await page.goto(path('never'));
    await page.getByRole('heading', { name: 'No virtual cluster named never' }).waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('offers only permitted actions, and shows a deletion by others', async () => {
    const bobsKey = await person('bob');
    await env.admin.createInstance('seen', {
      spec: { access: [{ verbs: ['get'], users: ['bob'] }] },
      metadata: { annotations: { 'sleepmode.platform.sh/sleep-after': '3600' } },
    });
    const watched = await env.open({ width: 390, height: 844 });
    const { page } = watched;
    await page.goto(path('seen'));
    await page.getByRole('button', { name: 'Use an access key' }).click();
    await page.locator('input[name="access-key"]').fill(bobsKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await heading(page, 'seen').waitFor();
    await status(page, 'Ready').waitFor();
    await page.getByText('after 1 hour without use').waitFor();
    for (const name of ['Delete', 'Sleep', 'Edit details']) {
      expect(await page.getByRole('main').getByRole('button', { name }).count()).toBe(0);
    }
    expect(await page.getByRole('link', { name: 'Open explorer' }).count()).toBe(0);
    expect(await page.getByRole('region', { name: 'Resources' }).count()).toBe(0);
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Connect' }).click();
    await page.getByText('No permission to connect').waitFor();
    await page.getByRole('tab', { name: 'Access', exact: true }).click();
    await page.getByRole('row').filter({ hasText: 'bob' }).getByText('View').waitFor();
    expect(await page.getByRole('button', { name: 'Share', exact: true }).count()).toBe(0);
    const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    expect(isTooWide).toBe(false);

    await env.admin.request('DELETE', `${instances}/seen`);
    await page.getByRole('heading', { name: 'seen was deleted' }).waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });
});
