import type { Page } from 'playwright-core';

/**
 * Measures the CPU time of the page's main thread in milliseconds, which does not depend on the load of the machine.
 */
export async function cpuTime(page: Page): Promise<(work: () => Promise<unknown>) => Promise<number>> {
  const debugged = await page.context().newCDPSession(page);
  await debugged.send('Performance.enable', { timeDomain: 'threadTicks' });
  const now = async () => {
    const { metrics } = await debugged.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
  };
  return async (work) => {
    const before = await now();
    await work();
    return (await now()) - before;
  };
}
