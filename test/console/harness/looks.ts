import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { accessibilityViolations } from './accessibility.ts';

/** A combination of theme and width. */
export interface Look {
  readonly theme: 'light' | 'dark';
  readonly width: number;
}

/** The first look is the default of a new page. */
const looks: readonly [Look, ...Look[]] = [
  { theme: 'light', width: 1440 },
  { theme: 'dark', width: 1440 },
  { theme: 'dark', width: 390 },
  { theme: 'light', width: 390 },
];

/**
 * Runs the check in every look, then restores the first look. The page is loaded only once, because loading it for each
 * look costs much more.
 */
export async function inEveryLook(page: Page, check: (look: Look) => Promise<void>): Promise<void> {
  for (const look of looks) {
    await applyLook(page, look);
    await check(look);
  }
  await applyLook(page, looks[0]);
}

/** If set, the directory for screenshots. */
const screenshots = process.env['FLOTILLA_SCREENSHOTS'];

/**
 * Returns the accessibility violations and the horizontal overflow in every look, one line each. `name` is the file name of
 * the screenshots.
 */
export async function violationsInEveryLook(page: Page, name?: string): Promise<string[]> {
  const faults: string[] = [];
  await inEveryLook(page, async ({ theme, width }) => {
    if (screenshots !== undefined && name !== undefined) {
      mkdirSync(screenshots, { recursive: true });
      await page.screenshot({ path: join(screenshots, `${name}-${theme}-${width}.png`) });
    }
    const found = [...(await accessibilityViolations(page)), ...(await horizontalOverflow(page))];
    faults.push(...found.map((fault) => `${theme}, ${width} wide: ${fault}`));
  });
  return faults;
}

/** The widest screen on which tables are cards. */
const phoneWidth = 576;

/** Returns the horizontal overflow of the page itself. Parts of the page, such as tables, may scroll. */
export async function pageOverflow(page: Page): Promise<string[]> {
  const pixels = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  return pixels > 0 ? [`${pixels} pixels of horizontal overflow`] : [];
}

/**
 * Returns the elements that scroll horizontally. The page itself must not do so at any width. On a phone, no part of
 * the page may do so either. Code and the output of commands are exempt, because their lines must not be wrapped.
 */
export async function horizontalOverflow(page: Page): Promise<string[]> {
  const parts = await page.evaluate((phone) => {
    const wide = innerWidth > phone ? [] : [...document.querySelectorAll<HTMLElement>('main *')];
    const scrolling = wide.filter((element) => {
      const { overflowX } = getComputedStyle(element);
      const isCode = element.closest('pre, code, [role="log"], [role="textbox"], .cm-scroller') !== null;
      return (
        (overflowX === 'auto' || overflowX === 'scroll') && !isCode && element.scrollWidth > element.clientWidth + 1
      );
    });
    return scrolling.map((one) => `scrolls horizontally: ${one.getAttribute('aria-label') ?? one.className}`);
  }, phoneWidth);
  return [...(await pageOverflow(page)), ...parts];
}

async function applyLook(page: Page, { theme, width }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await page.setViewportSize({ width, height: 860 });
  await page.locator(`html[data-mantine-color-scheme="${theme}"]`).waitFor();
  await page.evaluate(async () => {
    const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
    // Scripts react to the new width one frame later.
    await frame();
    await frame();
    // Wait for finite animations; endless ones, such as spinners, never finish.
    const moves = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(moves.map(({ finished }) => finished));
  });
}
