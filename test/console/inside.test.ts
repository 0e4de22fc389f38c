import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { managementGroup, projectNamespace, sleepAfterAnnotation } from '../../src/api/naming.ts';
import { violationsInBothThemes } from './harness/accessibility.ts';
import { expectNoProblems, signIn } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';

const inside = (name: string, search = '') => `/virtual-clusters/default/${name}/inside${search}`;

const instances = `/apis/${managementGroup}/v1/namespaces/${projectNamespace('default')}/virtualclusterinstances`;

const paintings = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: paintings.art.example
spec:
  group: art.example
  scope: Namespaced
  names: {plural: paintings, singular: painting, kind: Painting}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {color: {type: string}}}}}
---
apiVersion: v1
kind: Namespace
metadata:
  name: gallery
`;

describeConsole('the explorer of a virtual cluster', (env) => {
  beforeAll(async () => {
    await env.admin.createInstance('demo');
  });

  const kinds = (page: Page) => page.getByRole('navigation', { name: 'Kinds in demo' });
  const row = (page: Page, name: string) =>
    page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });

  /** Pastes a text into the editor, as a user would. */
  async function write(page: Page, text: string): Promise<void> {
    const editor = page.locator('.cm-content').first();
    await editor.click();
    await page.keyboard.press('Control+a');
    await page.evaluate((value) => navigator.clipboard.writeText(value), text);
    await page.keyboard.press('Control+v');
  }

  it('browses, creates, changes and deletes objects, and shows changes by others', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, inside('demo'));
    await row(page, 'kube-system').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);

    // Another client creates an object, which appears in the list.
    const named = { metadata: { name: 'elsewhere' } };
    expect((await env.inside.request('demo', '/api/v1/namespaces', { method: 'POST', document: named })).status).toBe(
      201,
    );
    await row(page, 'elsewhere').waitFor();

    // A rejected text stays in the editor, with the error.
    await kinds(page).getByRole('link', { name: 'ConfigMap', exact: true }).click();
    await row(page, 'kube-root-ca.crt').first().waitFor();
    await page.getByRole('button', { name: 'New ConfigMap' }).first().click();
    await write(page, 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: Not a name\n');
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('alert').getByText('metadata.name').first().waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();

    // Creates several objects at once, one of them of a new kind.
    await page.getByRole('button', { name: 'New ConfigMap' }).first().click();
    await write(page, paintings);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await kinds(page).getByRole('link', { name: 'Painting', exact: true }).click();
    await page.getByText('No paintings').waitFor();
    const dawn = {
      apiVersion: 'art.example/v1',
      kind: 'Painting',
      metadata: { name: 'dawn' },
      spec: { color: 'red' },
    };
    const made = await env.inside.request('demo', '/apis/art.example/v1/namespaces/gallery/paintings', {
      method: 'POST',
      document: dawn,
    });
    expect(made.status).toBe(201);
    const { uid } = (JSON.parse(made.text) as { metadata: { uid: string } }).metadata;
    await row(page, 'dawn').getByText('gallery').waitFor();

    // Opens one object: its events, its YAML, its deletion.
    const event = {
      metadata: { name: 'dawn.1', namespace: 'gallery' },
      involvedObject: { kind: 'Painting', namespace: 'gallery', name: 'dawn', uid },
      type: 'Warning',
      reason: 'Faded',
      message: '<img src=x onerror=alert(1)>',
    };
    expect(
      (await env.inside.request('demo', '/api/v1/namespaces/gallery/events', { method: 'POST', document: event }))
        .status,
    ).toBe(201);
    await row(page, 'dawn').getByRole('link', { name: 'dawn' }).click();
    await page.getByRole('heading', { name: 'dawn' }).waitFor();
    await page.getByRole('list', { name: 'Events' }).getByText(event.message).waitFor();
    await page.locator('.cm-content').first().getByText('color').waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    const green = { ...dawn, metadata: { name: 'dawn', namespace: 'gallery' }, spec: { color: 'green' } };
    await write(page, JSON.stringify(green));
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByRole('dialog', { name: 'Save dawn?' }).getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved dawn').waitFor();
    expect((await env.inside.request('demo', '/apis/art.example/v1/namespaces/gallery/paintings/dawn')).text).toContain(
      'green',
    );
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete dawn' }).click();
    await page.getByText('No paintings').waitFor();
    expect((await env.inside.request('demo', '/apis/art.example/v1/namespaces/gallery/paintings/dawn')).status).toBe(
      404,
    );

    // A kind that another client removes disappears.
    const definition = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/paintings.art.example';
    expect((await env.inside.request('demo', definition, { method: 'DELETE' })).status).toBe(200);
    await kinds(page).getByRole('link', { name: 'Painting', exact: true }).waitFor({ state: 'detached' });

    // Opens a single namespace.
    await kinds(page).getByRole('link', { name: 'Namespace', exact: true }).click();
    await row(page, 'gallery').getByRole('link', { name: 'gallery' }).click();
    await page.getByRole('link', { name: 'View contents' }).click();
    await row(page, 'kube-root-ca.crt').waitFor();
    await page.getByLabel('Namespace', { exact: true }).selectOption('kube-system');
    await page.waitForURL(/namespace=kube-system/);
    await row(page, 'kube-root-ca.crt').waitFor();
    await kinds(page).getByLabel('Search kinds').fill('account');
    await kinds(page).getByRole('link', { name: 'ServiceAccount' }).click();
    await row(page, 'default').waitFor();
    expect(await page.getByRole('columnheader', { name: 'Namespace' }).count()).toBe(0);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('reconnects automatically after a server restart', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, inside('demo', '?kind=/v1/namespaces'));
    await row(page, 'kube-system').waitFor();
    await env.flotilla.stop('SIGKILL');
    await page.getByText('Connection lost').first().waitFor();
    expect(await row(page, 'kube-system').isVisible()).toBe(true);
    await env.restart();
    const named = { metadata: { name: 'after' } };
    expect((await env.inside.request('demo', '/api/v1/namespaces', { method: 'POST', document: named })).status).toBe(
      201,
    );
    await row(page, 'after').waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('offers only permitted kinds and actions', async () => {
    const apiVersion = `${managementGroup}/v1`;
    const group = `/apis/${apiVersion}`;
    await env.admin.request('POST', `${group}/users`, { apiVersion, kind: 'User', metadata: { name: 'eve' } });
    const key = { apiVersion, kind: 'OwnedAccessKey', metadata: { name: 'eves' }, spec: { user: 'eve' } };
    const made = await env.admin.request<{ spec: { key: string } }>('POST', `${group}/ownedaccesskeys`, key);
    await env.admin.createInstance('viewed', {
      spec: {
        access: [{ verbs: ['get', 'use'], users: ['eve'] }],
        extraAccessRules: [{ users: ['eve'], clusterRole: 'view' }],
      },
    });
    const watched = await env.open({ width: 390, height: 844 });
    const { page } = watched;
    await page.goto(inside('viewed', '?kind=/v1/configmaps'));
    await page.getByRole('button', { name: 'Use an access key' }).click();
    await page.locator('input[name="access-key"]').fill(made.spec.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await row(page, 'kube-root-ca.crt').first().waitFor();
    const offered = await page.getByLabel('Kind').locator('option').allTextContents();
    expect(offered).toContain('ConfigMap');
    expect(offered).not.toContain('Secret');
    expect(await page.getByRole('button', { name: /^New/ }).count()).toBe(0);
    expect(await violationsInBothThemes(page)).toEqual([]);
    // Opens a kind that the navigation does not offer.
    await page.goto(inside('viewed', '?kind=/v1/secrets'));
    await page.getByText(/cannot list resource "secrets"/).waitFor();
    // The user now has permissions in one namespace only.
    await env.admin.request('PATCH', `${instances}/viewed`, {
      spec: { extraAccessRules: [{ users: ['eve'], clusterRole: 'nobody' }] },
    });
    const rbac = 'rbac.authorization.k8s.io';
    const binding = {
      metadata: { name: 'eve' },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'edit' },
      subjects: [{ apiGroup: rbac, kind: 'User', name: 'eve' }],
    };
    const bindings = `/apis/${rbac}/v1/namespaces/default/rolebindings`;
    expect((await env.inside.request('viewed', bindings, { method: 'POST', document: binding })).status).toBe(201);
    await page.goto(inside('viewed'));
    await page.getByText('No kinds to list').waitFor();
    await page.getByLabel('Namespace').fill('default');
    await page.keyboard.press('Enter');
    await page.getByText(/^Namespace default does not contain any /).waitFor();
    const there = await page.getByLabel('Kind').locator('option').allTextContents();
    expect(there).toContain('Secret');
    expect(there).not.toContain('Namespace');
    await page.getByLabel('Kind', { exact: true }).selectOption('ConfigMap');
    await row(page, 'kube-root-ca.crt').waitFor();
    await page.getByRole('button', { name: 'New ConfigMap' }).first().waitFor();
    const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    expect(isTooWide).toBe(false);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('does not wake a virtual cluster that falls asleep, except by the Wake button', async () => {
    await env.admin.createInstance('sleepy');
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, inside('sleepy'));
    await row(page, 'kube-system').waitFor();
    await env.admin.request('PATCH', `${instances}/sleepy`, {
      metadata: { annotations: { [sleepAfterAnnotation]: '2' } },
    });
    await page.getByRole('heading', { name: 'sleepy is asleep' }).waitFor();
    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/virtualcluster/sleepy/')) requests.push(request.url());
    });
    // A retry would come within a moment. Only a longer wait can show that there is none.
    await page.waitForTimeout(3_000);
    expect(requests).toEqual([]);
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Wake' }).click();
    await row(page, 'kube-system').waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });
});
