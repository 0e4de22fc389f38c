import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { managementGroup, projectNamespace } from '../../src/api/naming.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { describeWith } from '../harness/suite.ts';
import { type AdminApi, adminApi } from './harness/admin-api.ts';
import { chromiumMissing, expectNoProblems, openPage, signIn, startBrowser } from './harness/browser.ts';
import { liveHeap } from './harness/live-heap.ts';

const instances = `/apis/${managementGroup}/v1/namespaces/${projectNamespace('default')}/virtualclusterinstances`;
/** An hour is `FLOTILLA_SOAK_SECONDS=3600`. */
const soakSeconds = Number(process.env['FLOTILLA_SOAK_SECONDS'] ?? 15);
const perSecond = 50;

describeWith(chromiumMissing, 'pages of the console that stay open', () => {
  let flotilla: FlotillaProcess;
  let browser: Browser;
  let admin: AdminApi;

  beforeAll(async () => {
    // The same address after a restart, as a user's server has it.
    flotilla = await startFlotilla();
    browser = await startBrowser();
    admin = adminApi(flotilla);
  });
  afterAll(async () => {
    await admin.close();
    await browser.close();
    await flotilla.remove();
  });

  const row = (page: Page, name: string) =>
    page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });

  it('show to one what another does', async () => {
    const one = await openPage(browser, flotilla.url);
    const other = await openPage(browser, flotilla.url);
    await signIn(one.page, flotilla.adminKey, '/virtual-clusters');
    await signIn(other.page, flotilla.adminKey, '/');
    const ready = other.page.getByRole('link', { name: /Ready/ });
    await ready.or(other.page.getByText('The fleet is empty')).first().waitFor();

    await admin.createInstance('seen', {});
    await row(one.page, 'seen').getByText('Ready').waitFor();
    await other.page.getByRole('link', { name: '1 Ready' }).waitFor();

    await admin.ask('DELETE', `${instances}/seen`);
    await row(one.page, 'seen').waitFor({ state: 'detached' });
    await other.page.getByText('The fleet is empty').waitFor();
    for (const watched of [one, other]) {
      expectNoProblems(watched);
      await watched.context.close();
    }
  });

  it('find the server again by themselves when it was started anew', async () => {
    const { port } = new URL(flotilla.url);
    const watched = await openPage(browser, flotilla.url);
    await admin.createInstance('before', {});
    await signIn(watched.page, flotilla.adminKey, '/virtual-clusters');
    await row(watched.page, 'before').waitFor();
    await flotilla.stop('SIGKILL');
    await watched.page.getByText('No connection; trying again.').waitFor();
    // What was there stays in sight.
    expect(await row(watched.page, 'before').isVisible()).toBe(true);
    flotilla = await startFlotilla({ dataDirectory: flotilla.dataDirectory, listen: `127.0.0.1:${port}` });
    await watched.page.getByText('No connection; trying again.').waitFor({ state: 'hidden' });
    await admin.createInstance('after', {});
    await row(watched.page, 'after').waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });

  it(
    'hold no more memory the longer they are open',
    async () => {
      const watched = await openPage(browser, flotilla.url);
      await signIn(watched.page, flotilla.adminKey, '/virtual-clusters');
      const names = Array.from({ length: 20 }, (_, index) => `busy-${index}`);
      for (const name of names) await admin.createInstance(name, {});
      let told = 0;
      const tellFor = async (seconds: number) => {
        const until = performance.now() + seconds * 1000;
        while (performance.now() < until) {
          const round = performance.now();
          await Promise.all(
            Array.from({ length: perSecond / 5 }, async () => {
              told += 1;
              const name = names[told % names.length] ?? '';
              await admin.ask('PATCH', `${instances}/${name}`, { metadata: { annotations: { round: `${told}` } } });
            }),
          );
          // Ten every fifth of a second, however long they took.
          await new Promise((resolve) => setTimeout(resolve, Math.max(0, 200 - (performance.now() - round))));
        }
      };
      await tellFor(soakSeconds / 3);
      const before = await liveHeap(watched.page);
      await tellFor((soakSeconds * 2) / 3);
      const after = await liveHeap(watched.page);
      console.log(`${told} changes in ${soakSeconds} s: heap ${before} -> ${after} bytes`);
      expect(after - before).toBeLessThan(2 * 1024 * 1024);
      expectNoProblems(watched);
      await watched.context.close();
    },
    (soakSeconds + 120) * 1000,
  );
});
