import { filesBelow, read } from './sources.mjs';

/** A longer file usually contains more than one idea. */
const maxLines = 400;

export function checkFileSizes() {
  return [...filesBelow('src', '.ts'), ...filesBelow('web', '.ts', '.tsx', '.css')]
    .filter((path) => !path.endsWith('.test.ts') && !path.endsWith('.suite.ts'))
    .map((path) => [path, read(path).split('\n').length - 1])
    .filter(([, lines]) => lines > maxLines)
    .map(([path, lines]) => `${path}: ${lines} lines; split it; the limit is ${maxLines} lines`);
}
