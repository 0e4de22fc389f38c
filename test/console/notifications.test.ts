import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { accessibilityViolations } from './harness/accessibility.ts';
import { expectNoProblems, signIn } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { horizontalOverflow, inEveryLook } from './harness/looks.ts';

const group = `/apis/${managementGroup}/v1`;
const screenshots = process.env['FLOTILLA_SCREENSHOTS'];
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
    if (screenshots !== undefined) mkdirSync(screenshots, { recursive: true });
    const faults: string[] = [];
    const look = async (name: string) =>
      inEveryLook(page, async ({ theme, width }) => {
        if (screenshots !== undefined)
          await page.screenshot({ path: join(screenshots, `${name}-${theme}-${width}.png`) });
        const found = width < 1000 ? [] : await accessibilityViolations(page);
        found.push(...(await horizontalOverflow(page)));
        faults.push(...found.map((fault) => `${name}, ${theme}, ${width} wide: ${fault}`));
      });

    await page.getByRole('tab', { name: 'Activity' }).click();
    const list = page.getByRole('list', { name: 'Activity' });
    await list.getByText('created it').waitFor();
    await look('virtual-cluster-activity');
    await page.getByRole('navigation').getByRole('link', { name: 'Activity' }).click();
    await list.getByRole('link', { name: 'shop in default' }).first().waitFor();
    await look('activity');

    const bell = page.getByRole('button', { name: 'Notifications, 1 unread' });
    await bell.waitFor({ timeout: 60_000 });
    await bell.click();
    const item = page.getByRole('link', { name: /^Virtual cluster "broken" in project "default" has failed/ });
    await item.waitFor();
    await look('notifications');
    // Opening the bell marks everything as read.
    await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
    await page.getByRole('button', { name: /^Dismiss: Virtual cluster "broken"/ }).click();
    await page.getByText('Nothing needs your attention.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Nothing needs your attention.').waitFor({ state: 'hidden' });
    await page.reload();
    await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
    expect(faults).toEqual([]);
    expectNoProblems(watched);
    await watched.context.close();
  }, 300_000);
});
