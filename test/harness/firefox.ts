import { existsSync } from 'node:fs';

const candidates = ['/usr/bin/firefox-esr', '/usr/bin/firefox'];

export const firefoxPath = process.env.FLOTILLA_FIREFOX ?? candidates.find((path) => existsSync(path));

export const firefoxMissing =
  firefoxPath === undefined ? 'firefox is not installed (Debian: apt-get install firefox-esr)' : undefined;
