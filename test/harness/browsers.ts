import { existsSync } from 'node:fs';

/** A browser of the system that tests can drive. */
export interface InstalledBrowser {
  readonly name: 'chromium' | 'firefox';
  readonly path: string | undefined;
  /** The reason why tests with this browser are skipped. */
  readonly missing: string | undefined;
}

/** Chromium, or the program that `FLOTILLA_CHROMIUM` names. */
export const chromium = installed('chromium', 'chromium', process.env.FLOTILLA_CHROMIUM, [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]);

/** Firefox, or the program that `FLOTILLA_FIREFOX` names. */
export const firefox = installed('firefox', 'firefox-esr', process.env.FLOTILLA_FIREFOX, [
  '/usr/bin/firefox-esr',
  '/usr/bin/firefox',
]);

function installed(
  name: InstalledBrowser['name'],
  debianPackage: string,
  chosen: string | undefined,
  candidates: readonly string[],
): InstalledBrowser {
  const path = chosen ?? candidates.find((candidate) => existsSync(candidate));
  const missing =
    path === undefined ? `${name} is not installed (Debian: apt-get install ${debianPackage})` : undefined;
  return { name, path, missing };
}
