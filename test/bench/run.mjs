// npm run bench [-- [--profile <directory>] [scenario …]]: how fast and how large the server is on this machine. Without
// names every scenario but `leaks` runs. With --profile the directory gets a CPU profile of the server for each
// operation over HTTP; top-costs.mjs sums one up.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleSources } from './bundle.mjs';
import { httpVerbs } from './scenarios/http-verbs.mjs';
import { leaks } from './scenarios/leaks.mjs';
import { memory } from './scenarios/memory.mjs';
import { storePuts } from './scenarios/store-puts.mjs';
import { watchFanOut } from './scenarios/watch-fan-out.mjs';
import { printMachine, printTable } from './table.mjs';

const scenarios = { 'store-puts': storePuts, 'http-verbs': httpVerbs, 'watch-fan-out': watchFanOut, memory, leaks };
const usual = ['store-puts', 'http-verbs', 'watch-fan-out', 'memory'];
/** Milliseconds: the usual run stays below two minutes; who looks for leaks has more time. */
const longestRun = (chosen) => (chosen.includes('leaks') ? 600_000 : 110_000);

const { values, positionals } = parseArgs({ options: { profile: { type: 'string' } }, allowPositionals: true });
const chosen = positionals.length === 0 ? usual : positionals;
const unknown = chosen.find((name) => !Object.hasOwn(scenarios, name));
if (unknown !== undefined) throw new Error(`no scenario "${unknown}"; there are ${Object.keys(scenarios).join(', ')}`);

const profile = values.profile === undefined ? undefined : resolve(values.profile);

const controller = new AbortController();
process.once('SIGINT', () => controller.abort(new Error('interrupted')));
process.once('SIGTERM', () => controller.abort(new Error('interrupted')));
setTimeout(() => controller.abort(new Error('the run took too long')), longestRun(chosen)).unref();

const directory = await mkdtemp(join(tmpdir(), 'flotilla-bench-'));
const rows = [];
try {
  // A profile can be read only beside the program that it is of.
  const { program, parts } = await bundleSources(profile ?? directory);
  for (const name of chosen) {
    console.error(`${name} …`);
    rows.push(...(await scenarios[name]({ directory, program, parts, profile, signal: controller.signal })));
  }
} finally {
  await rm(directory, { recursive: true, force: true });
  if (rows.length > 0) printTable(rows);
  printMachine();
}
