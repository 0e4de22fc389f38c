import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { managementGroup, projectNamespace } from '../../src/api/naming.ts';
import { accessibilityViolations } from './harness/accessibility.ts';
import { expectNoProblems, type MonitoredPage, signIn } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { cpuTime } from './harness/cpu-time.ts';
import { scrolledFrameTimes } from './harness/frame-times.ts';

const group = `/apis/${managementGroup}/v1`;
const count = 10_000;
const projects = Array.from({ length: 10 }, (_, index) => `team-${index}`);
/** The time of one frame at sixty frames per second, in milliseconds. */
const frameMs = 1_000 / 60;
const longMinutes = 15 * 60_000;

/** Returns a name for an index. The order of the names differs from the server's order. */
function nameOf(index: number): string {
  return `vc-${String((index * 7919) % count).padStart(4, '0')}`;
}

function projectOf(index: number): string {
  return projects[index % projects.length] ?? '';
}

async function inLanes(width: number, work: (index: number) => Promise<void>): Promise<void> {
  const indices = Array.from({ length: count }, (_, index) => index).values();
  const lane = async () => {
    for (const index of indices) await work(index);
  };
  await Promise.all(Array.from({ length: width }, lane));
}

/** Scrolls a number of pixels per frame for a number of frames. */
async function scroll(page: Page, pixels: number, frames: number): Promise<void> {
  await page.evaluate(
    async ([step = 0, times = 0]) => {
      const table = document.querySelector('section[aria-label^="Table of"]');
      for (let frame = 0; frame < times; frame++) {
        table?.scrollBy(0, step);
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    },
    [pixels, frames],
  );
}

describeConsole('a list of ten thousand virtual clusters', (env) => {
  let watched: MonitoredPage;

  beforeAll(async () => {
    for (const name of projects) {
      const spec = { allowedClusters: [{ name: '*' }], allowedTemplates: [{ name: '*' }] };
      await env.admin.request('POST', `${group}/projects`, { metadata: { name }, spec });
    }
    await inLanes(12, async (index) => await env.admin.createInstance(nameOf(index), {}, projectOf(index)));
    watched = await env.open();
    await signIn(watched.page, env.flotilla.adminKey);
  }, longMinutes);

  it('appears at once and loads completely soon after', async () => {
    const { page } = watched;
    await page.getByRole('navigation').getByText('Virtual clusters').click();
    await page.locator('tbody tr[data-key]').first().waitFor();
    await page.getByText(`${count} virtual clusters`, { exact: true }).waitFor({ timeout: 60_000 });
    // Rows that are not visible are not rendered.
    expect(await page.locator('tr').count()).toBeLessThan(80);
  });

  it('scrolls from the first row to the last at sixty frames per second', async () => {
    const { page } = watched;
    const times = await scrolledFrameTimes(page, 100, 120);
    const [half = Number.NaN, most = Number.NaN] = [0.5, 0.9].map((share) => times[times.length * share]);
    console.log(`main thread per frame: median ${half.toFixed(1)} ms, 90th percentile ${most.toFixed(1)} ms`);
    // CPU time, because the elapsed time of a frame depends on the load of the machine.
    expect(half).toBeLessThan(frameMs);
    expect(most).toBeLessThan(frameMs);

    await scroll(page, 10_000_000, 1);
    await page.locator(`tbody tr[aria-rowindex="${count + 1}"]`).waitFor();
  });

  it('follows fifty changes per second with low CPU usage', async () => {
    const { page } = watched;
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await scroll(page, -10_000_000, 1);
    await page.getByRole('link', { name: 'vc-0000' }).waitFor();
    const spend = await cpuTime(page);
    const started = Date.now();
    const spent = await spend(async () => {
      for (let round = 0; round < 60; round++) {
        const pause = new Promise((resolve) => setTimeout(resolve, 40));
        const changed = [round * 2, round * 2 + 1].map((index) =>
          env.admin.request('PATCH', pathOf(index), { metadata: { labels: { round: String(round) } } }),
        );
        await Promise.all([pause, ...changed]);
      }
    });
    // The share of one CPU that was used.
    expect(spent / (Date.now() - started)).toBeLessThan(0.5);

    await env.admin.request('DELETE', pathOf(0));
    await page.getByRole('link', { name: nameOf(0), exact: true }).waitFor({ state: 'detached' });
    await page.getByText(`${count - 1} virtual clusters`, { exact: true }).waitFor();
  });

  it('can be searched, filtered and selected like a short list', async () => {
    const { page } = watched;
    const search = page.getByRole('textbox', { name: 'Search virtual clusters' });
    await search.pressSequentially('vc-123');
    await page.getByText(`10 of ${count - 1}`).waitFor();
    expect(await search.inputValue()).toBe('vc-123');
    await page.getByRole('button', { name: 'Clear search' }).click();
    await page.getByRole('combobox', { name: 'Filter by project' }).selectOption({ value: '=team-7' });
    await page.getByText(`1000 of ${count - 1}`).waitFor();
    await page.getByRole('checkbox', { name: 'Select all virtual clusters' }).check();
    await page.getByText('1000 selected').waitFor();
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('and 800 more').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.getByRole('button', { name: 'Switch to light theme' }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    expectNoProblems(watched);
  });

  function pathOf(index: number): string {
    return `${group}/namespaces/${projectNamespace(projectOf(index))}/virtualclusterinstances/${nameOf(index)}`;
  }
});
