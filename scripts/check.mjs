// npm run check: types, lint and format, the import table, sizes, dead code, docs against code, the documentation site.
// All checks run concurrently and print all problems before the process exits with an error code.
import { execFile } from 'node:child_process';
import { checkDocs } from './check/docs.mjs';
import { checkFileSizes } from './check/file-sizes.mjs';
import { checkImports } from './check/imports.mjs';
import { checkRuleIds } from './check/rule-ids.mjs';
import { checkScriptImports } from './check/script-imports.mjs';
import { checkSite } from './check/site.mjs';

const bin = (name) => new URL(`../node_modules/.bin/${name}`, import.meta.url).pathname;

function program(name, args) {
  return () =>
    new Promise((resolve) => {
      execFile(bin(name), args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
        resolve(error === null ? [] : [`${stdout}${stderr}`.trimEnd() || String(error)]);
      });
    });
}

const checks = [
  ['types', program('tsc', ['--noEmit', '-p', '.'])],
  ['types of the console', program('tsc', ['--noEmit', '-p', 'web'])],
  ['lint and format', program('biome', ['check', '--error-on-warnings', '.'])],
  ['import table', checkImports],
  ['imports of scripts', checkScriptImports],
  ['file sizes', checkFileSizes],
  ['dead code', program('knip', ['--no-progress'])],
  ['rule ids', checkRuleIds],
  ['docs', checkDocs],
  ['documentation site', checkSite],
];

async function timed([name, run]) {
  const started = performance.now();
  const problems = await run();
  return { name, problems, seconds: (performance.now() - started) / 1000 };
}

for (const { name, problems, seconds } of await Promise.all(checks.map(timed))) {
  console.log(`${problems.length === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds.toFixed(1)} s)`);
  for (const problem of problems) console.log(problem);
  if (problems.length > 0) process.exitCode = 1;
}
