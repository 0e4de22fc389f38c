import type { Page } from 'playwright-core';

/** The memory in bytes that the page's scripts use after garbage collection. */
export async function liveHeap(page: Page): Promise<number> {
  const debug = await page.context().newCDPSession(page);
  try {
    // Objects released by one collection may still reference others, so the collection is repeated.
    for (let round = 0; round < 3; round += 1) await debug.send('HeapProfiler.collectGarbage');
    const { usedSize } = await debug.send('Runtime.getHeapUsage');
    return usedSize;
  } finally {
    await debug.detach();
  }
}
