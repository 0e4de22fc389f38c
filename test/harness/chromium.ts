import { existsSync } from 'node:fs';

const candidates = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export const chromiumPath = process.env.FLOTILLA_CHROMIUM ?? candidates.find((path) => existsSync(path));

export const chromiumMissing =
  chromiumPath === undefined ? 'chromium is not installed (Debian: apt-get install chromium)' : undefined;
