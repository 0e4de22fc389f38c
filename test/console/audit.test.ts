import { beforeAll, expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { faultsInBothThemes } from './harness/accessibility.ts';
import { expectNoProblems, signIn, signInAs } from './harness/browser.ts';
import { describeConsole } from './harness/console-bench.ts';

const group = `/apis/${managementGroup}/v1`;
const password = 'correct horse battery';

describeConsole('the audit log', (bench) => {
  beforeAll(async () => {
    await bench.admin.createUser('anna', password);
    // More lines than one answer holds.
    for (let index = 0; index < 120; index += 1) {
      await bench.admin.ask('PATCH', `${group}/users/anna`, { spec: { description: `as of ${index}` } });
    }
  });

  it('is searched by administrators, with what is looked for in the address', async () => {
    const watched = await bench.open();
    const { page } = watched;
    await signIn(page, bench.flotilla.adminKey, '/audit-log');
    await page.getByText('users anna').first().waitFor();
    const lines = page.getByRole('table').getByRole('row');
    expect(await lines.count()).toBe(101);
    await page.getByRole('button', { name: 'Look further back' }).click();
    await page.getByText(/that is all$/).waitFor();
    expect(await lines.count()).toBeGreaterThan(120);

    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByLabel('Verb').fill('create');
    await page.getByLabel('Resource').fill('users');
    await page.getByLabel('Resource').press('Enter');
    await page.getByText(/^1 event/).waitFor();
    expect(new URL(page.url()).searchParams.get('verb')).toBe('create');
    await lines.nth(1).getByRole('button').click();
    await page.getByText('Allowed: member of the group').waitFor();
    const whole = await page.getByLabel('The whole event').innerText();
    expect(JSON.parse(whole)).toMatchObject({ verb: 'create', objectRef: { resource: 'users' } });
    expect(whole).not.toContain(password);
    expect(await faultsInBothThemes(page)).toEqual([]);

    await page.getByLabel('Answer').fill('nonsense');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText(/code must be a status code such as 403/).waitFor();
    await page.getByRole('button', { name: 'Clear all filters' }).click();
    await page.getByText('users anna').first().waitFor();
    await page.getByLabel('Outcome').selectOption('denied');
    await page.getByText(/that is all$/).waitFor();
    await page.getByText('users anna').first().waitFor({ state: 'hidden' });
    await page.goBack();
    await page.getByText('users anna').first().waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('is nothing for others: not offered, and refused in words', async () => {
    const watched = await bench.open();
    const { page } = watched;
    await signInAs(page, 'anna', password);
    expect(await page.getByRole('navigation').getByRole('link', { name: 'Audit' }).count()).toBe(0);
    await page.goto('/audit-log');
    await page.getByText('You may not do this').waitFor();
    expect(await faultsInBothThemes(page)).toEqual([]);
    expectNoProblems(watched);
    await watched.context.close();
  });
});
