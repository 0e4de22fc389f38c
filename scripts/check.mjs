// npm run check: types, lint and format, the import table, file sizes, dead code, docs against code. All of them run,
// and everything that is wrong is printed, before the exit code says so.
import { spawnSync } from 'node:child_process';
import { checkDocs } from './check/docs.mjs';
import { checkFileSizes } from './check/file-sizes.mjs';
import { checkImports } from './check/imports.mjs';

const bin = (name) => new URL(`../node_modules/.bin/${name}`, import.meta.url).pathname;

function program(name, args) {
  return () => {
    const result = spawnSync(bin(name), args, { encoding: 'utf8' });
    return result.status === 0 ? [] : [`${result.stdout}${result.stderr}`.trimEnd() || String(result.error)];
  };
}

const checks = [
  ['types', program('tsc', ['--noEmit', '-p', '.'])],
  ['types of the console', program('tsc', ['--noEmit', '-p', 'web'])],
  ['lint and format', program('biome', ['check', '--error-on-warnings', '.'])],
  ['import table', checkImports],
  ['file sizes', checkFileSizes],
  ['dead code', program('knip', ['--no-progress'])],
  ['docs', checkDocs],
];

let failed = 0;
for (const [name, run] of checks) {
  const started = performance.now();
  const problems = await run();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${problems.length === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
  for (const problem of problems) console.log(problem);
  failed += problems.length === 0 ? 0 : 1;
}
process.exitCode = failed === 0 ? 0 : 1;
