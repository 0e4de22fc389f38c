import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { ProjectSpec } from '../../src/api/management/v1/project.ts';
import { managementGroup, projectRoles } from '../../src/api/naming.ts';
import { expectNoProblems, signIn } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { violationsInEveryLook } from './harness/looks.ts';

const apiVersion = `${managementGroup}/v1`;
const group = `/apis/${apiVersion}`;
const markup = '<img src=x onerror=alert(1)>';
const password = 'a password for tests';

describeConsole('the project pages', (env) => {
  beforeAll(async () => {
    await env.admin.createUser('ana', password, { displayName: `Ana ${markup}` });
    await env.admin.createUser('chief', password);
    await env.admin.request('POST', `${group}/teams`, {
      apiVersion,
      kind: 'Team',
      metadata: { name: 'ops' },
      spec: { displayName: 'Operations', users: ['chief'] },
    });
    await env.admin.request('POST', `${group}/projects`, {
      apiVersion,
      kind: 'Project',
      metadata: { name: 'red' },
      spec: {
        displayName: `Red ${markup}`,
        members: [
          { kind: 'User', name: 'chief', clusterRole: projectRoles.admin },
          { kind: 'User', name: 'ana', clusterRole: projectRoles.viewer },
        ],
        allowedClusters: [{ name: '*' }],
        allowedTemplates: [{ name: '*' }],
        quotas: { project: { virtualclusterinstances: 2 }, user: { virtualclusterinstances: 1 } },
      },
    });
  });

  const specOf = async (project: string): Promise<ProjectSpec> =>
    (await env.admin.request<{ spec: ProjectSpec }>('GET', `${group}/projects/${project}`)).spec;
  const tab = (page: Page, name: string) => page.getByRole('tab', { name }).click();
  const dialog = (page: Page) => page.getByRole('dialog');

  async function signInAs(page: Page, user: string, path: string): Promise<void> {
    await page.goto(path);
    await page.getByLabel('Username').fill(user);
    await page.locator('input[name="password"]').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: /Red/ }).waitFor();
  }

  it('let an administrator create, fill, limit and delete a project', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/projects');
    await page.getByRole('link', { name: 'red' }).waitFor();

    await page.getByRole('button', { name: 'New project' }).click();
    await dialog(page).getByRole('textbox', { name: 'Name', exact: true }).fill('Not A Name');
    await dialog(page).getByLabel('Display name').fill(markup);
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    // A validation error is shown at its field, and the input is kept.
    await dialog(page)
      .getByText(/a lowercase RFC 1123 label must consist of/)
      .first()
      .waitFor();
    expect(await dialog(page).getByRole('textbox', { name: 'Name', exact: true }).getAttribute('aria-invalid')).toBe(
      'true',
    );
    await dialog(page).getByRole('textbox', { name: 'Name', exact: true }).fill('blue');
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: markup }).waitFor();
    expect(await specOf('blue')).toMatchObject({
      displayName: markup,
      allowedClusters: [{ name: '*' }],
      allowedTemplates: [
        { kind: 'VirtualClusterTemplate', name: '*' },
        { kind: 'SpaceTemplate', name: '*' },
      ],
    });

    await tab(page, 'Members');
    await page.getByText('No members yet').waitFor();
    await page.getByRole('button', { name: 'Add member' }).click();
    await dialog(page).getByPlaceholder('Search by name').fill('ana');
    await page.getByRole('option', { name: /ana/ }).first().click();
    await dialog(page).getByLabel('Viewer').click();
    await dialog(page).getByRole('button', { name: 'Add', exact: true }).click();
    const roleOfAna = page.getByLabel('Role of ana');
    await roleOfAna.waitFor();
    expect(await roleOfAna.inputValue()).toBe(projectRoles.viewer);

    // Another client adds a team. The team appears at once, and the next change in the console keeps it.
    const members = (await specOf('blue')).members ?? [];
    const ops = { kind: 'Team', name: 'ops', clusterRole: projectRoles.user };
    await env.admin.request('PATCH', `${group}/projects/blue`, { spec: { members: [...members, ops] } });
    await page.getByRole('link', { name: 'Operations' }).waitFor();
    await roleOfAna.selectOption({ label: 'Admin' });
    await page.getByText('Changed role of ana to Admin').waitFor();
    // Waits until the row of ana has moved to its new position, so the list no longer changes.
    await expect.poll(() => roleOfAna.inputValue(), { timeout: 20_000 }).toBe(projectRoles.admin);
    expect((await specOf('blue')).members).toEqual([
      { kind: 'User', name: 'ana', clusterRole: projectRoles.admin },
      ops,
    ]);
    await page.getByRole('button', { name: 'Remove ops' }).click();
    await dialog(page).getByRole('button', { name: 'Remove ops' }).click();
    await page.getByRole('link', { name: 'Operations' }).waitFor({ state: 'detached' });

    await tab(page, 'Clusters and templates');
    await page.getByText('All clusters are allowed').waitFor();
    await page.getByRole('button', { name: 'Edit clusters' }).click();
    await dialog(page).getByLabel('All clusters, including future ones').click();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('No clusters are allowed').waitFor();
    await page.getByRole('button', { name: 'Edit clusters' }).click();
    await dialog(page).getByLabel('local').click();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Only these clusters are allowed').waitFor();
    expect((await specOf('blue')).allowedClusters).toEqual([{ name: 'local' }]);

    await tab(page, 'Quotas');
    await page.getByText('0, no quota').first().waitFor();
    await page.getByRole('button', { name: 'Edit quotas' }).click();
    await dialog(page).getByLabel('Virtual clusters in the project').fill('2');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('0 of 2').waitFor();
    await env.admin.createInstance('one', {}, 'blue');
    await page.getByText('1 of 2').waitFor();
    await tab(page, 'Overview');
    await page.getByRole('link', { name: '1 Ready' }).waitFor();

    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog(page)
      .getByText(/^Deletes 1 virtual cluster of the project first/)
      .waitFor();
    expect(await dialog(page).getByRole('button', { name: 'Delete blue' }).isDisabled()).toBe(true);
    await dialog(page)
      .getByLabel(/Type blue/)
      .fill('blue');
    await dialog(page).getByRole('button', { name: 'Delete blue' }).click();
    await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
    await page.getByRole('link', { name: 'blue' }).waitFor({ state: 'detached' });
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('offer only permitted actions', async () => {
    const one = await env.open();
    await signInAs(one.page, 'chief', '/projects/red?tab=members');
    await one.page.getByRole('button', { name: 'Add member' }).waitFor();
    await tab(one.page, 'Quotas');
    await one.page.getByText('0 of 2').waitFor();
    await tab(one.page, 'Clusters and templates');
    await one.page.getByRole('link', { name: 'Local' }).waitFor();
    await one.page.getByRole('link', { name: 'New virtual cluster' }).waitFor();
    for (const name of ['Edit quotas', 'Edit clusters', 'Edit templates', 'Delete']) {
      expect(await one.page.getByRole('button', { name }).count(), name).toBe(0);
    }

    const other = await env.open();
    await signInAs(other.page, 'ana', '/projects/red?tab=members');
    await other.page.getByRole('cell', { name: 'Viewer' }).waitFor();
    for (const name of ['Add member', 'Remove chief', 'Edit details', 'Delete']) {
      expect(await other.page.getByRole('button', { name }).count(), name).toBe(0);
    }
    for (const watched of [one, other]) {
      expectNoProblems(watched);
      await watched.context.close();
    }
  });

  it('are accessible in both themes and on a narrow screen', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/projects');
    const looks: [path: string, seen: string][] = [
      ['/projects', 'Default'],
      ['/projects/red', 'Time to Ready'],
      ['/projects/red?tab=members', 'Roles'],
      ['/projects/red?tab=allowed', 'All templates are allowed'],
      ['/projects/red?tab=quotas', 'Each user and team may have up to 1 virtual cluster.'],
    ];
    await page.getByText('Default').first().waitFor();
    for (const [path, seen] of looks) {
      await page.goto(path);
      await page.getByText(seen).filter({ visible: true }).first().waitFor();
      expect(await violationsInEveryLook(page), path).toEqual([]);
    }
    await page.goto('/projects/red?tab=members');
    await page.getByRole('button', { name: 'Add member' }).click();
    await dialog(page).getByPlaceholder('Search by name').waitFor();
    expect(await violationsInEveryLook(page)).toEqual([]);
    expectNoProblems(watched);
    await watched.context.close();
  });
});
