import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { managementGroup, nonDeletableAnnotation, projectNamespace, projectRoles } from '../../src/api/naming.ts';
import { accessibilityViolations } from './harness/accessibility.ts';
import { expectNoProblems, signIn, signInAs } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';

const group = `/apis/${managementGroup}/v1`;
const password = 'a password for tests';

function row(page: Page, name: string) {
  return page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
}

async function select(page: Page, names: readonly string[]): Promise<void> {
  for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check();
}

describeConsole('the list of virtual clusters', (env) => {
  beforeAll(async () => {
    await env.admin.createUser('vera', password);
    await env.admin.createUser('udo', password);
    await env.admin.request('PATCH', `${group}/projects/default`, {
      spec: {
        members: [
          { kind: 'User', name: 'vera', clusterRole: projectRoles.viewer },
          { kind: 'User', name: 'udo', clusterRole: projectRoles.user },
        ],
      },
    });
    for (const name of ['web-1', 'web-2', 'web-10', 'shop']) await env.admin.createInstance(name);
    await env.admin.createInstance('kept', { metadata: { annotations: { [nonDeletableAnnotation]: 'true' } } });
    await env.admin.createInstance('of-udo', { spec: { owner: { user: 'udo' } } });
    await env.admin.createInstance('shared', {
      spec: { access: [{ name: 'all', verbs: ['get', 'use'], users: ['vera', 'udo'] }] },
    });
  });

  it('can be searched, filtered and sorted, and the URL keeps it', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/virtual-clusters');
    await page.getByRole('link', { name: 'web-10' }).waitFor();
    const names = () => page.locator('tbody tr[data-key] td:nth-child(2)').allInnerTexts();

    const search = page.getByRole('textbox', { name: 'Search virtual clusters' });
    await search.pressSequentially('web-1 def');
    await expect.poll(names).toEqual(['web-1', 'web-10']);
    expect(await search.inputValue()).toBe('web-1 def');
    await page.getByText('2 of 7').waitFor();

    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await expect.poll(names).toEqual(['web-10', 'web-1']);
    await page.reload();
    await expect.poll(names).toEqual(['web-10', 'web-1']);

    await page.getByRole('button', { name: 'Clear search' }).click();
    await page.getByRole('combobox', { name: 'Filter by owner' }).selectOption({ label: 'udo (1)' });
    await expect.poll(names).toEqual(['of-udo']);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('puts many to sleep, wakes and deletes them after one confirmation, and shows each result', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/virtual-clusters');
    await page.getByRole('link', { name: 'web-10' }).waitFor();

    await select(page, ['web-1', 'web-2']);
    await page.getByRole('toolbar').getByRole('button', { name: 'Sleep' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('web-1').waitFor();
    await dialog.getByText('web-2').waitFor();
    await dialog.getByRole('button', { name: 'Sleep 2' }).click();
    await dialog.getByText('2 of 2 put to sleep').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    // Live, without a reload.
    await row(page, 'web-1').getByText('Sleeping').waitFor();
    await row(page, 'web-2').getByText('Sleeping').waitFor();

    await select(page, ['web-1', 'shop']);
    await page.getByRole('toolbar').getByRole('button', { name: 'Wake 1' }).click();
    await dialog.getByText('1 selected virtual cluster is skipped').waitFor();
    await dialog.getByRole('button', { name: 'Wake web-1' }).click();
    await dialog.getByText('1 of 1 woken').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await row(page, 'web-1').getByText('Ready').waitFor();

    await select(page, ['web-2', 'kept']);
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    const go = dialog.getByRole('button', { name: 'Delete 2' });
    expect(await go.isDisabled()).toBe(true);
    await dialog.getByLabel('Type 2 to confirm').fill('2');
    await go.click();
    await dialog.getByText('1 of 2 being deleted, 1 failed').waitFor();
    await dialog.getByText(nonDeletableAnnotation).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await row(page, 'web-2').waitFor({ state: 'detached' });
    await row(page, 'kept').waitFor();

    await select(page, ['kept']);
    await page.getByRole('checkbox', { name: 'Select shop', exact: true }).click({ modifiers: ['Shift'] });
    await page.getByText('4 selected').waitFor();
    await page.getByRole('button', { name: 'Clear selection' }).click();

    await env.admin.createInstance('newcomer');
    await row(page, 'newcomer').getByText('Ready').waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('has a row menu that works with the keyboard', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/virtual-clusters');
    const button = page.getByRole('button', { name: 'Actions for newcomer' });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Open explorer' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('Actions for newcomer');

    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type newcomer to confirm').fill('newcomer');
    await page.keyboard.press('Enter');
    await dialog.getByText('1 of 1 being deleted').waitFor();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await row(page, 'newcomer').waitFor({ state: 'detached' });
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('offers only permitted actions', async () => {
    const viewer = await env.open();
    await signInAs(viewer.page, 'vera', password, '/virtual-clusters');
    await row(viewer.page, 'shared').waitFor();
    expect(await row(viewer.page, 'shop').count()).toBe(0);
    expect(await viewer.page.getByRole('link', { name: 'New virtual cluster' }).count()).toBe(0);
    await select(viewer.page, ['shared']);
    await viewer.page.getByRole('button', { name: 'Clear selection' }).waitFor();
    await viewer.page.getByRole('button', { name: 'Actions for shared' }).click();
    // Each action appears when the server has answered its permission check.
    await viewer.page.getByRole('menuitem', { name: 'Connect' }).waitFor();
    await viewer.page.getByRole('menuitem', { name: 'Open explorer' }).waitFor();
    expect(await viewer.page.getByRole('menuitem').allInnerTexts()).toEqual(['Open', 'Connect', 'Open explorer']);
    expect(await viewer.page.getByRole('toolbar').getByRole('button').allInnerTexts()).toEqual(['Clear selection']);
    expectNoProblems(viewer);
    await viewer.context.close();

    const user = await env.open();
    await signInAs(user.page, 'udo', password, '/virtual-clusters');
    await row(user.page, 'of-udo').waitFor();
    await user.page.getByRole('link', { name: 'New virtual cluster' }).waitFor();
    await select(user.page, ['of-udo', 'shared']);
    await user.page.getByRole('toolbar').getByRole('button', { name: 'Delete 1' }).click();
    await user.page.getByRole('dialog').getByText('Delete of-udo?').waitFor();
    expectNoProblems(user);
    await user.context.close();
  });

  it('is accessible in both themes and on a narrow screen', async () => {
    for (const theme of ['light', 'dark'] as const) {
      const watched = await env.open({ theme, width: theme === 'dark' ? 390 : 1280 });
      const { page } = watched;
      await signIn(page, env.flotilla.adminKey, '/virtual-clusters');
      await select(page, ['shop']);
      await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      // The page itself never scrolls horizontally; the table does.
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
      await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
      await page.getByLabel('Type shop to confirm').waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Actions for shop' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      expectNoProblems(watched);
      await watched.context.close();
    }
  });

  it('explains the first step if it is empty', async () => {
    const list = `${group}/namespaces/${projectNamespace('default')}/virtualclusterinstances`;
    await env.admin.request('PATCH', `${list}/kept`, { metadata: { annotations: { [nonDeletableAnnotation]: null } } });
    await env.admin.request('DELETE', list);
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/virtual-clusters');
    await page.getByText('No virtual clusters yet').waitFor();
    await page.getByText('flotilla create demo --wait').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('link', { name: 'New virtual cluster' }).last().click();
    await page.getByRole('heading', { name: 'New virtual cluster' }).waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });
});
