import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import {
  deleteAfterAnnotation,
  managementGroup,
  projectNamespace,
  projectRoles,
  sleepAfterAnnotation,
} from '../../src/api/naming.ts';
import { accessibilityViolations } from './harness/accessibility.ts';
import { expectNoProblems, signIn, signInAs } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { readableTexts } from './harness/secrets.ts';

const group = `/apis/${managementGroup}/v1`;
const password = 'a password for tests';
const markup = '<img src=x onerror=alert(1)>';
const secret = 'hunter2hunter2';

const parameters = [
  { variable: 'env', label: 'Environment', options: ['dev', 'test'], required: true, description: markup },
  { variable: 'size.replicas', label: 'Replicas', type: 'number', min: 1, max: 3, defaultValue: '1', section: 'Size' },
  { variable: 'size.debug', label: 'Debugging', type: 'boolean', defaultValue: 'false', section: 'Size' },
  { variable: 'contact', label: 'Contact', validation: '^.+@.+$', section: markup },
  { variable: 'note', label: 'Note', type: 'multiline' },
  { variable: 'secret', label: 'Secret', type: 'password' },
];

type Instance = { metadata: { annotations?: Record<string, string> }; spec: { parameters?: string } };

function nameField(page: Page) {
  return page.getByRole('textbox', { name: 'Name', exact: false }).and(page.locator('[data-path="metadata.name"]'));
}

/** Types key by key, as a user would: `fill` replaces styled text in a way that the content security policy forbids. */
async function write(editor: Locator, text: string): Promise<void> {
  await editor.press('ControlOrMeta+a');
  await editor.press('Delete');
  await editor.page().keyboard.insertText(text);
}

describeConsole('creating a virtual cluster', (env) => {
  beforeAll(async () => {
    await env.admin.createUser('vera', password);
    await env.admin.createUser('udo', password);
    await env.admin.request('PATCH', `${group}/projects/default`, {
      spec: {
        displayName: markup,
        members: [
          { kind: 'User', name: 'vera', clusterRole: projectRoles.viewer },
          { kind: 'User', name: 'udo', clusterRole: projectRoles.user },
        ],
      },
    });
    await env.admin.createInstance('taken');
    await env.admin.request('POST', `${group}/virtualclustertemplates`, {
      metadata: { name: 'small' },
      spec: {
        displayName: `Small ${markup}`,
        description: markup,
        versions: [
          { version: '1.0.0', template: {} },
          { version: '1.1.0', parameters, template: {} },
        ],
      },
    });
    await env.admin.request('POST', `${group}/virtualclustertemplates`, {
      metadata: { name: 'tidy' },
      spec: {
        template: {
          instanceTemplate: {
            metadata: {
              annotations: { [sleepAfterAnnotation]: '5400', [deleteAfterAnnotation]: '{{ .Values.days }}000' },
            },
          },
        },
        parameters: [{ variable: 'days', required: true }],
      },
    });
    await env.admin.request('POST', `${group}/clusters`, {
      metadata: { name: 'far' },
      spec: { networkPeer: true, displayName: 'Far away' },
    });
  });

  const instance = async (name: string) =>
    await env.admin.request<Instance>(
      'GET',
      `${group}/namespaces/${projectNamespace('default')}/virtualclusterinstances/${name}`,
    );

  it('shows the form of the template, validates fields on the server, then shows the steps to Ready', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/virtual-clusters');
    await page.getByRole('link', { name: 'New virtual cluster' }).first().click();
    await page.getByText('Name is required.').waitFor();
    await page.getByRole('radio', { name: /^Small/ }).click();
    await page.getByText('Name and Environment are required.').waitFor();

    await nameField(page).fill('Bad_Name');
    await page.getByLabel('Replicas').fill('9');
    await page.getByLabel('Contact').fill('nobody');
    await page.getByText('a lowercase RFC 1123 label must consist').waitFor();
    await page.getByText('must be less than or equal to 3').waitFor();
    await page.getByText('must match the pattern ^.+@.+$').waitFor();

    await nameField(page).fill('shop');
    await page.getByLabel('Replicas').fill('2');
    await page.getByLabel('Debugging').check();
    await page.getByLabel('Contact').fill('ana@example.com');
    await page.getByLabel('Note').fill('one\ntwo');
    await page.getByLabel('Secret').fill(secret);
    await page.getByLabel('Auto-sleep').selectOption({ label: 'After 1 hour without use' });
    // A missing value is reported at its field, and the field gets the focus.
    await page.getByRole('button', { name: 'Create virtual cluster' }).click();
    await page.getByText('Required value').waitFor();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-path')))
      .toBe('spec.parameters.env');
    await page.getByLabel('Environment').selectOption('dev');
    await page.getByText('Ready to create on the cluster “local”.').waitFor();

    const yaml = await page.getByLabel('Virtual cluster YAML').innerText();
    expect(yaml).toContain('env: dev');
    expect(yaml).toContain('replicas: 2');
    expect(yaml).not.toContain(secret);
    expect(await accessibilityViolations(page)).toEqual([]);

    await page.getByRole('button', { name: 'Create virtual cluster' }).click();
    const steps = page.getByRole('list', { name: 'Steps until shop is ready' });
    await steps
      .getByRole('listitem')
      .filter({ hasText: 'Ready to use' })
      .getByText(/immediately|after/)
      .waitFor();
    await page.getByText('Your virtual cluster is ready.').waitFor();
    await page.getByText('flotilla connect shop --project default').waitFor();
    await page.getByRole('list', { name: 'Events of shop' }).getByText('Ready').first().waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(await readableTexts(page)).not.toContain(secret);

    const made = await instance('shop');
    expect(made.metadata.annotations?.[sleepAfterAnnotation]).toBe('3600');
    expect(made.spec).toMatchObject({ templateRef: { name: 'small' }, clusterRef: { cluster: 'local' } });
    expect(String(made.spec.parameters)).toContain(`secret: ${secret}`);

    // The URL identifies the instance.
    await page.reload();
    await page.getByText('Your virtual cluster is ready.').waitFor();
    await page.getByRole('link', { name: 'Connect', exact: true }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/virtual-clusters/default/shop');
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('shows what the template sets for auto-sleep and auto-delete, and marks clusters that are offline', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/virtual-clusters/new?template=tidy');
    const [autoSleep, autoDelete] = [page.getByLabel('Auto-sleep'), page.getByLabel('Auto-delete')];
    const shown = (field: Locator) => field.evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.label);
    await expect.poll(() => shown(autoSleep)).toBe('After 90 minutes without use (from the template)');
    expect(await shown(autoDelete)).toBe('Set by the template');
    await page.getByRole('radio', { name: /^Small/ }).click();
    await expect.poll(() => shown(autoSleep)).toBe('Never');
    expect(await shown(autoDelete)).toBe('Never');
    const clusters = await page.getByLabel('Cluster', { exact: true }).locator('option').allInnerTexts();
    expect(clusters).toEqual(['Automatic', 'Far away (far) – offline', 'Local (local)']);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('can be edited as YAML, and the form follows', async () => {
    const watched = await env.open({ theme: 'dark' });
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/virtual-clusters/new');
    await nameField(page).fill('taken');
    await page.getByText('A virtual cluster with this name already exists in the project.').waitFor();
    await page.getByRole('button', { name: 'Edit as YAML' }).click();
    const editor = page.getByRole('textbox', { name: 'Virtual cluster YAML' });
    await editor.waitFor();
    await write(editor, 'metadata:\n  name: by-hand\n  labels: {team: blue}\nspec:\n  displayName: "By hand');
    await page.getByText('The YAML is invalid. Fix it to continue.').waitFor();
    await write(editor, 'metadata:\n  name: by-hand\n  labels: {team: blue}\nspec:\n  displayName: By hand');
    await expect.poll(() => nameField(page).inputValue()).toBe('by-hand');
    expect(await page.getByLabel('Display name').inputValue()).toBe('By hand');
    await page.getByLabel('Description').fill('from both sides');
    await expect.poll(() => editor.innerText()).toContain('description: from both sides');
    expect(await editor.innerText()).toContain('team: blue');
    await page.getByText('Ready to create').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create virtual cluster' }).click();
    await page.getByText('Your virtual cluster is ready.').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    expect((await instance('by-hand')).spec).toMatchObject({ displayName: 'By hand', description: 'from both sides' });
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('accepts an inline template, an owner and a cluster from permitted users', async () => {
    const watched = await env.open({ width: 390 });
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/virtual-clusters/new');
    await nameField(page).fill('mine');
    await page.getByRole('radio', { name: 'Inline template' }).click();
    const editor = page.getByRole('textbox', { name: 'Inline template' });
    await write(
      editor,
      'objects: |\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: greeting, namespace: default}\n',
    );
    await page.getByLabel('Cluster', { exact: true }).selectOption('local');
    await page
      .getByRole('combobox', { name: 'Owner' })
      .or(page.getByRole('textbox', { name: 'Owner' }))
      .first()
      .click();
    await page.getByRole('option', { name: /udo/ }).click();
    await page.getByText('Ready to create').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
    await page.getByRole('button', { name: 'Create virtual cluster' }).click();
    await page.getByText('Your virtual cluster is ready.').waitFor();
    expect((await instance('mine')).spec).toMatchObject({
      owner: { user: 'udo' },
      template: { objects: expect.stringContaining('greeting') },
    });
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('offers only permitted options', async () => {
    const user = await env.open();
    await signInAs(user.page, 'udo', password, '/virtual-clusters/new?template=small');
    await user.page.getByRole('radio', { name: /^Small/, checked: true }).waitFor();
    await nameField(user.page).fill('of-udo');
    await user.page.getByText('Environment is required.').waitFor();
    expect(await user.page.getByRole('radio', { name: 'Inline template' }).count()).toBe(0);
    expect(await user.page.getByText('Owner', { exact: true }).count()).toBe(0);
    expectNoProblems(user);
    await user.context.close();

    const viewer = await env.open();
    await signInAs(viewer.page, 'vera', password, '/virtual-clusters/new');
    await viewer.page.getByText('No project available').waitFor();
    expect(await accessibilityViolations(viewer.page)).toEqual([]);
    expectNoProblems(viewer);
    await viewer.context.close();
  });
});
