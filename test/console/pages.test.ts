import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { managementGroup, projectRoles } from '../../src/api/naming.ts';
import { accessibilityViolations } from './harness/accessibility.ts';
import { expectNoProblems, signIn } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { horizontalOverflow, inEveryLook, violationsInEveryLook } from './harness/looks.ts';

const apiVersion = `${managementGroup}/v1`;
const group = `/apis/${apiVersion}`;
/** Markup that would run if it were not escaped. */
const markup = '<img src=x onerror=alert(1)><script>alert(2)</script>';
/** The longest possible name, without a break opportunity. */
const longest = 'n'.repeat(63);
/** If set, the directory for a screenshot of every page. */
const screenshots = process.env['FLOTILLA_SCREENSHOTS'];

/** All pages: name, path, and heading. */
const pages = [
  ['fleet', '/', 'Fleet'],
  ['virtual-clusters', '/virtual-clusters', 'Virtual clusters'],
  ['new-virtual-cluster', '/virtual-clusters/new', 'New virtual cluster'],
  ['virtual-cluster', '/virtual-clusters/default/shop', ''],
  ['virtual-cluster-connect', '/virtual-clusters/default/shop?tab=connect', ''],
  ['virtual-cluster-access', '/virtual-clusters/default/shop?tab=access', ''],
  ['virtual-cluster-logs', '/virtual-clusters/default/shop?tab=logs', ''],
  ['virtual-cluster-usage', '/virtual-clusters/default/shop?tab=usage', ''],
  ['virtual-cluster-effective-access', '/virtual-clusters/default/shop?tab=effective-access', ''],
  ['virtual-cluster-yaml', '/virtual-clusters/default/shop?tab=yaml', ''],
  ['terminal', '/virtual-clusters/default/shop/terminal', ''],
  ['longest-name', `/virtual-clusters/default/${longest}`, ''],
  ['inside', '/virtual-clusters/default/shop/inside', ''],
  ['inside-kind', '/virtual-clusters/default/shop/inside?kind=%2Fv1%2Fnamespaces', ''],
  ['spaces', '/spaces', 'Spaces'],
  ['new-space', '/spaces/new', 'New space'],
  ['space', '/spaces/default/corner', ''],
  ['space-connect', '/spaces/default/corner?tab=connect', ''],
  ['space-access', '/spaces/default/corner?tab=access', ''],
  ['space-usage', '/spaces/default/corner?tab=usage', ''],
  ['space-effective-access', '/spaces/default/corner?tab=effective-access', ''],
  ['space-yaml', '/spaces/default/corner?tab=yaml', ''],
  ['projects', '/projects', 'Projects'],
  ['project', '/projects/default', ''],
  ['project-virtual-clusters', '/projects/default?tab=virtual-clusters', ''],
  ['project-spaces', '/projects/default?tab=spaces', ''],
  ['project-yaml', '/projects/default?tab=yaml', ''],
  ['project-members', '/projects/default?tab=members', ''],
  ['project-allowed', '/projects/default?tab=allowed', ''],
  ['project-quotas', '/projects/default?tab=quotas', ''],
  ['project-usage', '/projects/default?tab=usage', ''],
  ['clusters', '/hosts', 'Clusters'],
  ['cluster', '/hosts/local', ''],
  ['cluster-virtual-clusters', '/hosts/local?tab=instances', ''],
  ['cluster-spaces', '/hosts/local?tab=spaces', ''],
  ['cluster-usage', '/hosts/local?tab=usage', ''],
  ['cluster-yaml', '/hosts/local?tab=yaml', ''],
  ['cluster-connection', '/hosts/far?tab=connection', ''],
  ['cluster-access', '/hosts/local?tab=access', ''],
  ['templates', '/templates', 'Templates'],
  ['template', '/templates/marked', ''],
  ['template-versions', '/templates/marked?tab=versions', ''],
  ['template-yaml', '/templates/marked?tab=edit', ''],
  ['space-templates', '/space-templates', 'Space templates'],
  ['space-template', '/space-templates/marked', ''],
  ['space-template-yaml', '/space-templates/marked?tab=edit', ''],
  ['access-keys', '/keys', 'Access keys'],
  ['new-access-key', '/keys/new', ''],
  ['access-key', '/keys/named/marked', ''],
  ['access-key-effective-access', '/keys/named/marked?tab=effective-access', ''],
  ['access-key-yaml', '/keys/named/marked?tab=yaml', ''],
  ['users', '/users', 'Users'],
  ['user', '/users/marked', ''],
  ['user-keys', '/users/marked?tab=keys', ''],
  ['user-effective-access', '/users/marked?tab=effective-access', ''],
  ['user-yaml', '/users/marked?tab=yaml', ''],
  ['teams', '/teams', 'Teams'],
  ['team', '/teams/marked', ''],
  ['team-keys', '/teams/marked?tab=keys', ''],
  ['team-effective-access', '/teams/marked?tab=effective-access', ''],
  ['team-yaml', '/teams/marked?tab=yaml', ''],
  ['usage', '/usage', 'Usage'],
  ['prices', '/usage?tab=prices', 'Usage'],
  ['effective-access', '/effective-access?subject=User%2Fmarked', 'Effective access'],
  ['who-has-access', '/effective-access?by=object&object=virtual-cluster%2Fdefault%2Fshop', 'Effective access'],
  ['offboarding', '/offboarding?user=marked', 'Offboarding'],
  ['system', '/system', 'System'],
  ['activity', '/activity', 'Activity'],
  ['project-activity', '/projects/default?tab=activity', ''],
  ['virtual-cluster-activity', '/virtual-clusters/default/shop?tab=activity', ''],
  ['audit', '/audit-log', 'Audit log'],
  ['get-the-cli', '/cli', 'Get the CLI'],
  ['authorize-cli', `/authorize-cli?client=laptop&port=40123&state=${'s'.repeat(43)}&challenge=${'c'.repeat(43)}`, ''],
  ['authorize-cli-incomplete', '/authorize-cli', 'Log in on the command line'],
  ['device', '/device?code=BCDF-GHJK', 'Log in on the command line'],
  ['authorize-app-incomplete', '/authorize-app', 'Cannot sign in to the app'],
  ['nowhere', '/no/such/page', ''],
] as const;

describeConsole('every page of the console', (env) => {
  beforeAll(async () => {
    const make = (plural: string, kind: string, name: string, spec: object) =>
      env.admin.request('POST', `${group}/${plural}`, { apiVersion, kind, metadata: { name }, spec });
    const shown = { displayName: markup, description: markup };
    await env.admin.createUser('marked', 'a password for tests', {
      displayName: markup,
      email: 'marked@example.com',
    });
    await make('teams', 'Team', 'marked', { displayName: markup, users: ['marked'] });
    await make('clusters', 'Cluster', 'far', { ...shown, networkPeer: true });
    await make('virtualclustertemplates', 'VirtualClusterTemplate', 'marked', {
      ...shown,
      template: {},
      parameters: [{ variable: 'size', label: markup, description: markup, section: markup, defaultValue: '1' }],
    });
    await make('spacetemplates', 'SpaceTemplate', 'marked', { ...shown, template: {} });
    await make('ownedaccesskeys', 'OwnedAccessKey', 'marked', { displayName: markup, ttl: 86_400 });
    await env.admin.request('PATCH', `${group}/projects/default`, {
      spec: { ...shown, members: [{ kind: 'User', name: 'marked', clusterRole: projectRoles.user }] },
    });
    await env.admin.request('PATCH', `${group}/clusters/local`, { spec: shown });
    await env.admin.createInstance(longest);
    await env.admin.createSpace('corner', { spec: { ...shown, templateRef: { name: 'marked' } } });
    await env.admin.createInstance('shop', { spec: { ...shown, templateRef: { name: 'marked' } } });
  });

  /** Waits until the page and its data are loaded. */
  async function settled(page: Page, heading: string): Promise<void> {
    const named = heading === '' ? {} : { name: heading, exact: true };
    await page.locator('main').getByRole('heading', named).first().waitFor();
    await page.waitForFunction(() => document.querySelector('main [data-waiting]') === null);
  }

  it('escapes texts, fits and is accessible, in both themes and on a narrow screen', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey);
    if (screenshots !== undefined) mkdirSync(screenshots, { recursive: true });
    const faults: string[] = [];
    for (const [name, path, heading] of pages) {
      await page.goto(path);
      await settled(page, heading);
      await inEveryLook(page, async ({ theme, width }) => {
        if (screenshots !== undefined)
          await page.screenshot({ path: join(screenshots, `${name}-${theme}-${width}.png`) });
        const found = await accessibilityViolations(page);
        found.push(...(await horizontalOverflow(page)));
        if ((await page.locator('img[src="x"]').count()) > 0) found.push('markup was rendered as an element');
        faults.push(...found.map((fault) => `${name}, ${theme}, ${width} wide: ${fault}`));
      });
    }
    expect(faults).toEqual([]);
    expectNoProblems(watched);
    await watched.context.close();
  }, 900_000);

  it('is accessible before the sign-in and with open notifications, in both themes and on a narrow screen', async () => {
    const watched = await env.open();
    const { page } = watched;
    await page.goto('/');
    await page.getByLabel('Username').waitFor();
    expect(await violationsInEveryLook(page, 'sign-in')).toEqual([]);
    await page.getByRole('button', { name: 'Use an access key' }).click();
    await page.locator('input[name="access-key"]').waitFor();
    expect(await violationsInEveryLook(page, 'sign-in-with-key')).toEqual([]);
    await signIn(page, env.flotilla.adminKey);
    await page.getByRole('button', { name: /^Notifications/ }).click();
    await page.getByRole('heading', { name: 'Notifications' }).waitFor();
    expect(await violationsInEveryLook(page, 'open-notifications')).toEqual([]);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('manages the focus: at the start of a new page, back after a dialog, at the field after an error', async () => {
    const watched = await env.open();
    const { page } = watched;
    const focused = () =>
      page.evaluate(() => {
        const { id = '', textContent = '', tagName = '' } = document.activeElement ?? {};
        const path = document.activeElement?.getAttribute('aria-label') ?? '';
        return tagName === 'MAIN' ? id : path || textContent;
      });
    await signIn(page, env.flotilla.adminKey, '/virtual-clusters');
    await page.getByRole('link', { name: 'shop', exact: true }).press('Enter');
    const sleep = page.getByRole('button', { name: 'Sleep', exact: true });
    await sleep.waitFor();
    await expect.poll(focused).toBe('page');
    await sleep.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await expect.poll(focused).toBe('Sleep');

    await page.goto('/projects');
    await page.getByRole('button', { name: 'New project' }).first().click();
    const dialog = page.getByRole('dialog');
    const name = dialog.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('Not A Name');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText(/lowercase RFC 1123/).waitFor();
    await expect.poll(() => name.evaluate((field) => field === document.activeElement)).toBe(true);
    // The message is shown at the field only.
    expect(await dialog.getByText(/lowercase RFC 1123/).count()).toBe(1);
    // A click outside the dialog does not discard the input.
    await page.mouse.click(5, 5);
    expect(await name.inputValue()).toBe('Not A Name');
    expectNoProblems(watched);
    await watched.context.close();
  });
});
