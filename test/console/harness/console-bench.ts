import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { type FlotillaProcess, startFlotilla } from '../../harness/flotilla-process.ts';
import { describeWith } from '../../harness/suite.ts';
import { type AdminApi, adminApi } from './admin-api.ts';
import { chromiumMissing, openPage, type PageOptions, startBrowser, type WatchedPage } from './browser.ts';
import { type InsideApi, insideApi } from './inside-api.ts';

/**
 * What the tests of one file share: a server and a browser of their own, and programs that ask the server beside the
 * browser. It is there from the suite's own `beforeAll` to its own `afterAll`, both included, and throws outside of
 * them; a suite that could not start leaves nothing running. Pages belong to who opened them; what is left of them goes
 * with the browser.
 */
export interface ConsoleBench {
  /** The one that runs now, or ran last. */
  readonly flotilla: FlotillaProcess;
  readonly admin: AdminApi;
  readonly inside: InsideApi;
  /** A page of somebody who has not signed in and shares nothing with the others. */
  open(options?: PageOptions): Promise<WatchedPage>;
  /** After the server was stopped: starts it on the same data and, as a user's server has it, at the same address. */
  startAgain(): Promise<void>;
}

/** A suite that walks through the console; skipped, and said so, where there is no browser. */
export function describeConsole(name: string, tests: (bench: ConsoleBench) => void): void {
  describeWith(chromiumMissing, name, () => {
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
  if (part === undefined) throw new Error('asked of the bench before the suite has begun');
  return part;
}
