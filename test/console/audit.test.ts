import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { violationsInBothThemes } from './harness/accessibility.ts';
import { expectNoProblems, signIn, signInAs } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';

const group = `/apis/${managementGroup}/v1`;
const password = 'correct horse battery';

describeConsole('the audit log', (env) => {
  beforeAll(async () => {
    await env.admin.createUser('anna', password);
    // Creates more events than one page shows.
    for (let index = 0; index < 120; index += 1) {
      await env.admin.request('PATCH', `${group}/users/anna`, { spec: { description: `as of ${index}` } });
    }
  });

  it('can be searched by administrators, and the URL keeps the search', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/audit-log');
    await page.getByText('users "anna"').first().waitFor();
    const lines = page.getByRole('table').getByRole('row');
    expect(await lines.count()).toBe(101);
    await page.getByRole('button', { name: 'Load older events' }).click();
    await page.getByText(/No older events match the search\.$/).waitFor();
    expect(await lines.count()).toBeGreaterThan(120);

    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByLabel('Verb').fill('create');
    await page.getByLabel('Resource').fill('users');
    await page.getByLabel('Resource').press('Enter');
    await page.getByText(/^1 event/).waitFor();
    expect(new URL(page.url()).searchParams.get('verb')).toBe('create');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    const saved = await (await download).path();
    const exported = (await readFile(saved, 'utf8')).trimEnd().split('\r\n');
    expect(exported).toHaveLength(2);
    expect(exported[1]).toContain(',create,');
    const widths = () =>
      page.getByRole('columnheader').evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().width));
    const closed = await widths();
    // All times have one format: 18 Nov 2026, 21:03:04.
    expect(await lines.nth(1).getByRole('time').innerText()).toMatch(/^\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d:\d\d$/);
    await lines.nth(1).getByRole('button').click();
    await page.getByText('Allowed: member of the group').waitFor();
    const whole = await page.getByLabel('Event JSON').innerText();
    expect(JSON.parse(whole)).toMatchObject({ verb: 'create', objectRef: { resource: 'users' } });
    expect(whole).not.toContain(password);
    expect(await widths()).toEqual(closed);
    expect(await violationsInBothThemes(page)).toEqual([]);

    await page.getByLabel('Response code').fill('nonsense');
    await page.getByRole('form', { name: 'Search audit log' }).getByRole('button', { name: 'Search' }).click();
    await page.getByText(/code must be a status code such as 403/).waitFor();
    await page.getByRole('button', { name: 'Clear all filters' }).click();
    await page.getByText('users "anna"').first().waitFor();
    await page.getByLabel('Decision').selectOption('denied');
    await page.getByText(/No older events match the search\.$/).waitFor();
    await page.getByText('users "anna"').first().waitFor({ state: 'hidden' });
    await page.goBack();
    await page.getByText('users "anna"').first().waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('warns if the log of a replica could not be searched', async () => {
    const watched = await env.open();
    const { page } = watched;
    await page.route(/\/audit\?/, async (route) => {
      const response = await route.fetch();
      const list = await response.json();
      list.metadata.incomplete = [{ replica: '0a1b2c3d4e', reason: 'it did not respond within 8 seconds' }];
      await route.fulfill({ response, json: list });
    });
    await signIn(page, env.flotilla.adminKey, '/audit-log');
    await page.getByText('Events may be missing').waitFor();
    await page.getByText('0a1b2c3d4e: it did not respond within 8 seconds').waitFor();
    await page.getByText('users "anna"').first().waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('is hidden from other users, and denied with an explanation', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signInAs(page, 'anna', password);
    expect(await page.getByRole('navigation').getByRole('link', { name: 'Audit log' }).count()).toBe(0);
    await page.goto('/audit-log');
    await page.getByText('Permission denied').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    expectNoProblems(watched);
    await watched.context.close();
  });
});
