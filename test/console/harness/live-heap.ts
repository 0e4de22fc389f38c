import type { Page } from 'playwright-core';

/** Bytes that the page's scripts hold once everything that can go has gone. */
export async function liveHeap(page: Page): Promise<number> {
  const debug = await page.context().newCDPSession(page);
  try {
    // What the first collection lets go of may hold more.
    for (let round = 0; round < 3; round += 1) await debug.send('HeapProfiler.collectGarbage');
    const { usedSize } = await debug.send('Runtime.getHeapUsage');
    return usedSize;
  } finally {
    await debug.detach();
  }
}
