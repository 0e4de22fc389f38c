import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { managementGroup, nonDeletableAnnotation, projectNamespace, projectRoles } from '../../src/api/naming.ts';
import { accessibilityFaults } from './harness/accessibility.ts';
import { expectNoProblems, signIn, signInAs } from './harness/browser.ts';
import { describeConsole } from './harness/console-bench.ts';

const group = `/apis/${managementGroup}/v1`;
const password = 'a password for tests';

function row(page: Page, name: string) {
  return page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
}

async function tick(page: Page, names: readonly string[]): Promise<void> {
  for (const name of names) await page.getByRole('checkbox', { name: `Tick ${name}`, exact: true }).check();
}

describeConsole('the list of virtual clusters', (bench) => {
  beforeAll(async () => {
    await bench.admin.createUser('vera', password);
    await bench.admin.createUser('udo', password);
    await bench.admin.ask('PATCH', `${group}/projects/default`, {
      spec: {
        members: [
          { kind: 'User', name: 'vera', clusterRole: projectRoles.viewer },
          { kind: 'User', name: 'udo', clusterRole: projectRoles.user },
        ],
      },
    });
    for (const name of ['web-1', 'web-2', 'web-10', 'shop']) await bench.admin.createInstance(name);
    await bench.admin.createInstance('kept', { metadata: { annotations: { [nonDeletableAnnotation]: 'true' } } });
    await bench.admin.createInstance('of-udo', { spec: { owner: { user: 'udo' } } });
    await bench.admin.createInstance('shared', {
      spec: { access: [{ name: 'all', verbs: ['get', 'use'], users: ['vera', 'udo'] }] },
    });
  });

  it('is searched, filtered and sorted, and the address remembers it', async () => {
    const watched = await bench.open();
    const { page } = watched;
    await signIn(page, bench.flotilla.adminKey, '/virtual-clusters');
    await page.getByRole('link', { name: 'web-10' }).waitFor();
    const names = () => page.locator('tbody tr[data-key] td:nth-child(2)').allInnerTexts();

    const search = page.getByRole('textbox', { name: 'Search the virtual clusters' });
    await search.pressSequentially('web-1 def');
    await expect.poll(names).toEqual(['web-1', 'web-10']);
    expect(await search.inputValue()).toBe('web-1 def');
    await page.getByText('2 of 7').waitFor();

    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await expect.poll(names).toEqual(['web-10', 'web-1']);
    await page.reload();
    await expect.poll(names).toEqual(['web-10', 'web-1']);

    await page.getByRole('button', { name: 'Clear the search' }).click();
    await page.getByRole('combobox', { name: 'Filter by owner' }).selectOption({ label: 'udo (1)' });
    await expect.poll(names).toEqual(['of-udo']);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('puts many to sleep, wakes and deletes them after one question, and tells what became of each', async () => {
    const watched = await bench.open();
    const { page } = watched;
    await signIn(page, bench.flotilla.adminKey, '/virtual-clusters');
    await page.getByRole('link', { name: 'web-10' }).waitFor();

    await tick(page, ['web-1', 'web-2']);
    await page.getByRole('toolbar').getByRole('button', { name: 'Sleep' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('web-1').waitFor();
    await dialog.getByText('web-2').waitFor();
    await dialog.getByRole('button', { name: 'Sleep 2' }).click();
    await dialog.getByText('2 of 2 put to sleep').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    // As it happens, without a reload.
    await row(page, 'web-1').getByText('Sleeping').waitFor();
    await row(page, 'web-2').getByText('Sleeping').waitFor();

    await tick(page, ['web-1', 'shop']);
    await page.getByRole('toolbar').getByRole('button', { name: 'Wake 1' }).click();
    await dialog.getByText('1 more that you ticked is left out').waitFor();
    await dialog.getByRole('button', { name: 'Wake web-1' }).click();
    await dialog.getByText('1 of 1 woken').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await row(page, 'web-1').getByText('Ready').waitFor();

    await tick(page, ['web-2', 'kept']);
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    const go = dialog.getByRole('button', { name: 'Delete 2' });
    expect(await go.isDisabled()).toBe(true);
    await dialog.getByLabel('Type 2 to go on').fill('2');
    await go.click();
    await dialog.getByText('1 of 2 being deleted, 1 refused').waitFor();
    await dialog.getByText(nonDeletableAnnotation).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await row(page, 'web-2').waitFor({ state: 'detached' });
    await row(page, 'kept').waitFor();

    await tick(page, ['kept']);
    await page.getByRole('checkbox', { name: 'Tick shop', exact: true }).click({ modifiers: ['Shift'] });
    await page.getByText('4 ticked').waitFor();
    await page.getByRole('button', { name: 'Untick all' }).click();

    await bench.admin.createInstance('newcomer');
    await row(page, 'newcomer').getByText('Ready').waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('has a menu for each row that the keyboard opens and leaves', async () => {
    const watched = await bench.open();
    const { page } = watched;
    await signIn(page, bench.flotilla.adminKey, '/virtual-clusters');
    const button = page.getByRole('button', { name: 'What to do with newcomer' });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Look inside' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('What to do with newcomer');

    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type newcomer to go on').fill('newcomer');
    await page.keyboard.press('Enter');
    await dialog.getByText('1 of 1 being deleted').waitFor();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await row(page, 'newcomer').waitFor({ state: 'detached' });
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('offers nobody what they may not do', async () => {
    const viewer = await bench.open();
    await signInAs(viewer.page, 'vera', password, '/virtual-clusters');
    await row(viewer.page, 'shared').waitFor();
    expect(await row(viewer.page, 'shop').count()).toBe(0);
    expect(await viewer.page.getByRole('link', { name: 'New virtual cluster' }).count()).toBe(0);
    await tick(viewer.page, ['shared']);
    await viewer.page.getByRole('button', { name: 'Untick all' }).waitFor();
    await viewer.page.getByRole('button', { name: 'What to do with shared' }).click();
    await viewer.page.getByRole('menuitem', { name: 'Look inside' }).waitFor();
    expect(await viewer.page.getByRole('menuitem').allInnerTexts()).toEqual(['Open', 'Connect', 'Look inside']);
    expect(await viewer.page.getByRole('toolbar').getByRole('button').allInnerTexts()).toEqual(['Untick all']);
    expectNoProblems(viewer);
    await viewer.context.close();

    const user = await bench.open();
    await signInAs(user.page, 'udo', password, '/virtual-clusters');
    await row(user.page, 'of-udo').waitFor();
    await user.page.getByRole('link', { name: 'New virtual cluster' }).waitFor();
    await tick(user.page, ['of-udo', 'shared']);
    await user.page.getByRole('toolbar').getByRole('button', { name: 'Delete 1' }).click();
    await user.page.getByRole('dialog').getByText('Delete of-udo?').waitFor();
    expectNoProblems(user);
    await user.context.close();
  });

  it('keeps nobody out, in both themes and on a narrow screen', async () => {
    for (const theme of ['light', 'dark'] as const) {
      const watched = await bench.open({ theme, width: theme === 'dark' ? 390 : 1280 });
      const { page } = watched;
      await signIn(page, bench.flotilla.adminKey, '/virtual-clusters');
      await tick(page, ['shop']);
      await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      // The page itself never moves sideways; the table does.
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
      await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
      await page.getByLabel('Type shop to go on').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'What to do with shop' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      expectNoProblems(watched);
      await watched.context.close();
    }
  });

  it('teaches the first step where there is nothing yet', async () => {
    const list = `${group}/namespaces/${projectNamespace('default')}/virtualclusterinstances`;
    await bench.admin.ask('PATCH', `${list}/kept`, { metadata: { annotations: { [nonDeletableAnnotation]: null } } });
    await bench.admin.ask('DELETE', list);
    const watched = await bench.open();
    const { page } = watched;
    await signIn(page, bench.flotilla.adminKey, '/virtual-clusters');
    await page.getByText('No virtual clusters yet').waitFor();
    await page.getByText('flotilla create demo --wait').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'New virtual cluster' }).last().click();
    await page.getByRole('heading', { name: 'New virtual cluster' }).waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });
});
