import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { managementGroup, managementVersion, projectRoles } from '../../src/api/naming.ts';
import { accessibilityViolations, violationsInBothThemes } from './harness/accessibility.ts';
import { expectNoProblems, signIn, signInAs } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';

const apiVersion = `${managementGroup}/${managementVersion}`;
const templates = `/apis/${apiVersion}/virtualclustertemplates`;
const markup = '<img src=x onerror=alert(1)> small';

describeConsole('the template pages', (env) => {
  const editorOf = (page: Page) => page.getByRole('textbox', { name: 'Template', exact: true });
  const renderedOf = (page: Page) => page.getByRole('textbox', { name: 'Rendered template' });
  const problemsOf = (page: Page) => page.getByRole('list', { name: 'Problems' });
  const discard = async (page: Page) => {
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByText('No changes.').waitFor();
  };

  it('list, create, preview, validate and delete a template', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/templates');
    await page.getByRole('link', { name: 'control-plane' }).waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);

    // A new template starts with an example.
    await page.getByRole('button', { name: 'New template' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Small_1');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('a lowercase RFC 1123').first().waitFor();
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('small');
    await dialog.getByRole('textbox', { name: 'Display name' }).fill(markup);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: markup }).waitFor();

    // The preview shows the rendered template with sample values.
    await renderedOf(page).getByText('text: Hello from demo, DEV').waitFor();
    await page.getByRole('combobox', { name: 'Environment' }).selectOption('test');
    await renderedOf(page).getByText('text: Hello from demo, TEST').waitFor();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('shop');
    await renderedOf(page).getByText('text: Hello from shop, TEST').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);

    // The preview follows unsaved edits; rendering errors are shown with their line in the preview and in the editor.
    await editorOf(page).getByText('kind: ConfigMap').click();
    await page.keyboard.press('End');
    await page.keyboard.type(' # of {{ .Values.platform.project }}');
    await renderedOf(page).getByText('kind: ConfigMap # of default').waitFor();
    await discard(page);
    await editorOf(page).getByText('kind: ConfigMap').click();
    await page.keyboard.press('End');
    await page.keyboard.type(' {{ .Values.nope }}');
    await page.getByText('Rendering failed').waitFor();
    await page.getByRole('alert').getByText('line 2, column 20: field nope not found').waitFor();
    const row = problemsOf(page).getByRole('listitem').filter({ hasText: 'field nope not found' });
    await row.waitFor();
    const line = (await editorOf(page).innerText()).split('\n').findIndex((text) => text.includes('nope')) + 1;
    expect(await row.getByRole('button').innerText()).toBe(`Line ${line}`);
    expect(await accessibilityViolations(page)).toEqual([]);
    await discard(page);
    await renderedOf(page).waitFor();

    // Problems of the server's dry run are shown at their line too.
    await editorOf(page).getByText('variable: env').click();
    await page.keyboard.press('End');
    await page.keyboard.type(' x');
    await page.getByRole('button', { name: 'Review and save' }).click();
    await problemsOf(page).getByText('must be a name, or names joined by dots').waitFor();
    await discard(page);

    // The overview.
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page.getByRole('region', { name: 'Parameters of the template' }).getByText('Environment').waitFor();
    await page.getByText('flotilla create demo --template small').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);

    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('textbox').fill('small');
    await dialog.getByRole('button', { name: 'Delete small' }).click();
    await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor();
    await page.getByRole('link', { name: 'small' }).waitFor({ state: 'detached' });
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('create, compare and delete versions', async () => {
    const spec = { template: { objects: 'a: "{{ .Values.size }}"\n' }, parameters: [{ variable: 'size' }] };
    await env.admin.request('POST', templates, {
      apiVersion,
      kind: 'VirtualClusterTemplate',
      metadata: { name: 'grown' },
      spec,
    });
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/templates/grown?tab=versions');
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
    await page.getByRole('button', { name: 'Duplicate 1.0.0' }).click();
    expect(await dialog.getByRole('textbox', { name: 'Version' }).inputValue()).toBe('1.1.0');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('combobox', { name: 'Preview version' }).waitFor();
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByText('No differences.').waitFor();

    // The page follows a change by another client.
    const { spec: now } = await env.admin.request<{ spec: { versions: { version: string; template: object }[] } }>(
      'GET',
      `${templates}/grown`,
    );
    const versions = now.versions.map((one) =>
      one.version === '1.1.0' ? { ...one, template: { objects: 'a: "{{ .Values.size | upper }}"\n' } } : one,
    );
    await env.admin.request('PATCH', `${templates}/grown`, { spec: { versions } });
    const differs = page.getByRole('textbox', { name: 'From 1.0.0 to 1.1.0' });
    await differs.getByText('| upper }}').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);

    await page.getByRole('button', { name: 'Delete 1.0.0' }).click();
    await dialog.getByRole('button', { name: 'Delete 1.0.0' }).click();
    await differs.waitFor({ state: 'detached' });
    const left = await env.admin.request<{ spec: { versions: object[] } }>('GET', `${templates}/grown`);
    expect(left.spec.versions).toMatchObject([{ version: '1.1.0' }]);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('are read-only for a user who may only view the template', async () => {
    await env.admin.createUser('anna', 'the-password-of-anna');
    await env.admin.request('PATCH', `/apis/${apiVersion}/projects/default`, {
      spec: { members: [{ kind: 'User', name: 'anna', clusterRole: projectRoles.user }] },
    });
    const watched = await env.open();
    const { page } = watched;
    await signInAs(page, 'anna', 'the-password-of-anna', '/templates/control-plane');
    await page.getByRole('tab', { name: 'YAML' }).click();
    await renderedOf(page).waitFor();
    expect(await editorOf(page).getAttribute('aria-readonly')).toBe('true');
    for (const name of ['Edit details', 'Duplicate', 'Delete', 'Review and save']) {
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    }
    expect(await accessibilityViolations(page)).toEqual([]);
    expectNoProblems(watched);
    await watched.context.close();
  });
});
