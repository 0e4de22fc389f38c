import { dirname } from 'node:path';
import { functionsOf } from './function-lines.mjs';
import { filesBelow, read } from './sources.mjs';

/** The maximum number of lines of a file. A longer file usually contains more than one idea. */
const maxLines = 400;
/**
 * The maximum number of lines of a function, without blank lines and comments. Split longer functions into functions
 * with names.
 */
const maxFunctionLines = 80;
/**
 * The maximum number of sources in a folder, so that a reader can survey the folder. Tests, suites and fixtures do not
 * count.
 */
const maxSources = 25;

export function checkFileSizes() {
  const sources = [
    ...filesBelow('packages', '.ts'),
    ...filesBelow('src', '.ts'),
    ...filesBelow('web', '.ts', '.tsx', '.css'),
  ];
  const scripts = filesBelow('scripts', '.ts', '.mjs', '.js');
  const tests = filesBelow('test', '.ts', '.mjs');
  return [
    ...longFiles(sources),
    ...longFunctions([...sources, ...scripts]),
    ...fullFolders([...sources, ...scripts, ...tests]),
  ];
}

function longFiles(sources) {
  return sources
    .filter((path) => !path.endsWith('.test.ts') && !path.endsWith('.suite.ts'))
    .map((path) => [path, read(path).split('\n').length - 1])
    .filter(([, lines]) => lines > maxLines)
    .map(([path, lines]) => `${path}: ${lines} lines; split it; the limit is ${maxLines} lines`);
}

/** Skips functions of tests and suites, because they contain many tests, which are read one at a time. */
function longFunctions(sources) {
  return sources
    .filter((path) => !path.endsWith('.css') && !isTest(path) && !path.startsWith('src/store/suite/'))
    .flatMap((path) => functionsOf(path, read(path)).map((found) => ({ path, ...found })))
    .filter(({ lines }) => lines > maxFunctionLines)
    .map(
      ({ path, line, name, lines }) =>
        `${path}:${line}: ${name} has ${lines} lines of code; split it; the limit is ${maxFunctionLines} lines`,
    );
}

function fullFolders(sources) {
  const counts = new Map();
  for (const path of sources) {
    if (path.endsWith('.css') || isTest(path)) continue;
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > maxSources)
    .map(([folder, count]) => `${folder}: ${count} sources; cut it into subfolders; the limit is ${maxSources}`);
}

function isTest(path) {
  return /\.(test|suite|fixture)\.tsx?$/.test(path);
}
