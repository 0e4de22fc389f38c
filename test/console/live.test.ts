import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { managementGroup, projectNamespace } from '../../src/api/naming.ts';
import { expectNoProblems, signIn } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { liveHeap } from './harness/live-heap.ts';

const instances = `/apis/${managementGroup}/v1/namespaces/${projectNamespace('default')}/virtualclusterinstances`;
/** Set `FLOTILLA_SOAK_SECONDS=3600` for an hour. */
const soakSeconds = Number(process.env['FLOTILLA_SOAK_SECONDS'] ?? 15);
const perSecond = 50;

describeConsole('console pages that stay open', (env) => {
  const row = (page: Page, name: string) =>
    page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });

  it('show changes made by other users', async () => {
    const one = await env.open();
    const other = await env.open();
    await signIn(one.page, env.flotilla.adminKey, '/virtual-clusters');
    await signIn(other.page, env.flotilla.adminKey, '/');
    const ready = other.page.getByRole('link', { name: /Ready/ });
    await ready.or(other.page.getByText('No virtual clusters yet')).first().waitFor();

    await env.admin.createInstance('seen', {});
    await row(one.page, 'seen').getByText('Ready').waitFor();
    await other.page.getByRole('link', { name: '1 Ready' }).waitFor();

    await env.admin.request('DELETE', `${instances}/seen`);
    await row(one.page, 'seen').waitFor({ state: 'detached' });
    await other.page.getByText('No virtual clusters yet').waitFor();
    for (const watched of [one, other]) {
      expectNoProblems(watched);
      await watched.context.close();
    }
  });

  it('reconnect automatically after a server restart', async () => {
    const watched = await env.open();
    await env.admin.createInstance('before', {});
    await signIn(watched.page, env.flotilla.adminKey, '/virtual-clusters');
    await row(watched.page, 'before').waitFor();
    await env.flotilla.stop('SIGKILL');
    await watched.page.getByText('Connection lost. Retrying automatically.').waitFor();
    // The rows stay visible.
    expect(await row(watched.page, 'before').isVisible()).toBe(true);
    await env.restart();
    await watched.page.getByText('Connection lost. Retrying automatically.').waitFor({ state: 'hidden' });
    await env.admin.createInstance('after', {});
    await row(watched.page, 'after').waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });

  it(
    'do not leak memory',
    async () => {
      const watched = await env.open();
      await signIn(watched.page, env.flotilla.adminKey, '/virtual-clusters');
      const names = Array.from({ length: 20 }, (_, index) => `busy-${index}`);
      for (const name of names) await env.admin.createInstance(name, {});
      let sent = 0;
      const sendChangesFor = async (seconds: number) => {
        const until = performance.now() + seconds * 1000;
        while (performance.now() < until) {
          const round = performance.now();
          await Promise.all(
            Array.from({ length: perSecond / 5 }, async () => {
              sent += 1;
              const name = names[sent % names.length] ?? '';
              await env.admin.request('PATCH', `${instances}/${name}`, {
                metadata: { annotations: { round: `${sent}` } },
              });
            }),
          );
          // Makes ten changes every 200 ms, however long the changes take.
          await new Promise((resolve) => setTimeout(resolve, Math.max(0, 200 - (performance.now() - round))));
        }
      };
      await sendChangesFor(soakSeconds / 3);
      const before = await liveHeap(watched.page);
      await sendChangesFor((soakSeconds * 2) / 3);
      const after = await liveHeap(watched.page);
      console.log(`${sent} changes in ${soakSeconds} s: heap ${before} -> ${after} bytes`);
      expect(after - before).toBeLessThan(2 * 1024 * 1024);
      expectNoProblems(watched);
      await watched.context.close();
    },
    (soakSeconds + 120) * 1000,
  );
});
