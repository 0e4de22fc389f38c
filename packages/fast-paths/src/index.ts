export { disableFastPaths, enableFastPaths, fastPathsEnabled } from './fast-paths.ts';
