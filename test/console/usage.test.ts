import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { expectNoProblems, signIn, signInAs } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { violationsInEveryLook } from './harness/looks.ts';

const password = 'correct horse battery';

describeConsole(
  'usage',
  (env) => {
    beforeAll(async () => {
      await env.admin.createUser('anna', password);
      await env.admin.createInstance('shop');
    });

    /** Opens the virtual cluster. The server measures its objects when the virtual cluster is first loaded. */
    async function use(page: Page): Promise<void> {
      await page.goto('/virtual-clusters/default/shop/inside?kind=%2Fv1%2Fnamespaces');
      await page.getByRole('table').getByText('kube-system').first().waitFor();
    }

    /** Waits until a chart is visible, which means that the first sample was recorded. */
    async function openCharts(page: Page, path: string): Promise<void> {
      await expect
        .poll(
          async () => {
            await page.goto(path);
            await page.getByRole('region', { name: 'Usage' }).waitFor();
            await page.waitForFunction(() => document.querySelector('main [data-waiting]') === null);
            return await page.getByText('Objects', { exact: true }).count();
          },
          { timeout: 60_000 },
        )
        .toBe(1);
    }

    it('is shown as charts, as a table and as CSV, in both themes and on a narrow screen', async () => {
      const watched = await env.open();
      const { page } = watched;
      await signIn(page, env.flotilla.adminKey);
      await use(page);
      for (const [name, path] of [
        ['usage-instance', '/virtual-clusters/default/shop?tab=usage'],
        ['usage-project', '/projects/default?tab=usage'],
        ['usage-cluster', '/hosts/local?tab=usage'],
        ['usage-fleet', '/usage'],
      ] as const) {
        await openCharts(page, path);
        expect(await violationsInEveryLook(page, name), name).toEqual([]);
      }
      // The built-in cluster runs no pods, so the amount is absent, not 0.
      expect(await page.getByText('Pod CPU').count()).toBe(0);
      await page.getByRole('button', { name: 'Show table' }).click();
      const table = page.getByRole('region', { name: 'Usage by time' });
      await table.getByRole('columnheader', { name: 'Requests' }).waitFor();
      expect(await violationsInEveryLook(page, 'usage-table')).toEqual([]);
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export CSV' }).click();
      expect(await readFile(await (await download).path(), 'utf8')).toMatch(/^start,seconds,requests,/);
      await page.getByText('14 days', { exact: true }).click();
      await page.getByRole('button', { name: 'Show charts' }).click();
      await page.getByText('14 days ago').first().waitFor();
      expectNoProblems(watched);
      await watched.context.close();
    }, 180_000);

    it('has costs after an administrator has set prices', async () => {
      const watched = await env.open();
      const { page } = watched;
      await signIn(page, env.flotilla.adminKey, '/usage?tab=prices');
      await page.getByLabel('Currency').fill('EUR');
      await page.getByLabel('Instance hour').fill('3.5');
      await page.getByRole('button', { name: 'Save prices' }).click();
      await expect
        .poll(async () => {
          await page.goto('/usage?tab=prices');
          return await page.getByLabel('Instance hour').inputValue();
        })
        .toBe('3.5');
      expect(await violationsInEveryLook(page, 'usage-prices')).toEqual([]);
      await page.getByLabel('Instance hour').fill('');
      await page.getByLabel('CPU hour').fill('-1');
      await page.getByRole('button', { name: 'Save prices' }).click();
      await page.getByText(/spec\.prices\.cpuHour/).waitFor();
      await use(page);
      await openCharts(page, '/usage');
      await page.getByText(/Cost in this period/).waitFor();
      await watched.context.close();
    }, 120_000);

    it('is not offered to users without the permission', async () => {
      const watched = await env.open();
      const { page } = watched;
      await signInAs(page, 'anna', password);
      await page.getByRole('link', { name: 'Projects' }).first().waitFor();
      expect(await page.getByRole('link', { name: 'Usage', exact: true }).count()).toBe(0);
      await watched.context.close();
    }, 60_000);
  },
  { usage: { sampleSeconds: 1 } },
);
