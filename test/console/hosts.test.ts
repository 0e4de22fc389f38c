import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ClusterSpec } from '../../src/api/management/v1/cluster.ts';
import { managementGroup, storageGroup } from '../../src/api/naming.ts';
import { type ServingProcess, startServing } from '../harness/flotilla-process.ts';
import { expectNoProblems, signIn } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { violationsInEveryLook } from './harness/looks.ts';
import { readableTexts } from './harness/secrets.ts';

const apiVersion = `${managementGroup}/v1`;
const group = `/apis/${apiVersion}`;
const markup = '<img src=x onerror=alert(1)>';
const token = 'a-token-that-nobody-may-see-again';
/** An address at which nothing listens. */
const nowhere = 'https://127.0.0.1:1';

function kubeconfig(user: object): string {
  return JSON.stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: nowhere } }],
    users: [{ name: 'u', user }],
  });
}

describeConsole('the cluster pages', (env) => {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-console-'));
  let agent: ServingProcess | undefined;

  beforeAll(async () => {
    await env.admin.createUser('ana', 'a password for tests', { displayName: `Ana ${markup}` });
    const virtualClusters = `/../cluster/local/apis/${storageGroup}/v1/namespaces/default/virtualclusters`;
    for (const name of ['found', 'lost']) {
      await env.admin.request('POST', virtualClusters, {
        apiVersion: `${storageGroup}/v1`,
        kind: 'VirtualCluster',
        metadata: { name },
        spec: { displayName: markup },
      });
    }
  });
  afterAll(async () => {
    await agent?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const specOf = async (cluster: string): Promise<ClusterSpec> =>
    (await env.admin.request<{ spec: ClusterSpec }>('GET', `${group}/clusters/${cluster}`)).spec;
  const tab = (page: Page, name: string) => page.getByRole('tab', { name }).click();
  const dialog = (page: Page) => page.getByRole('dialog');
  const nameField = (page: Page) => dialog(page).getByRole('textbox', { name: 'Name', exact: true });

  it('import an existing virtual cluster in two clicks', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/hosts/local?tab=import');
    await page.getByRole('button', { name: 'Import found' }).click();
    await dialog(page).getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Imported found into project default').waitFor();
    await page.getByText('1 virtual cluster is already in a project').waitFor();
    // When a row is removed, the focus moves to the next row, which moves up. After the last row is removed, the focus
    // moves to the page.
    const isFocused = (place: Locator) => place.evaluate((element) => element === document.activeElement);
    await expect.poll(() => isFocused(page.getByRole('button', { name: 'Import lost' }))).toBe(true);
    await page.keyboard.press('Enter');
    await dialog(page).getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Imported lost into project default').waitFor();
    await page.getByText('Nothing to import').waitFor();
    await page.getByText('2 virtual clusters are already in a project').waitFor();
    await expect.poll(() => isFocused(page.locator('main#page'))).toBe(true);
    await tab(page, 'Virtual clusters');
    await page.getByRole('row').filter({ hasText: 'found' }).getByText('Ready').waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('connect a cluster through an agent, whose key is shown once', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/hosts');
    await page.getByRole('button', { name: 'Connect cluster' }).click();
    await dialog(page).getByText('Agent', { exact: true }).click();
    await nameField(page).fill('edge');
    await dialog(page).getByLabel('Display name').fill(markup);
    await dialog(page).getByRole('button', { name: 'Next: start agent' }).click();
    await page.getByRole('heading', { level: 1, name: markup }).waitFor();

    await page.getByRole('button', { name: 'Create agent key' }).click();
    const key = (await dialog(page).getByLabel('Agent key', { exact: true }).textContent()) ?? '';
    expect(key).toMatch(/^flk_/);
    const saving = page.waitForEvent('download');
    await dialog(page).getByRole('button', { name: 'Download ca.crt' }).click();
    const authority = join(folder, 'ca.crt');
    await (await saving).saveAs(authority);
    expect(await dialog(page).getByLabel('Command', { exact: true }).textContent()).toContain('--cluster edge');
    await dialog(page).getByRole('button', { name: 'Done' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    expect(await readableTexts(page)).not.toContain(key);

    // The agent starts with the key and certificate as the dialog describes.
    writeFileSync(join(folder, 'edge.key'), `${key}\n`);
    agent = await startServing([
      ...['agent', '--management', env.flotilla.url, '--ca-file', authority, '--built-in', '--listen', '127.0.0.1:0'],
      ...['--cluster', 'edge', '--access-key-file', join(folder, 'edge.key'), '--data-dir', join(folder, 'agent')],
    ]);
    await tab(page, 'Overview');
    await page.getByText('Online', { exact: true }).waitFor({ timeout: 60_000 });

    await page.getByLabel('Accept new virtual clusters').click();
    await page.getByText('edge accepts no new virtual clusters').waitFor();
    expect((await specOf('edge')).unusable).toBe(true);

    await tab(page, 'Access');
    await page.getByText('Administrators only').waitFor();
    await page.getByRole('button', { name: 'Grant access' }).click();
    await dialog(page).getByPlaceholder('Search by name').fill('ana');
    await page.getByRole('option', { name: /ana/ }).first().click();
    await dialog(page).getByRole('button', { name: 'Grant access' }).click();
    await page.getByRole('cell', { name: 'Use', exact: true }).waitFor();
    expect((await specOf('edge')).access).toEqual([{ verbs: ['get', 'use'], users: ['ana'] }]);
    await page.getByRole('button', { name: 'Revoke access of ana' }).click();
    await dialog(page).getByRole('button', { name: 'Revoke access' }).click();
    await page.getByText('Administrators only').waitFor();

    // A running agent would retry with its revoked key until the server throttled the address.
    await agent.stop();
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await dialog(page)
      .getByLabel(/Type edge/)
      .fill('edge');
    await dialog(page).getByRole('button', { name: 'Disconnect edge' }).click();
    await page.getByRole('heading', { level: 1, name: 'Clusters' }).waitFor();
    await page.getByRole('link', { name: 'edge' }).waitFor({ state: 'detached' });
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('accept a kubeconfig from a file, show its problems, and keep nothing of it', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/hosts');
    await page.getByRole('button', { name: 'Connect cluster' }).click();
    await nameField(page).fill('far');
    const field = dialog(page).getByRole('textbox', { name: 'Kubeconfig' });
    await field.fill(kubeconfig({ exec: { command: 'id', apiVersion: 'client.authentication.k8s.io/v1' } }));
    await dialog(page).getByRole('button', { name: 'Connect', exact: true }).click();
    await dialog(page)
      .getByText(/exec would read files/)
      .waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');

    const file = join(folder, 'far.yaml');
    writeFileSync(file, kubeconfig({ token }));
    const choosing = page.waitForEvent('filechooser');
    await dialog(page).getByRole('button', { name: 'Choose file' }).click();
    await (await choosing).setFiles(file);
    await expect.poll(async () => await field.inputValue()).toContain(token);
    await dialog(page).getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'far' }).waitFor();
    await page.getByText('Offline', { exact: true }).waitFor();
    await page
      .getByText(/Cannot reach the cluster/)
      .first()
      .waitFor();
    expect(await readableTexts(page)).not.toContain(token);

    await tab(page, 'Connection');
    await page.getByText('The server stores the kubeconfig encrypted and never shows it.').waitFor();
    await page.getByRole('button', { name: 'Replace kubeconfig' }).click();
    await dialog(page)
      .getByRole('textbox', { name: 'Kubeconfig' })
      .fill(kubeconfig({ token: `${token}-2` }));
    await dialog(page).getByRole('button', { name: 'Replace' }).click();
    await page.getByText('Replaced kubeconfig of far').waitFor();
    await dialog(page).waitFor({ state: 'detached' });
    expect(await readableTexts(page)).not.toContain(token);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('are accessible in both themes and on a narrow screen', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/hosts');
    await page.getByRole('link', { name: 'local' }).waitFor();
    const looks: [path: string, seen: string][] = [
      ['/hosts', 'built-in'],
      ['/hosts/far', 'Conditions'],
      ['/hosts/local?tab=instances', 'found'],
      ['/hosts/local?tab=import', 'already in a project'],
      ['/hosts/far?tab=connection', 'Direct endpoint'],
      ['/hosts/far?tab=access', 'Administrators only'],
    ];
    for (const [path, seen] of looks) {
      await page.goto(path);
      await page.getByText(seen).filter({ visible: true }).first().waitFor();
      expect(await violationsInEveryLook(page), path).toEqual([]);
    }
    await page.goto('/hosts');
    await page.getByRole('button', { name: 'Connect cluster' }).click();
    await nameField(page).waitFor();
    expect(await violationsInEveryLook(page)).toEqual([]);
    expectNoProblems(watched);
    await watched.context.close();
  });
});
