import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  chromium as playwrightChromium,
  firefox as playwrightFirefox,
} from 'playwright-core';
import { expect } from 'vitest';
import { chromium, type InstalledBrowser } from '../../harness/browsers.ts';

export async function startBrowser(browser: InstalledBrowser = chromium): Promise<Browser> {
  const executablePath = browser.path;
  if (executablePath === undefined) throw new Error(browser.missing);
  // The channel selects the standard protocol WebDriver BiDi, which works with an unmodified Firefox.
  if (browser.name === 'firefox') return await playwrightFirefox.launch({ executablePath, channel: 'moz-firefox' });
  return await playwrightChromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
}

/** A monitored page: records policy violations, script errors and requests to other hosts. */
export interface MonitoredPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** All problems so far. */
  problems(): readonly string[];
}

export interface PageOptions {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
}

export async function openPage(browser: Browser, url: string, options: PageOptions = {}): Promise<MonitoredPage> {
  const { theme = 'light', width = 1280, height = 860 } = options;
  const context = await browser.newContext({
    baseURL: url,
    // The server has a self-signed certificate.
    ignoreHTTPSErrors: true,
    viewport: { width, height },
    ...(browser.browserType().name() === 'chromium' ? chromiumOptions(theme) : {}),
  });
  return { context, ...(await monitoredPage(context, url)) };
}

/** WebDriver BiDi does not have these options. Firefox has the light theme, and pages may write to its clipboard. */
function chromiumOptions(theme: 'light' | 'dark'): BrowserContextOptions {
  return { colorScheme: theme, reducedMotion: 'reduce', permissions: ['clipboard-read', 'clipboard-write'] };
}

/** Opens another tab of the same browser, with the cookies of the other tabs. */
export async function monitoredPage(context: BrowserContext, url: string): Promise<Omit<MonitoredPage, 'context'>> {
  const problems: string[] = [];
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await page.exposeFunction('reportViolation', (text: string) => problems.push(`policy: ${text}`));
  await page.addInitScript(() => {
    document.addEventListener(
      'securitypolicyviolation',
      ({ violatedDirective, blockedURI, sourceFile, lineNumber }) => {
        const report = (globalThis as unknown as { reportViolation(text: string): void }).reportViolation;
        report(`${violatedDirective} ${blockedURI} ${sourceFile}:${lineNumber}`);
      },
    );
  });
  page.on('pageerror', (error) => problems.push(`thrown: ${error.stack ?? error.message}`));
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== new URL(url).origin && protocol !== 'data:' && protocol !== 'blob:')
      problems.push(`request to ${request.url()}`);
  });
  return { page, problems: () => problems };
}

/** Signs in with an access key through the form and waits until a page is visible. */
export async function signIn(page: Page, accessKey: string, path = '/'): Promise<void> {
  await page.goto(path);
  await page.getByRole('button', { name: 'Use an access key' }).click();
  await page.locator('input[name="access-key"]').fill(accessKey);
  await submit(page);
}

/** Signs in with a password through the form. */
export async function signInAs(page: Page, username: string, password: string, path = '/'): Promise<void> {
  await page.goto(path);
  await page.locator('input[name="username"]').fill(username);
  await page.locator('input[name="password"]').fill(password);
  await submit(page);
}

async function submit(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('main#page').waitFor();
}

export function expectNoProblems({ problems }: Pick<MonitoredPage, 'problems'>): void {
  expect(problems()).toEqual([]);
}
