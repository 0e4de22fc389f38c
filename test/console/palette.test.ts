import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { managementGroup, projectNamespace, projectRoles } from '../../src/api/naming.ts';
import { expectNoProblems, signIn, signInAs } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { violationsInEveryLook } from './harness/looks.ts';

const group = `/apis/${managementGroup}/v1`;
const password = 'a password for tests';

describeConsole('the command palette', (env) => {
  beforeAll(async () => {
    await env.admin.createUser('vera', password);
    await env.admin.createUser('viola', password);
    await env.admin.request('PATCH', `${group}/projects/default`, {
      spec: {
        members: [
          { kind: 'User', name: 'vera', clusterRole: projectRoles.user },
          { kind: 'User', name: 'viola', clusterRole: projectRoles.viewer },
        ],
      },
    });
    await env.admin.createInstance('shop');
    await env.admin.createInstance('shopping', { spec: { access: [{ verbs: ['get', 'use'], users: ['vera'] }] } });
  });

  const field = (page: Page) => page.getByRole('combobox', { name: 'Search pages, objects and actions' });
  const results = (page: Page) => page.getByRole('listbox', { name: 'Results' }).getByRole('option');
  const selected = (page: Page) => page.getByRole('option', { selected: true });

  it('opens with Ctrl+K or /, goes to objects and pages, and is accessible', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey);
    await page.getByRole('link', { name: '2 Ready' }).waitFor();
    await page.keyboard.press('Control+k');
    await field(page).waitFor();
    await results(page).filter({ hasText: 'Audit log' }).waitFor();
    expect(await results(page).count()).toBeLessThanOrEqual(16);
    await page.keyboard.type('shop');
    await selected(page)
      .filter({ hasText: /^shopVirtual cluster in project default$/ })
      .waitFor();
    expect(await violationsInEveryLook(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await selected(page).filter({ hasText: 'shopping' }).waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'shop', exact: true }).waitFor();

    await page.keyboard.press('/');
    await field(page).fill('audit');
    await selected(page).filter({ hasText: 'Audit log' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
    // In a text field, "/" is a letter.
    await page.getByLabel('Search text').press('/');
    expect(await page.getByLabel('Search text').inputValue()).toBe('/');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('runs an action on an object after a confirmation', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/projects');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await field(page).fill('sleep shop');
    await selected(page).filter({ hasText: 'Sleep shop…' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Put shop to sleep?' }).getByRole('button', { name: 'Sleep shop' }).click();
    await expect
      .poll(async () => {
        const path = `${group}/namespaces/${projectNamespace('default')}/virtualclusterinstances/shop`;
        return (await env.admin.request<{ status?: { phase?: string } }>('GET', path)).status?.phase;
      })
      .toBe('Sleeping');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });

    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Ctrl K or ⌘ K').waitFor();
    expect(await violationsInEveryLook(page)).toEqual([]);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('creates every kind of object, and signs out', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey);
    for (const [action, title] of [
      ['New project', 'New project'],
      ['New template', 'New template'],
      ['New space template', 'New template'],
      ['New user', 'New user'],
      ['New team', 'New team'],
      ['Connect a cluster', 'Connect cluster'],
    ] as const) {
      await page.keyboard.press('Control+k');
      await field(page).fill(action);
      await selected(page).filter({ hasText: action }).waitFor();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: title, exact: true });
      await dialog.waitFor();
      // The focus is in the dialog, not where it was before the palette opened.
      await expect.poll(() => dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true);
      // A reload does not open the dialog again.
      await expect.poll(() => new URL(page.url()).search).toBe('');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
    }
    // The action also opens the dialog if its page is already open.
    await page.keyboard.press('Control+k');
    await field(page).fill('connect a cluster');
    await selected(page).filter({ hasText: 'Connect a cluster' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Connect cluster', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });

    await page.keyboard.press('Control+k');
    await field(page).fill('sign out');
    await selected(page).filter({ hasText: 'Sign out' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByLabel('Username').waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('offers only what the user may see and do', async () => {
    const watched = await env.open({ width: 390 });
    const { page } = watched;
    await signInAs(page, 'vera', password);
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await field(page).fill('shop');
    await results(page).filter({ hasText: 'Connect to shopping' }).waitFor();
    expect(
      await results(page)
        .filter({ hasText: /Delete|Sleep/ })
        .count(),
    ).toBe(0);
    await field(page).fill('a');
    await results(page).filter({ hasText: 'Access keys' }).waitFor();
    expect(
      await results(page)
        .filter({ hasText: /Audit log|Users/ })
        .count(),
    ).toBe(0);
    await field(page).fill('new');
    await results(page).filter({ hasText: 'New access key' }).waitFor();
    expect(
      await results(page)
        .filter({ hasText: /New (project|template|space template|user|team)/ })
        .count(),
    ).toBe(0);
    // Without the permission, the URL does not open the dialog.
    await page.goto('/projects?new=true');
    await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('finds projects for a viewer, and says that virtual clusters may exist that the viewer may not see', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signInAs(page, 'viola', password);
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await results(page).filter({ hasText: 'Projects' }).waitFor();
    expect(
      await results(page)
        .filter({ hasText: /^New (virtual cluster|space)/ })
        .count(),
    ).toBe(0);
    await field(page).fill('default');
    await selected(page).filter({ hasText: 'Project' }).waitFor();
    await field(page).fill('shop');
    await page.getByText('No results among the objects that you may see.').waitFor();
    // An instance that is shared with the viewer is found at once.
    const shop = `${group}/namespaces/${projectNamespace('default')}/virtualclusterinstances/shopping`;
    await env.admin.request('PATCH', shop, { spec: { access: [{ verbs: ['get', 'use'], users: ['viola', 'vera'] }] } });
    await results(page).filter({ hasText: 'Connect to shopping' }).waitFor();
    expect(await results(page).filter({ hasText: 'Share' }).count()).toBe(0);
    expectNoProblems(watched);
    await watched.context.close();
  });
});
