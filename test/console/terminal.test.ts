import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { managementGroup, projectNamespace, sleepForceAnnotation } from '../../src/api/naming.ts';
import { expectNoProblems, type MonitoredPage, signIn } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { violationsInEveryLook } from './harness/looks.ts';

const group = `/apis/${managementGroup}/v1`;
const instances = `${group}/namespaces/${projectNamespace('default')}/virtualclusterinstances`;
const terminal = (name: string) => `/virtual-clusters/default/${name}/terminal`;

const manifest = `apiVersion: v1
kind: ConfigMap
metadata: {name: colors, labels: {app: paint}}
data: {wall: blue}
---
apiVersion: v1
kind: Secret
metadata: {name: safe}
stringData: {code: "1234"}
`;

describeConsole('kubectl commands in the browser', (env) => {
  beforeAll(async () => {
    await env.admin.createInstance('demo');
  });

  const field = (page: Page) => page.getByRole('combobox', { name: 'Command' });
  const output = (page: Page) => page.getByRole('log', { name: 'Output' });

  /** Runs a command and returns its output. */
  async function run(page: Page, line: string): Promise<string> {
    const entries = output(page).locator('[data-state]');
    const before = await entries.count();
    await field(page).fill(line);
    await field(page).press('Enter');
    const entry = entries.nth(before);
    await entry.and(page.locator(':not([data-state="running"])')).waitFor();
    return (await entry.innerText()).split('\n').slice(1).join('\n').trimEnd();
  }

  it('read, write, explain and delete objects with the permissions of the user', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/virtual-clusters/default/demo');
    await page.getByRole('link', { name: 'Terminal' }).click();
    await page.getByRole('heading', { name: 'Terminal: demo' }).waitFor();
    await page.getByRole('button', { name: 'get namespaces' }).click();
    await output(page).getByText('kube-system').waitFor();
    expect(await violationsInEveryLook(page, 'kubectl-get')).toEqual([]);

    // A manifest with several objects, of which one is in the default namespace.
    await field(page).fill('apply -f -');
    await field(page).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Apply a manifest' });
    await dialog.locator('.cm-content').click();
    await page.evaluate((value) => navigator.clipboard.writeText(value), manifest);
    await page.keyboard.press('Control+v');
    await dialog.getByRole('button', { name: 'Apply', exact: true }).click();
    await output(page).getByText('configmap/colors serverside-applied').waitFor();
    await output(page).getByText('secret/safe serverside-applied').waitFor();

    expect(await run(page, 'kubectl get cm -l app=paint --no-headers')).toMatch(/^colors +1 +\d+s$/);
    expect(await run(page, 'get cm,secret -o name')).toContain('configmap/colors\n');
    expect(await run(page, 'get configmap/colors -o yaml')).toMatch(/data:\n {2}wall: blue/);
    const described = await run(page, 'describe secret safe');
    expect(described).toMatch(/Name: +safe/);
    expect(described).toMatch(/code: +4 bytes/i);
    expect(described).not.toContain('MTIzNA');
    expect(await run(page, 'explain configmap.data')).toMatch(/KIND: +ConfigMap[\s\S]*FIELD: data <map>/);
    expect(await run(page, 'api-resources --namespaced=false')).toMatch(/namespaces +ns +v1 +false +Namespace/);
    expect(await run(page, 'auth can-i create pods')).toBe('yes');
    expect(await run(page, 'auth whoami')).toMatch(/Username +\S+/);
    expect(await run(page, 'get podz')).toMatch(/error: the server doesn't have a resource type "podz"/);
    expect(await run(page, 'get cm nothing')).toMatch(/Error from server \(NotFound\): .*"nothing" not found/);
    expect(await run(page, 'get pods | grep x')).toContain('there is no shell');
    expect(await run(page, 'rollout restart deploy/x')).toMatch(
      /"rollout" does not work in the browser. Use one of get,/,
    );
    expect(await run(page, 'get cm --sort-by=x')).toMatch(/--sort-by is not supported here; this command has/);

    // A watch shows changes by others until it is stopped.
    await field(page).fill('get cm colors -w');
    await field(page).press('Enter');
    const running = output(page).locator('[data-state="running"]');
    await running.getByText(/colors +1/).waitFor();
    const path = '/api/v1/namespaces/default/configmaps/colors';
    const change = { data: { door: 'red' } };
    expect((await env.inside.request('demo', path, { method: 'PATCH', document: change })).status).toBe(200);
    await running.getByText(/colors +2/).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await output(page).getByText('^C').waitFor();

    // A namespace is deleted only after a confirmation.
    await run(page, 'create namespace web');
    await run(page, 'config set-context --current --namespace=web');
    expect(await run(page, 'get cm -o name')).toBe('configmap/kube-root-ca.crt');
    await field(page).fill('delete ns web');
    await field(page).press('Enter');
    await page.getByRole('dialog', { name: 'Delete Namespace web?' }).getByRole('button', { name: 'Cancel' }).click();
    await output(page).getByText('error: cancelled').waitFor();
    expect(await run(page, 'delete cm colors -n default')).toBe('configmap "colors" deleted');
    expect(await violationsInEveryLook(page, 'kubectl-more')).toEqual([]);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('complete kinds, names and flags, and recall commands, with the keyboard', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, terminal('demo'));
    await field(page).fill('get namespac');
    await field(page).press('Tab');
    await expect.poll(() => field(page).inputValue()).toBe('get namespaces ');
    await field(page).pressSequentially('kube-s');
    await field(page).press('Tab');
    await expect.poll(() => field(page).inputValue()).toBe('get namespaces kube-system ');
    await field(page).press('Enter');
    await output(page)
      .getByText(/kube-system +Active/)
      .waitFor();
    await field(page).fill('get cm -n kube-');
    await field(page).press('Tab');
    const options = page.getByRole('listbox', { name: 'Completions' }).getByRole('option');
    await options.filter({ hasText: 'kube-public' }).waitFor();
    await field(page).press('Escape');
    await field(page).press('Escape');
    expect(await field(page).inputValue()).toBe('');
    await field(page).press('ArrowUp');
    expect(await field(page).inputValue()).toBe('get namespaces kube-system');
    await field(page).press('Escape');
    await field(page).press('Tab');
    expect(await field(page).evaluate((element) => element === document.activeElement)).toBe(false);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('are found in the command palette, and need the permission to use the virtual cluster', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('terminal demo');
    await page.getByRole('option', { name: 'Terminal in demo' }).click();
    await page.waitForURL(terminal('demo'));
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('show that a virtual cluster without its own process has no log, and link to its events', async () => {
    const watched = await openPageOf('/virtual-clusters/default/demo?tab=logs');
    const { page } = watched;
    await page.getByRole('heading', { name: 'demo has no log' }).waitFor();
    await page.getByText('because it runs inside the server').waitFor();
    expect(await violationsInEveryLook(page, 'no-log')).toEqual([]);
    await page.getByRole('link', { name: 'Search the audit log' }).click();
    await page.waitForURL(/audit-log\?.*name=demo/);
    await page.goBack();
    await page.getByRole('link', { name: 'Show events' }).click();
    await page.getByRole('list', { name: 'Events' }).waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('do not wake a virtual cluster that is asleep', async () => {
    await env.admin.createInstance('sleepy');
    const watched = await openPageOf(terminal('sleepy'));
    const { page } = watched;
    await field(page).waitFor();
    await env.admin.request('PATCH', `${instances}/sleepy`, {
      metadata: { annotations: { [sleepForceAnnotation]: 'true' } },
    });
    await page.getByRole('heading', { name: 'sleepy is asleep' }).waitFor();
    expect(await field(page).isVisible()).toBe(false);
    expectNoProblems(watched);
    await watched.context.close();
  });

  async function openPageOf(path: string): Promise<MonitoredPage> {
    const watched = await env.open();
    await signIn(watched.page, env.flotilla.adminKey, path);
    return watched;
  }
});
