import type { Page } from 'playwright-core';
import { accessibilityFaults } from './accessibility.ts';

/** How somebody can have a page before them. */
export interface Look {
  readonly theme: 'light' | 'dark';
  readonly width: number;
}

/** The first is that of a page that was opened without saying how. */
const looks: readonly [Look, ...Look[]] = [
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 1280 },
  { theme: 'light', width: 390 },
];

/** A page that is there is turned from look to look, which costs much less than to load it in each; then back. */
export async function inEveryLook(page: Page, check: (look: Look) => Promise<void>): Promise<void> {
  for (const look of looks) {
    await turn(page, look);
    await check(look);
  }
  await turn(page, looks[0]);
}

/** What the page has in any look that keeps somebody out, or sticks out at the side; a line each. */
export async function faultsInEveryLook(page: Page): Promise<string[]> {
  const faults: string[] = [];
  await inEveryLook(page, async ({ theme, width }) => {
    const found = [...(await accessibilityFaults(page)), ...(await whatSticksOut(page))];
    faults.push(...found.map((fault) => `${theme}, ${width} wide: ${fault}`));
  });
  return faults;
}

/** The page itself never moves sideways; parts of it may. */
export async function whatSticksOut(page: Page): Promise<string[]> {
  const pixels = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  return pixels > 0 ? [`${pixels} pixels stick out at the side`] : [];
}

async function turn(page: Page, { theme, width }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await page.setViewportSize({ width, height: 860 });
  await page.locator(`html[data-mantine-color-scheme="${theme}"]`).waitFor();
  await page.evaluate(async () => {
    const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
    // What follows the width by script does so after a frame.
    await frame();
    await frame();
    // The frame of the page moves to its place; what turns for ever does not.
    const moves = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(moves.map(({ finished }) => finished));
  });
}
