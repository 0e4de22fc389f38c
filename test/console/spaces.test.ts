import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { managementGroup, projectNamespace, projectRoles } from '../../src/api/naming.ts';
import { expectNoProblems, signIn, signInAs } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { violationsInEveryLook } from './harness/looks.ts';

const group = `/apis/${managementGroup}/v1`;
const password = 'a password for tests';

type Space = { spec: { templateRef?: { name: string }; parameters?: string; access?: object[] } };

function nameField(page: Page) {
  return page.locator('[data-path="metadata.name"]');
}

function row(page: Page, name: string) {
  return page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
}

describeConsole('spaces', (env) => {
  beforeAll(async () => {
    await env.admin.createUser('udo', password);
    await env.admin.request('PATCH', `${group}/projects/default`, {
      spec: { members: [{ kind: 'User', name: 'udo', clusterRole: projectRoles.user }] },
    });
    await env.admin.request('POST', `${group}/spacetemplates`, {
      metadata: { name: 'quiet' },
      spec: {
        displayName: 'Quiet',
        parameters: [{ variable: 'env', label: 'Environment', options: ['dev', 'test'], required: true }],
        template: { access: { defaultClusterRole: 'edit' } },
      },
    });
    await env.admin.createSpace('first');
  });

  const space = async (name: string) =>
    await env.admin.request<Space>('GET', `${group}/namespaces/${projectNamespace('default')}/spaceinstances/${name}`);

  it('are created from a form that offers space templates, and a choice without a template', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signInAs(page, 'udo', password, '/spaces/new');
    await page.getByRole('radio', { name: 'No template' }).waitFor();
    expect(await page.getByRole('radio', { name: 'No template' }).isChecked()).toBe(true);
    expect(await page.getByRole('radio').count()).toBe(2);
    await page.getByRole('radio', { name: 'Quiet' }).click();
    await page.getByText('Name and Environment are required.').waitFor();
    await nameField(page).fill('mine');
    await page.getByLabel('Environment').selectOption('test');
    await page.getByText('Ready to create on the cluster “local”.').waitFor();
    expect(await violationsInEveryLook(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create space' }).click();
    await page.getByText('Your space is ready.').waitFor();
    expect(await page.getByRole('list', { name: 'Steps until mine is ready' }).getByRole('listitem').count()).toBe(4);
    await page.getByText('flotilla space connect mine --project default').waitFor();
    expect(await space('mine')).toMatchObject({ spec: { templateRef: { name: 'quiet' } } });
    expect((await space('mine')).spec.parameters).toContain('test');
    // Users see their own spaces only.
    await page.getByRole('link', { name: 'Spaces', exact: true }).first().click();
    await row(page, 'mine').getByText('Ready').waitFor();
    expect(await row(page, 'first').count()).toBe(0);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('sleep, wake and are deleted on their page', async () => {
    await env.admin.createSpace('tired');
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/spaces/default/tired');
    await page.getByText('Ready to use').waitFor();
    // A space has no API of its own, so there is no explorer and no count of its objects.
    expect(await page.getByRole('link', { name: 'Open explorer' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Sleep', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Put to sleep' }).click();
    await page.getByText('This space is asleep').waitFor();
    expect(await violationsInEveryLook(page)).toEqual([]);
    await page.getByRole('button', { name: 'Wake' }).click();
    await page.getByRole('button', { name: 'Sleep', exact: true }).waitFor();

    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('tired');
    await dialog.getByRole('button', { name: 'Delete tired' }).click();
    await page.getByRole('heading', { level: 1, name: 'Spaces' }).waitFor();
    await page.getByRole('link', { name: 'tired' }).waitFor({ state: 'detached' });
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('are shared, and have a kubeconfig with their namespace', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/spaces/default/first?tab=access');
    await page.getByRole('button', { name: 'Share' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('User or team').fill('udo');
    await page.getByRole('option', { name: 'User udo' }).click();
    await dialog.getByText('flotilla space share first --project default --user udo --role edit').waitFor();
    await dialog.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('row').filter({ hasText: 'udo' }).getByText('edit', { exact: true }).waitFor();
    expect((await space('first')).spec.access).toHaveLength(1);

    await page.getByRole('tab', { name: 'Connect' }).click();
    await page.getByRole('button', { name: 'Create kubeconfig' }).click();
    const shown = page.getByRole('dialog').getByLabel('Kubeconfig', { exact: true });
    await shown.waitFor();
    const text = await shown.innerText();
    expect(text).toMatch(/\/project\/default\/space\/first/);
    expect(text).toMatch(/namespace: platform-default-s-first-/);
    await page.getByText('kubectl --kubeconfig first.kubeconfig get pods').waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('are changed together in the list', async () => {
    for (const name of ['one', 'two']) await env.admin.createSpace(name);
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/spaces');
    for (const name of ['one', 'two']) {
      await row(page, name).getByText('Ready').waitFor();
      await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check();
    }
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('2');
    await dialog.getByRole('button', { name: 'Delete 2' }).click();
    await dialog.getByText('2 of 2 being deleted').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await row(page, 'one').waitFor({ state: 'detached' });
    await row(page, 'two').waitFor({ state: 'detached' });
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('have templates that are created, rendered and allowed in projects', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/space-templates');
    await page.getByRole('button', { name: 'New template' }).click();
    await page.getByRole('dialog').getByLabel('Name', { exact: false }).first().fill('loud');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByLabel('Rendered template').getByText('Hello from demo, DEV').waitFor();
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page.getByText('flotilla space create demo --template loud').waitFor();

    await page.goto(`${env.flotilla.url}/projects/default?tab=allowed`);
    await page.getByRole('button', { name: 'Edit space templates' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Default template').selectOption('loud');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row').filter({ hasText: 'loud' }).getByText('Default').waitFor();
    const { spec } = await env.admin.request<{ spec: { allowedTemplates: object[] } }>(
      'GET',
      `${group}/projects/default`,
    );
    expect(spec.allowedTemplates).toEqual([
      { kind: 'SpaceTemplate', name: 'loud', isDefault: true },
      { kind: 'SpaceTemplate', name: '*' },
      { kind: 'VirtualClusterTemplate', name: '*' },
    ]);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('can be the scope of an access key', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/keys/new');
    await page.getByLabel('Limited access').check();
    await page.getByRole('combobox', { name: 'Spaces' }).fill('default/first');
    await page.getByRole('option', { name: 'default/first' }).click();
    await page.keyboard.press('Escape');
    await page.getByText('Space first in project default: view it, connect to it and use it.').waitFor();
    expect(await violationsInEveryLook(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create access key' }).click();
    await page.getByRole('dialog').waitFor();
    const { items } = await env.admin.request<{ items: { spec: { scope?: object } }[] }>('GET', `${group}/accesskeys`);
    expect(items.map(({ spec }) => spec.scope)).toContainEqual(
      expect.objectContaining({ spaces: [{ project: 'default', space: 'first' }] }),
    );
    expectNoProblems(watched);
    await watched.context.close();
  });
});
