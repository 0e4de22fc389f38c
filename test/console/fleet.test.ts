import { beforeAll, expect, it } from 'vitest';
import { managementGroup, projectNamespace, projectRoles, sleepForceAnnotation } from '../../src/api/naming.ts';
import { expectNoProblems, signIn, signInAs } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { violationsInEveryLook } from './harness/looks.ts';

const group = `/apis/${managementGroup}/v1`;
const apiVersion = `${managementGroup}/v1`;
const password = 'a password for tests';
const markup = '<img src=x onerror=alert(1)>';

describeConsole('the fleet page', (env) => {
  beforeAll(async () => {
    const spec = { displayName: markup };
    await env.admin.createInstance('shop', { spec });
    await env.admin.createInstance('search', { spec });
    await env.admin.createInstance('asleep', { spec, metadata: { annotations: { [sleepForceAnnotation]: 'true' } } });
    await env.admin.request('POST', `${group}/clusters`, {
      apiVersion,
      kind: 'Cluster',
      metadata: { name: 'far' },
      spec: { networkPeer: true, displayName: markup },
    });
    await env.admin.request('PATCH', `${group}/projects/default`, {
      spec: {
        displayName: markup,
        quotas: { project: { virtualclusterinstances: '4', spaceinstances: '2' } },
        members: [{ kind: 'User', name: 'vera', clusterRole: projectRoles.viewer }],
      },
    });
    await env.admin.createUser('vera', password, { displayName: markup });
  });

  it('shows counts and warnings, with links', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey);
    await page.getByRole('link', { name: '2 Ready' }).waitFor();
    await page.getByRole('region', { name: 'Clusters' }).getByText('1 of 2 online').waitFor();
    await page.getByRole('link', { name: 'Cluster "far" is not connected yet' }).waitFor();
    await page.getByText('3 of 4 virtual clusters').waitFor();
    await page.getByText('0 of 2 spaces').waitFor();
    // The server records the history some time after the virtual clusters became Ready.
    await page.getByText(/virtual clusters became Ready in the last 14 days/).waitFor({ timeout: 60_000 });

    await page.getByRole('link', { name: '1 Sleeping' }).click();
    await page.getByRole('link', { name: 'asleep' }).waitFor();
    expect(await page.getByRole('link', { name: 'shop' }).count()).toBe(0);
    await page.goBack();
    await page.getByRole('link', { name: '1 Sleeping' }).waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('can be used with the keyboard alone, and remembers the theme', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey);
    await page.getByRole('link', { name: '2 Ready' }).waitFor();
    // The first link of the page. It appears when the server has confirmed the permission.
    await page.getByRole('link', { name: 'New virtual cluster' }).waitFor();
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to main content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('New virtual cluster');

    await page.getByRole('button', { name: 'Switch to dark theme' }).press('Enter');
    await page.getByRole('button', { name: 'Switch to light theme' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Switch to light theme' }).waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('offers a viewer only permitted actions', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signInAs(page, 'vera', password);
    await page.getByRole('heading', { name: 'Fleet', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Access keys' }).waitFor();
    expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'New virtual cluster' }).count()).toBe(0);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('shows a viewer no zeros for what the viewer may not see', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signInAs(page, 'vera', password);
    await page.getByText('No virtual clusters that you can see').waitFor();
    const attention = page.getByRole('region', { name: 'Needs attention' });
    await attention.getByText('Nothing that you can see needs attention.').waitFor();
    const clusters = page.getByRole('region', { name: 'Clusters', exact: true });
    await clusters.getByText('Online', { exact: true }).waitFor();
    expect(await clusters.getByText('virtual cluster').count()).toBe(0);
    const tiles = page.getByRole('region', { name: 'Virtual clusters that you can see, by status' });
    expect(await page.getByRole('link', { name: /Ready$/ }).count()).toBe(0);

    const shop = `${group}/namespaces/${projectNamespace('default')}/virtualclusterinstances/shop`;
    await env.admin.request('PATCH', shop, { spec: { access: [{ verbs: ['get'], users: ['vera'] }] } });
    await tiles.getByRole('link', { name: '1 Ready' }).waitFor();
    await clusters.getByText('1 virtual cluster', { exact: true }).waitFor();
    expect(await page.getByText(/^0 virtual clusters/).count()).toBe(0);
    await page.goto('/hosts');
    await page.getByRole('row', { name: /local/ }).getByRole('cell', { name: '1', exact: true }).waitFor();
    expect(await page.getByRole('cell', { name: '0', exact: true }).count()).toBe(0);
    await env.admin.request('PATCH', shop, { spec: { access: null } });
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('shows no numbers if the list of virtual clusters is refused', async () => {
    const watched = await env.open();
    const { page } = watched;
    await page.route(/\/virtualclusterinstances\?/, (route) =>
      route.fulfill({
        status: 403,
        json: {
          kind: 'Status',
          apiVersion: 'v1',
          status: 'Failure',
          code: 403,
          reason: 'Forbidden',
          message: 'not allowed',
        },
      }),
    );
    await signIn(page, env.flotilla.adminKey);
    await page.getByText('not allowed').waitFor();
    expect(await page.getByRole('link', { name: /^0 / }).count()).toBe(0);
    expect(await page.getByText(/^0 virtual clusters/).count()).toBe(0);
    expect(await page.getByText('Nothing needs attention.').count()).toBe(0);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('is accessible in both themes and on a narrow screen', async () => {
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey);
    await page.getByRole('link', { name: '2 Ready' }).waitFor();
    await page.getByText('3 of 4').waitFor();
    expect(await violationsInEveryLook(page)).toEqual([]);
    expectNoProblems(watched);
    await watched.context.close();
  });
});
