import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { managementGroup, managementVersion, projectRoles } from '../../src/api/naming.ts';
import { accessibilityFaults, faultsInBothThemes } from './harness/accessibility.ts';
import { expectNoProblems, signIn, signInAs } from './harness/browser.ts';
import { describeConsole } from './harness/console-bench.ts';

const apiVersion = `${managementGroup}/${managementVersion}`;
const templates = `/apis/${apiVersion}/virtualclustertemplates`;
const markup = '<img src=x onerror=alert(1)> small';

describeConsole('the pages of templates', (bench) => {
  const editorOf = (page: Page) => page.getByRole('textbox', { name: 'Template', exact: true });
  const renderedOf = (page: Page) => page.getByRole('textbox', { name: 'Rendered with these values' });
  const wrongs = (page: Page) => page.getByRole('list', { name: 'What is wrong with the text' });
  const drop = async (page: Page) => {
    await page.getByRole('button', { name: 'Drop the changes' }).click();
    await page.getByText('Nothing is changed.').waitFor();
  };

  it('list them, make one, render it as one types, tell what is wrong where, and delete it', async () => {
    const watched = await bench.open();
    const { page } = watched;
    await signIn(page, bench.flotilla.adminKey, '/templates');
    await page.getByRole('link', { name: 'control-plane' }).waitFor();
    expect(await faultsInBothThemes(page)).toEqual([]);

    // A new one begins with an example.
    await page.getByRole('button', { name: 'New template' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Small_1');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('a lowercase RFC 1123').first().waitFor();
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('small');
    await dialog.getByRole('textbox', { name: 'Display name' }).fill(markup);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: markup }).waitFor();

    // Beside it stands what would be made, with values to try.
    await renderedOf(page).getByText('text: Hello from demo, DEV').waitFor();
    await page.getByRole('combobox', { name: 'Environment' }).selectOption('test');
    await renderedOf(page).getByText('text: Hello from demo, TEST').waitFor();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('shop');
    await renderedOf(page).getByText('text: Hello from shop, TEST').waitFor();
    expect(await faultsInBothThemes(page)).toEqual([]);

    // As one types, before anything is saved; what cannot be rendered is told with its line, there and in the text.
    await editorOf(page).getByText('kind: ConfigMap').click();
    await page.keyboard.press('End');
    await page.keyboard.type(' # of {{ .Values.platform.project }}');
    await renderedOf(page).getByText('kind: ConfigMap # of default').waitFor();
    await drop(page);
    await editorOf(page).getByText('kind: ConfigMap').click();
    await page.keyboard.press('End');
    await page.keyboard.type(' {{ .Values.nope }}');
    await page.getByText('It cannot be rendered').waitFor();
    await page.getByRole('alert').getByText('line 2, column 20: field nope not found').waitFor();
    const row = wrongs(page).getByRole('listitem').filter({ hasText: 'field nope not found' });
    await row.waitFor();
    const line = (await editorOf(page).innerText()).split('\n').findIndex((text) => text.includes('nope')) + 1;
    expect(await row.getByRole('button').innerText()).toBe(`Line ${line}`);
    expect(await accessibilityFaults(page)).toEqual([]);
    await drop(page);
    await renderedOf(page).waitFor();

    // What the server's dry run names stands at its line too.
    await editorOf(page).getByText('variable: env').click();
    await page.keyboard.press('End');
    await page.keyboard.type(' x');
    await page.getByRole('button', { name: 'Review and save' }).click();
    await wrongs(page).getByText('must be a name, or names joined by dots').waitFor();
    await drop(page);

    // What it is, at a glance.
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page.getByRole('region', { name: 'Parameters of the template' }).getByText('Environment').waitFor();
    expect(await faultsInBothThemes(page)).toEqual([]);

    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('textbox').fill('small');
    await dialog.getByRole('button', { name: 'Delete small' }).click();
    await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor();
    await page.getByRole('link', { name: 'small' }).waitFor({ state: 'detached' });
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('make versions one from the other, show what differs between two, and take one away', async () => {
    const spec = { template: { objects: 'a: "{{ .Values.size }}"\n' }, parameters: [{ variable: 'size' }] };
    await bench.admin.ask('POST', templates, {
      apiVersion,
      kind: 'VirtualClusterTemplate',
      metadata: { name: 'grown' },
      spec,
    });
    const watched = await bench.open();
    const { page } = watched;
    await signIn(page, bench.flotilla.adminKey, '/templates/grown?tab=versions');
    await page.getByText('No versions yet').waitFor();
    await page.getByRole('button', { name: 'New version' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Version' }).fill('one');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('must be a semantic version').first().waitFor();
    await dialog.getByRole('textbox', { name: 'Version' }).fill('1.0.0');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await editorOf(page).getByText('version: 1.0.0').waitFor();

    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByRole('button', { name: 'New from this: 1.0.0' }).click();
    expect(await dialog.getByRole('textbox', { name: 'Version' }).inputValue()).toBe('1.1.0');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('combobox', { name: 'Version to try' }).waitFor();
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByText('Both are the same.').waitFor();

    // Somebody else changes one: the page goes with it.
    const { spec: now } = await bench.admin.ask<{ spec: { versions: { version: string; template: object }[] } }>(
      'GET',
      `${templates}/grown`,
    );
    const versions = now.versions.map((one) =>
      one.version === '1.1.0' ? { ...one, template: { objects: 'a: "{{ .Values.size | upper }}"\n' } } : one,
    );
    await bench.admin.ask('PATCH', `${templates}/grown`, { spec: { versions } });
    const differs = page.getByRole('textbox', { name: 'From 1.0.0 to 1.1.0' });
    await differs.getByText('| upper }}').waitFor();
    expect(await faultsInBothThemes(page)).toEqual([]);

    await page.getByRole('button', { name: 'Delete 1.0.0' }).click();
    await dialog.getByRole('button', { name: 'Delete 1.0.0' }).click();
    await differs.waitFor({ state: 'detached' });
    const left = await bench.admin.ask<{ spec: { versions: object[] } }>('GET', `${templates}/grown`);
    expect(left.spec.versions).toMatchObject([{ version: '1.1.0' }]);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('offer somebody who may only read it no more than that', async () => {
    await bench.admin.createUser('anna', 'the-password-of-anna');
    await bench.admin.ask('PATCH', `/apis/${apiVersion}/projects/default`, {
      spec: { members: [{ kind: 'User', name: 'anna', clusterRole: projectRoles.user }] },
    });
    const watched = await bench.open();
    const { page } = watched;
    await signInAs(page, 'anna', 'the-password-of-anna', '/templates/control-plane');
    await page.getByRole('tab', { name: 'Look inside' }).click();
    await renderedOf(page).waitFor();
    expect(await editorOf(page).getAttribute('aria-readonly')).toBe('true');
    for (const name of ['Details', 'Copy', 'Delete', 'Review and save']) {
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    }
    expect(await accessibilityFaults(page)).toEqual([]);
    expectNoProblems(watched);
    await watched.context.close();
  });
});
