import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { chromium, type InstalledBrowser } from '../../harness/browsers.ts';
import { type FlotillaProcess, startFlotilla } from '../../harness/flotilla-process.ts';
import { describeIfAvailable } from '../../harness/suite.ts';
import { type AdminApi, adminApi } from './admin-api.ts';
import { type MonitoredPage, openPage, type PageOptions, startBrowser } from './browser.ts';
import { type VirtualClusterApi, virtualClusterApi } from './virtual-cluster-api.ts';

/**
 * The test environment of one file: its own server and browser, and API clients outside the browser. It is available
 * from the suite's `beforeAll` to its `afterAll` and throws at any other time. A suite that fails to start leaves
 * nothing running. Tests close the pages that they open; everything else closes with the browser.
 */
export interface ConsoleTestEnv {
  /** The running server, or the stopped one before `restart`. */
  readonly flotilla: FlotillaProcess;
  readonly admin: AdminApi;
  readonly inside: VirtualClusterApi;
  /** Opens a page in a new browser context, without a session. */
  open(options?: PageOptions): Promise<MonitoredPage>;
  /** Restarts a stopped server with the same data and address. */
  restart(): Promise<void>;
}

/**
 * Declares a suite of browser tests with a server that has these settings. Skips the suite with a message if the
 * browser is missing.
 */
export function describeConsole(
  name: string,
  tests: (env: ConsoleTestEnv) => void,
  settings: object = {},
  installed: InstalledBrowser = chromium,
): void {
  describeIfAvailable(installed.missing, name, () => {
    let folder: string;
    let flotilla: FlotillaProcess | undefined;
    let browser: Browser | undefined;
    let admin: AdminApi | undefined;
    let inside: VirtualClusterApi | undefined;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'flotilla-console-'));
      // Tests connect clusters on this machine, so loopback addresses must be allowed.
      writeFileSync(join(folder, 'config.yaml'), JSON.stringify({ hosts: { deniedCIDRs: [] }, ...settings }));
      flotilla = await startFlotilla({ args: configured(), ...listenAddress(settings) });
      browser = await startBrowser(installed);
      admin = adminApi(flotilla);
      inside = virtualClusterApi(flotilla);
    });
    afterAll(async () => {
      await inside?.close();
      await admin?.close();
      await browser?.close();
      await flotilla?.remove();
      rmSync(folder, { recursive: true });
    });
    const configured = () => ['--config', join(folder, 'config.yaml')];

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
      async restart() {
        const { dataDirectory, url } = started(flotilla);
        flotilla = await startFlotilla({ dataDirectory, listen: new URL(url).host, args: configured() });
      },
    });
  });
}

/** Returns the address that the settings name. By default, the server listens on a free port. */
function listenAddress({ listen }: { readonly listen?: string }): { readonly listen?: string } {
  return listen === undefined ? {} : { listen };
}

function started<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('test environment used before the suite has started');
  return part;
}
