import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { type FlotillaProcess, startFlotilla } from '../../harness/flotilla-process.ts';
import { describeIfAvailable } from '../../harness/suite.ts';
import { type AdminApi, adminApi } from './admin-api.ts';
import { chromiumMissing, openPage, type PageOptions, startBrowser, type WatchedPage } from './browser.ts';
import { type InsideApi, insideApi } from './inside-api.ts';

/**
 * The test environment of one file: its own server and browser, and API clients outside the browser. It exists from the
 * suite's `beforeAll` to its `afterAll`, both included, and throws outside of them. A suite that fails to start leaves
 * nothing running. Tests close the pages that they open; the rest closes with the browser.
 */
export interface ConsoleBench {
  /** The current server, or the last one. */
  readonly flotilla: FlotillaProcess;
  readonly admin: AdminApi;
  readonly inside: InsideApi;
  /** Opens a page in a new browser context, without a session. */
  open(options?: PageOptions): Promise<WatchedPage>;
  /** Restarts a stopped server with the same data and address. */
  startAgain(): Promise<void>;
}

/** A suite of browser tests; skipped with a message if there is no browser. */
export function describeConsole(name: string, tests: (env: ConsoleBench) => void): void {
  describeIfAvailable(chromiumMissing, name, () => {
    let flotilla: FlotillaProcess | undefined;
    let browser: Browser | undefined;
    let admin: AdminApi | undefined;
    let inside: InsideApi | undefined;

    beforeAll(async () => {
      flotilla = await startFlotilla();
      browser = await startBrowser();
      admin = adminApi(flotilla);
      inside = insideApi(flotilla);
    });
    afterAll(async () => {
      await inside?.close();
      await admin?.close();
      await browser?.close();
      await flotilla?.remove();
    });

    tests({
      get flotilla() {
        return started(flotilla);
      },
      get admin() {
        return started(admin);
      },
      get inside() {
        return started(inside);
      },
      open: (options) => openPage(started(browser), started(flotilla).url, options),
      async startAgain() {
        const { dataDirectory, url } = started(flotilla);
        flotilla = await startFlotilla({ dataDirectory, listen: new URL(url).host });
      },
    });
  });
}

function started<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('test environment used before the suite has started');
  return part;
}
