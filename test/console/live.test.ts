import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { managementGroup, projectNamespace } from '../../src/api/naming.ts';
import { expectNoProblems, signIn } from './harness/browser.ts';
import { describeConsole } from './harness/console-bench.ts';
import { liveHeap } from './harness/live-heap.ts';

const instances = `/apis/${managementGroup}/v1/namespaces/${projectNamespace('default')}/virtualclusterinstances`;
/** An hour is `FLOTILLA_SOAK_SECONDS=3600`. */
const soakSeconds = Number(process.env.FLOTILLA_SOAK_SECONDS ?? 15);
const perSecond = 50;

describeConsole('pages of the console that stay open', (bench) => {
  const row = (page: Page, name: string) =>
    page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });

  it('show to one what another does', async () => {
    const one = await bench.open();
    const other = await bench.open();
    await signIn(one.page, bench.flotilla.adminKey, '/virtual-clusters');
    await signIn(other.page, bench.flotilla.adminKey, '/');
    const ready = other.page.getByRole('link', { name: /Ready/ });
    await ready.or(other.page.getByText('The fleet is empty')).first().waitFor();

    await bench.admin.createInstance('seen', {});
    await row(one.page, 'seen').getByText('Ready').waitFor();
    await other.page.getByRole('link', { name: '1 Ready' }).waitFor();

    await bench.admin.ask('DELETE', `${instances}/seen`);
    await row(one.page, 'seen').waitFor({ state: 'detached' });
    await other.page.getByText('The fleet is empty').waitFor();
    for (const watched of [one, other]) {
      expectNoProblems(watched);
      await watched.context.close();
    }
  });

  it('find the server again by themselves when it was started anew', async () => {
    const watched = await bench.open();
    await bench.admin.createInstance('before', {});
    await signIn(watched.page, bench.flotilla.adminKey, '/virtual-clusters');
    await row(watched.page, 'before').waitFor();
    await bench.flotilla.stop('SIGKILL');
    await watched.page.getByText('No connection; trying again.').waitFor();
    // What was there stays in sight.
    expect(await row(watched.page, 'before').isVisible()).toBe(true);
    await bench.startAgain();
    await watched.page.getByText('No connection; trying again.').waitFor({ state: 'hidden' });
    await bench.admin.createInstance('after', {});
    await row(watched.page, 'after').waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });

  it(
    'hold no more memory the longer they are open',
    async () => {
      const watched = await bench.open();
      await signIn(watched.page, bench.flotilla.adminKey, '/virtual-clusters');
      const names = Array.from({ length: 20 }, (_, index) => `busy-${index}`);
      for (const name of names) await bench.admin.createInstance(name, {});
      let told = 0;
      const tellFor = async (seconds: number) => {
        const until = performance.now() + seconds * 1000;
        while (performance.now() < until) {
          const round = performance.now();
          await Promise.all(
            Array.from({ length: perSecond / 5 }, async () => {
              told += 1;
              const name = names[told % names.length] ?? '';
              await bench.admin.ask('PATCH', `${instances}/${name}`, {
                metadata: { annotations: { round: `${told}` } },
              });
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
