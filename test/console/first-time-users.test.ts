import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { managementGroup, projectNamespace, projectRoles } from '../../src/api/naming.ts';
import { expectNoProblems, signIn, signInAs } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { violationsInEveryLook } from './harness/looks.ts';

const group = `/apis/${managementGroup}/v1`;
const instances = `${group}/namespaces/${projectNamespace('payments')}/virtualclusterinstances`;
const password = 'correct horse battery';

/** The tasks of people who see the console for the first time and know only the labels on the screen. */
describeConsole('people who see the console for the first time', (env) => {
  beforeAll(async () => {
    const members = [
      { kind: 'User', name: 'ada', clusterRole: projectRoles.admin },
      { kind: 'User', name: 'ben', clusterRole: projectRoles.user },
      { kind: 'User', name: 'cara', clusterRole: projectRoles.user },
    ];
    for (const { name } of members) await env.admin.createUser(name, password, { displayName: `Person ${name}` });
    await env.admin.request('POST', `${group}/projects`, {
      metadata: { name: 'payments' },
      spec: {
        displayName: 'Payments',
        members,
        allowedClusters: [{ name: '*' }],
        allowedTemplates: [{ kind: 'VirtualClusterTemplate', name: '*' }],
      },
    });
    for (const [name, user] of [
      ['ada-one', 'ada'],
      ['ben-old', 'ben'],
      ['cara-one', 'cara'],
      ['cara-two', 'cara'],
    ] as const)
      await env.admin.createInstance(name, { spec: { owner: { user } } }, 'payments');
    const laptop = await env.admin.request<{ spec: { key: string } }>('POST', `${group}/ownedaccesskeys`, {
      metadata: { name: 'bens-laptop' },
      spec: { user: 'ben' },
    });
    expect(await env.admin.statusOf(laptop.spec.key, 'DELETE', `${instances}/ben-old`)).toBe(200);
  });

  const follow = (page: Page, link: string) => page.getByRole('navigation').getByRole('link', { name: link }).click();
  const press = (page: Page, button: string) => page.getByRole('button', { name: button, exact: true }).click();

  const searchFor = async (page: Page, text: string) => {
    await press(page, 'Search');
    await page.getByRole('combobox', { name: 'Search pages, objects and actions' }).pressSequentially(text);
  };

  it('create a virtual cluster, and use it in the browser', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signInAs(page, 'ada', password);
    await page.getByRole('main').getByRole('link', { name: 'New virtual cluster' }).click();
    const name = page.getByLabel('Name *');
    // The message about the missing name disappears when the first letter is typed.
    await name.fill('x');
    await name.fill('');
    await page.getByText('Name is required.').last().waitFor();
    await name.fill('first');
    await page.getByText('Name is required.').waitFor({ state: 'hidden' });
    await press(page, 'Create virtual cluster');
    await page.getByText('Your virtual cluster is ready.').waitFor();
    await page.getByRole('link', { name: 'Terminal' }).click();

    // The command field has the focus.
    const output = page.getByRole('log');
    await page.getByRole('combobox', { name: 'Command' }).waitFor();
    const enter = async (line: string) => {
      await page.keyboard.type(line);
      await page.keyboard.press('Enter');
    };
    await enter('kubectl create configmap colors --from-literal=sky=blue');
    await output.getByText(/"create configmap" does not work in the browser; enter "create -f -"/).waitFor();
    await enter('kubectl create -f web.yaml');
    await output.getByText(/cannot open files by name; enter "create -f -", and choose the file/).waitFor();
    await enter('kubectl create namespace');
    await output.getByText(/create namespace needs one name, for example/).waitFor();
    await enter('kubectl create namespace shop');
    await output.getByText('namespace/shop created').waitFor();
    await enter('kubectl create namespace shop');
    await output.getByText(/AlreadyExists/).waitFor();
    expect(await output.getByText(/objects failed/).count()).toBe(0);
    // Nobody has to scroll sideways to read why a command failed.
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await output.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    expect(await violationsInEveryLook(page, 'first-terminal')).toEqual([]);
    expectNoProblems(watched);
    await page.close();
  });

  it('share a virtual cluster read-only, and select the person with Enter', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signInAs(page, 'ada', password);
    // Enter opens the first result, even if it is pressed before the results are loaded.
    await searchFor(page, 'ada-one');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'ada-one' }).waitFor();
    await page.getByRole('tab', { name: 'Access', exact: true }).click();
    await press(page, 'Share');
    const dialog = page.getByRole('dialog', { name: 'Share ada-one' });
    await dialog.getByRole('combobox', { name: 'User or team' }).pressSequentially('ben');
    await page.getByRole('option', { name: /Person ben/ }).waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Cluster role').selectOption({ label: 'view (read-only)' });
    expect(await violationsInEveryLook(page, 'first-share')).toEqual([]);
    await dialog.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('row').filter({ hasText: 'Person ben' }).filter({ hasText: 'view' }).waitFor();
    expectNoProblems(watched);
    await page.close();
  });

  it('create an access key for CI that works in one project', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signInAs(page, 'ada', password);
    await follow(page, 'Access keys');
    await page.getByRole('link', { name: 'New access key' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('ci');
    await page.getByLabel('Limited access').check();
    await page.getByRole('combobox', { name: 'Projects' }).pressSequentially('pay');
    await page.getByRole('option', { name: 'payments' }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await page.getByRole('option').first().waitFor({ state: 'hidden' });
    await page.getByText(/^In the project payments: view, create, change, delete/).waitFor();
    // The switch is on by default, so a key for a pipeline needs no further choice.
    expect(await page.getByRole('switch', { name: 'Allow the command-line tool and kubectl' }).isChecked()).toBe(true);
    expect(await violationsInEveryLook(page, 'first-key')).toEqual([]);
    await press(page, 'Create access key');
    await page.getByText(/flotilla login .* --access-key-stdin < ci.key/).waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Download ci.key')]);
    const key = readFileSync(await download.path(), 'utf8').trim();
    await press(page, 'Done');
    await page.getByRole('row').filter({ hasText: 'Project payments, command line' }).waitFor();
    expect(await env.admin.statusOf(key, 'GET', instances)).toBe(200);
    expect(await env.admin.statusOf(key, 'POST', `${group}/selves`, {})).toBe(201);
    const other = `${group}/namespaces/${projectNamespace('default')}/virtualclusterinstances`;
    expect(await env.admin.statusOf(key, 'POST', other, { metadata: { name: 'x' }, spec: {} })).toBe(403);
    expectNoProblems(watched);
    await page.close();
  });

  it('find out who deleted a virtual cluster', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signInAs(page, 'ada', password);
    const list = page.getByRole('list', { name: 'Activity' });
    await follow(page, 'Activity');
    await list.getByText('ben deleted ben-old in payments').waitFor();
    const search = page.getByRole('textbox', { name: 'Search by name' });
    await search.fill('ben-o');
    await list.getByText('ada-one').first().waitFor({ state: 'hidden' });
    await list.getByText('ben deleted ben-old in payments').waitFor();
    expect(await violationsInEveryLook(page, 'first-activity')).toEqual([]);
    await search.fill('never-existed');
    await page.getByText('No activity of an object named never-existed').waitFor();
    expect(await violationsInEveryLook(page, 'first-no-activity')).toEqual([]);

    // The activity can also be found from the places where people look for the object itself.
    await searchFor(page, 'ben-old');
    await page.getByRole('link', { name: 'Show activity of ben-old' }).click();
    await list.getByText('ben deleted ben-old in payments').waitFor();
    await list.getByRole('link', { name: 'ben-old in payments' }).first().click();
    await page.getByText('No virtual cluster named ben-old').waitFor();
    expect(await violationsInEveryLook(page, 'first-deleted')).toEqual([]);
    await page.getByRole('link', { name: 'Show activity of ben-old' }).click();
    await list.getByText('ben deleted ben-old in payments').waitFor();
    await page.getByRole('button', { name: 'Clear search' }).click();
    await list.getByText('ada-one').first().waitFor();
    expectNoProblems(watched);
    await page.close();
  });

  it('offboard a person who leaves', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey);
    await follow(page, 'Users');
    await page.getByRole('link', { name: 'cara', exact: true }).click();
    await page.getByRole('link', { name: 'Offboard', exact: true }).click();
    await page.getByText('Transfer 2 virtual clusters').waitFor();
    await page.getByText('Remove access to 1 project').waitFor();
    const plan = page.getByRole('region', { name: 'Offboarding plan' });
    await plan.getByText('Virtual cluster', { exact: true }).first().waitFor();
    await page.getByRole('combobox', { name: 'New owner' }).pressSequentially('ada');
    await page.getByRole('option', { name: /Person ada/ }).waitFor();
    await page.keyboard.press('Enter');
    await plan.getByText('to user ada').first().waitFor();
    expect(await violationsInEveryLook(page, 'first-offboarding')).toEqual([]);
    await press(page, 'Offboard cara');
    const dialog = page.getByRole('dialog', { name: 'Offboard cara?' });
    await dialog.getByRole('textbox').fill('cara');
    await dialog.getByRole('button', { name: 'Offboard cara' }).click();
    await page.getByText('Transferred 2 virtual clusters').waitFor();
    expect(await env.admin.statusOf(env.flotilla.adminKey, 'GET', `${group}/users/cara`)).toBe(404);
    expectNoProblems(watched);
    await page.close();
  });
});
