import { expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { expectNoProblems, signIn } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { violationsInEveryLook } from './harness/looks.ts';

const group = `/apis/${managementGroup}/v1`;
const objects = 'apiVersion: nowhere.io/v1\nkind: Thing\nmetadata: {name: a}';

describeConsole('the activity and the notifications of the console', (env) => {
  it('show who did what, and what needs attention, in both themes and on a narrow screen', async () => {
    await env.admin.request('POST', `${group}/virtualclustertemplates`, {
      apiVersion: `${managementGroup}/v1`,
      kind: 'VirtualClusterTemplate',
      metadata: { name: 'broken' },
      spec: { template: { objects } },
    });
    await env.admin.createInstance('shop', {});
    await env.admin.createInstance('broken', { spec: { templateRef: { name: 'broken' } } });
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/virtual-clusters/default/broken');
    await page.getByRole('main').getByText('Failed', { exact: true }).first().waitFor();
    const expectAccessible = async (name: string) => expect(await violationsInEveryLook(page, name), name).toEqual([]);

    await page.getByRole('tab', { name: 'Activity' }).click();
    const list = page.getByRole('list', { name: 'Activity' });
    await list.getByText('created it').waitFor();
    await expectAccessible('virtual-cluster-activity');
    await page.getByRole('navigation').getByRole('link', { name: 'Activity' }).click();
    await list.getByRole('link', { name: 'shop in default' }).first().waitFor();
    await expectAccessible('activity');

    const bell = page.getByRole('button', { name: 'Notifications, 1 unread' });
    await bell.waitFor({ timeout: 60_000 });
    await bell.click();
    const item = page.getByRole('link', { name: /^Virtual cluster "broken" in project "default" has failed/ });
    await item.waitFor();
    await expectAccessible('notifications');
    // Opening the bell marks everything as read.
    await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
    await page.getByRole('button', { name: /^Dismiss: Virtual cluster "broken"/ }).click();
    await page.getByText('Nothing needs your attention.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Nothing needs your attention.').waitFor({ state: 'hidden' });
    await page.reload();
    await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  }, 300_000);
});
