import { filesBelow, read } from './sources.mjs';

/** A file over this many lines holds more than one idea. */
const most = 400;

export function checkFileSizes() {
  return [...filesBelow('src', '.ts'), ...filesBelow('web', '.ts', '.tsx', '.css')]
    .filter((path) => !path.endsWith('.test.ts') && !path.endsWith('.suite.ts'))
    .map((path) => [path, read(path).split('\n').length - 1])
    .filter(([, lines]) => lines > most)
    .map(([path, lines]) => `${path}: ${lines} lines; a file holds one idea and at most ${most} lines`);
}
