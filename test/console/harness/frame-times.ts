import type { Page } from 'playwright-core';
import { cpuTime } from './cpu-time.ts';

/**
 * Scrolls the first table of the page by a number of pixels per frame. Returns the CPU time of the page's main thread
 * in milliseconds for each frame, sorted. Each CPU time includes the script, layout and paint that the new scroll
 * position causes, and about a millisecond of the measurement itself.
 */
export async function scrolledFrameTimes(page: Page, pixels: number, frames: number): Promise<readonly number[]> {
  const spend = await cpuTime(page);
  const times: number[] = [];
  for (let frame = 0; frame < frames; frame++) times.push(await spend(() => scrollOnce(page, pixels)));
  return times.sort((one, other) => one - other);
}

/** Scrolls and waits until the new rows are painted. */
async function scrollOnce(page: Page, pixels: number): Promise<void> {
  await page.evaluate(async (step) => {
    const painted = () => new Promise((resolve) => requestAnimationFrame(resolve));
    document.querySelector('section[aria-label^="Table of"]')?.scrollBy(0, step);
    // The first frame reports the scroll position, and the table then renders its rows. The second frame shows these
    // rows.
    await painted();
    await painted();
    // Messages run after the paint of the frame.
    await new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = resolve;
      port2.postMessage(undefined);
    });
  }, pixels);
}
