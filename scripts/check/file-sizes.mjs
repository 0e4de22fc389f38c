import { dirname } from 'node:path';
import { filesBelow, read } from './sources.mjs';

/** A longer file usually contains more than one idea. */
const maxLines = 400;
/** A folder with more sources than a reader can survey needs subfolders. Tests, suites and fixtures do not count. */
const maxSources = 25;

export function checkFileSizes() {
  const sources = [
    ...filesBelow('packages', '.ts'),
    ...filesBelow('src', '.ts'),
    ...filesBelow('web', '.ts', '.tsx', '.css'),
  ];
  return [...longFiles(sources), ...fullFolders(sources)];
}

function longFiles(sources) {
  return sources
    .filter((path) => !path.endsWith('.test.ts') && !path.endsWith('.suite.ts'))
    .map((path) => [path, read(path).split('\n').length - 1])
    .filter(([, lines]) => lines > maxLines)
    .map(([path, lines]) => `${path}: ${lines} lines; split it; the limit is ${maxLines} lines`);
}

function fullFolders(sources) {
  const counts = new Map();
  for (const path of sources) {
    if (path.endsWith('.css') || /\.(test|suite|fixture)\.tsx?$/.test(path)) continue;
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > maxSources)
    .map(([folder, count]) => `${folder}: ${count} sources; cut it into subfolders; the limit is ${maxSources}`);
}
