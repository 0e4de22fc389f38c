import { disableFastPaths } from '@flotilla/fast-paths';

/** `npm run test:plain` runs the quick suite without fast paths. */
if (process.env.FLOTILLA_FAST_PATHS === 'off') disableFastPaths();
