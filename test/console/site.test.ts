import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chromium } from '../harness/browsers.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { accessibilityViolations } from './harness/accessibility.ts';
import { expectNoProblems, openPage, startBrowser } from './harness/browser.ts';
import { pageOverflow } from './harness/looks.ts';

const root = new URL('../..', import.meta.url).pathname;
const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
};
/** The strictest content security policy that still allows scripts, styles and images. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";

describeIfAvailable(chromium.missing, 'the documentation site', () => {
  let folder: string;
  let server: Server;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'site-'));
    // Generates an older version first, then the current one, into the same folder.
    for (const release of [['--release', '0.0.9'], []]) {
      await promisify(execFile)('node', [join(root, 'scripts/site/generate.mjs'), '--out', folder, ...release]);
    }
    server = createServer(({ url: path = '' }, response) => {
      const file = join(folder, new URL(path, 'http://x').pathname.replace(/^\/docs\//, '/'));
      if (!existsSync(file)) return response.writeHead(404).end();
      const type = contentTypes[extname(file)] ?? 'application/octet-stream';
      return response
        .writeHead(200, { 'content-type': type, 'content-security-policy': policy })
        .end(readFileSync(file));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    // Serves the site below a path, as on a host with other content.
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/docs/v0.1/`;
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['index.html', 'light', 1280],
    ['index.html', 'dark', 390],
    ['overview.html', 'light', 390],
    ['guides/gitops.html', 'dark', 1280],
    ['guides/gitops.html', 'light', 390],
    ['api/index.html', 'light', 1280],
    ['api/virtualclusterinstance.html', 'dark', 1280],
    ['api/virtualclusterinstance.html', 'light', 390],
    ['reference/cli.html', 'light', 1280],
    ['examples/index.html', 'dark', 390],
  ] as const)('%s is accessible and fits the screen (%s, %d pixels)', async (path, theme, width) => {
    const monitored = await openPage(browser, url, { theme, width });
    await monitored.page.goto(path);
    expect(await accessibilityViolations(monitored.page)).toEqual([]);
    expect(await pageOverflow(monitored.page)).toEqual([]);
    expectNoProblems(monitored);
    await monitored.context.close();
  });

  it('finds a section by words in any order, with the keyboard only', async () => {
    const monitored = await openPage(browser, url);
    const { page } = monitored;
    await page.goto('guides/audit.html');
    await page.keyboard.press('/');
    await page.keyboard.type('key access rotate');
    await page.locator('.results a').first().waitFor();
    expect(await page.locator('.results a').first().textContent()).toContain('Rotate an access key');
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/guides\/access-keys\.html#rotate-an-access-key$/);
    expectNoProblems(monitored);
    await monitored.context.close();
  });

  it('works from a disk, with search and images', async () => {
    const { page, context } = await openPage(browser, 'file://');
    await page.goto(pathToFileURL(join(folder, 'index.html')).href);
    await page.waitForURL(/\/v0\.1\/index\.html$/);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('spec.quotas');
    await page.locator('.results a').first().waitFor();
    await page.getByRole('searchbox').fill('xyzzy');
    await page.getByText('No results for').waitFor();
    await page.goto(pathToFileURL(join(folder, 'v0.1/overview.html')).href);
    expect(
      await page
        .locator('article img')
        .first()
        .evaluate((image: HTMLImageElement) => image.alt),
    ).not.toBe('');
    await context.close();
  });

  it('switches to the same page of another version, which names the newer one', async () => {
    const monitored = await openPage(browser, url);
    const { page } = monitored;
    await page.goto('guides/sso.html');
    await page.locator('.versions summary').click();
    await page.getByRole('link', { name: 'v0.0' }).click();
    await page.waitForURL(/\/docs\/v0\.0\/guides\/sso\.html$/);
    await page.getByRole('link', { name: 'Read it for v0.1' }).click();
    await page.waitForURL(/\/docs\/v0\.1\/guides\/sso\.html$/);
    expectNoProblems(monitored);
    await monitored.context.close();
  });

  it('remembers the theme, copies code, and opens the field of an address', async () => {
    const monitored = await openPage(browser, url);
    const { page } = monitored;
    await page.goto('guides/gitops.html');
    await page.getByRole('button', { name: 'Dark theme' }).click();
    await page.reload();
    await page.locator('html[data-theme="dark"]').waitFor();
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('helm install demo');
    await page.goto('api/project.html');
    await page.getByRole('button', { name: 'Collapse all' }).click();
    expect(await page.locator('[id="spec.displayName"]').isVisible()).toBe(false);
    await page.goto('api/project.html#spec.displayName');
    await page.locator('[id="spec.displayName"]').waitFor();
    expectNoProblems(monitored);
    await monitored.context.close();
  });

  it('opens and closes the menu on a phone', async () => {
    const { page, context } = await openPage(browser, url, { width: 390 });
    await page.goto('index.html');
    expect(await page.getByRole('navigation', { name: 'Documentation' }).isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Menu' }).click();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('navigation', { name: 'Documentation' }).isVisible()).toBe(false);
    await context.close();
  });
});
