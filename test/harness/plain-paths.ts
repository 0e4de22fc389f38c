import { disableFastPaths } from '../../src/lib/fast-paths.ts';

/** `npm run test:plain` runs the quick suite without fast paths. */
if (process.env.FLOTILLA_FAST_PATHS === 'off') disableFastPaths();
