// Requires Linux (/proc).
// npm run bench [-- options] [scenario …]: measures the speed and size of the built server on this machine and, if
// kube-apiserver and etcd are available, compares them.
//   --only ours|theirs   one side alone; the scenario "replicas" has more: embedded, replicas-1, replicas-2, replicas-3
//   --scale 0.1          a tenth of everything
//   --out DIR            leaves result.json and result.md there
//   --data DIR           the folder for the servers' data during the measurement; defaults to the temporary folder
//   --profile DIR        a CPU profile of our server for each operation; top-costs.mjs summarizes one
//   --heap-prof DIR      an allocation profile of our server for each operation
// The scenario "replicas" compares ways to store objects: embedded, by one to three replicas over an etcd of three
// members, and by kube-apiserver over the same etcd. It runs only if it is named, and alone.
// node test/bench/write-page.mjs writes docs/reference/performance.md from the results.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findKubeApiserver } from '../harness/kube-apiserver.mjs';
import { startLoadClient } from './client/start-load-client.mjs';
import { loadInterface } from './interface-parts.mjs';
import { describeMachine } from './machine.mjs';
import { performancePage } from './performance-page.mjs';
import { replicasPage } from './replicas-page.mjs';
import { accessKeys } from './scenarios/access-keys.mjs';
import { busyPlanes } from './scenarios/busy-planes.mjs';
import { churn } from './scenarios/churn.mjs';
import { webConsole } from './scenarios/console.mjs';
import { creates } from './scenarios/creates.mjs';
import { deletes } from './scenarios/deletes.mjs';
import { direct } from './scenarios/direct.mjs';
import { fairness } from './scenarios/fairness.mjs';
import { gateway } from './scenarios/gateway.mjs';
import { gets } from './scenarios/gets.mjs';
import { idleAgents } from './scenarios/idle-agents.mjs';
import { instances } from './scenarios/instances.mjs';
import { large } from './scenarios/large.mjs';
import { lists } from './scenarios/lists.mjs';
import { patches } from './scenarios/patches.mjs';
import { planes } from './scenarios/planes.mjs';
import { replicas } from './scenarios/replicas.mjs';
import { spaces } from './scenarios/spaces.mjs';
import { start } from './scenarios/start.mjs';
import { tunnel } from './scenarios/tunnel.mjs';
import { watchers } from './scenarios/watchers.mjs';
import { Session } from './session.mjs';
import { ours } from './sides/ours.mjs';
import { replicatedSideNames, startReplicatedSides } from './sides/replicated-sides.mjs';
import { theirs } from './sides/theirs.mjs';
import { sizesAt } from './sizes.mjs';
import { Turns } from './turns.mjs';

/** In the order of execution: scenarios that share objects follow each other, the one that deletes them is last. */
const scenarios = {
  start,
  creates,
  gets,
  lists,
  patches,
  churn,
  watchers,
  deletes,
  accessKeys,
  fairness,
  large,
  planes,
  busyPlanes,
  instances,
  spaces,
  gateway,
  direct,
  tunnel,
  idleAgents,
  console: webConsole,
};
/** Has sides of its own, so it runs alone. */
const separateScenarios = { replicas };
/** The run ends after this time even if something hangs. */
const longestMinutes = 60;

const { values, positionals } = parseArgs({
  options: {
    only: { type: 'string' },
    scale: { type: 'string', default: '1' },
    out: { type: 'string' },
    data: { type: 'string', default: tmpdir() },
    profile: { type: 'string' },
    'heap-prof': { type: 'string' },
  },
  allowPositionals: true,
});
const allScenarios = { ...scenarios, ...separateScenarios };
const unknown = positionals.find((name) => !Object.hasOwn(allScenarios, name));
if (unknown !== undefined) {
  throw new Error(`no scenario "${unknown}"; there are ${Object.keys(allScenarios).join(', ')}`);
}
const hasReplicas = positionals.includes('replicas');
if (hasReplicas && positionals.length > 1)
  throw new Error('the scenario "replicas" runs alone; run the others after it');
const scale = Number(values.scale);
if (!(scale > 0 && scale <= 1)) throw new Error('--scale is a number above 0 and up to 1');
const sideNames = ['ours', 'theirs', ...(hasReplicas ? replicatedSideNames : [])];
if (values.only !== undefined && !sideNames.includes(values.only)) {
  throw new Error(`no side "${values.only}"; there are ${[...new Set(sideNames)].join(', ')}`);
}

const chosen = positionals.length === 0 ? Object.keys(scenarios) : inOrder(positionals);
const folderFor = (path) => {
  if (path === undefined) return undefined;
  mkdirSync(path, { recursive: true });
  return resolve(path);
};
const profiles = { time: folderFor(values.profile), allocations: folderFor(values['heap-prof']) };
const out = folderFor(values.out);

const controller = new AbortController();
process.once('SIGINT', () => controller.abort(new Error('interrupted')));
process.once('SIGTERM', () => controller.abort(new Error('interrupted')));
setTimeout(() => controller.abort(new Error('the run took too long')), longestMinutes * 60_000).unref();
const { signal } = controller;

const directory = mkdtempSync(join(resolve(values.data), 'flotilla-bench-'));
const load = startLoadClient(signal);
const result = {
  date: new Date().toISOString(),
  command: commandLine(),
  scale,
  machine: describeMachine(directory),
  sides: {},
  rows: [],
  failures: [],
};
let etcd;
try {
  await measure(await sides());
} finally {
  await load.stop();
  await etcd?.stop();
  rmSync(directory, { recursive: true, force: true });
  result.seconds = Math.round((Date.now() - Date.parse(result.date)) / 1000);
  report();
}

function inOrder(names) {
  return Object.keys(allScenarios).filter((name) => names.includes(name));
}

/** The command line without folders, which are irrelevant to the measurement. */
function commandLine() {
  const options = ['only', 'scale'].flatMap((name) =>
    values[name] === undefined || values[name] === '1' ? [] : [`--${name} ${values[name]}`],
  );
  const words = [...options, ...positionals];
  return ['npm run bench', ...(words.length === 0 ? [] : ['--', ...words])].join(' ');
}

async function sides() {
  const parts = await loadInterface();
  // The keys of the load and the admin's own.
  const options = { parts, mostKeys: sizesAt(scale).keys + sizesAt(scale).manyKeys + 1000, load, signal };
  const inspect = profiles.time !== undefined || profiles.allocations !== undefined;
  if (hasReplicas) return await replicatedSides({ ...options, inspect });
  const chosenSides = [];
  if (values.only !== 'theirs') chosenSides.push(ours({ ...options, inspect }));
  const programs = values.only === 'ours' ? undefined : findKubeApiserver();
  if (programs !== undefined) chosenSides.push(theirs({ ...options, programs }));
  else if (values.only !== 'ours') console.error('kube-apiserver and etcd are not here; nothing to compare with');
  return chosenSides;
}

async function replicatedSides(options) {
  const programs = findKubeApiserver();
  if (programs === undefined) throw new Error('kube-apiserver and etcd are not here; test/tools/build.sh builds them');
  const started = await startReplicatedSides({ ...options, mostKeys: 1000, programs, directory, only: values.only });
  etcd = started.etcd;
  result.etcd = { version: etcd.version, members: etcd.pids.length };
  return started.sides;
}

async function measure(all) {
  const turns = all.length > 1 ? new Turns() : undefined;
  const sessions = all.map((side) => {
    result.sides[side.name] = side.title;
    return { side, session: new Session({ side, load, directory, sizes: sizesAt(scale), signal, profiles, turns }) };
  });
  try {
    for (const name of chosen) {
      // Waits for all sides: a side that is still running would pause a server that is about to stop.
      const ends = await Promise.allSettled(sessions.map(({ side, session }) => scenario(name, side, session)));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    }
  } finally {
    for (const { side, session } of sessions) {
      await session.stop();
      rmSync(join(directory, side.name), { recursive: true, force: true });
    }
  }
}

async function scenario(name, side, session) {
  await session.inTurn(async () => {
    console.error(`${side.title}, ${name}`);
    await allScenarios[name](session).catch((error) => failed(side, name, error));
    collect(side, session.rows.splice(0), name);
  });
}

/** Records a failure. The other scenarios still run, unless the run itself was aborted. */
function failed(side, scenario, error) {
  signal.throwIfAborted();
  console.error(error);
  result.failures.push({ side: side.name, scenario, message: error.message.split('\n')[0] });
  process.exitCode = 1;
}

function collect(side, rows, scenario) {
  for (const { id, operation, figures } of rows) {
    let row = result.rows.find((each) => each.id === id);
    if (row === undefined) {
      row = { scenario, id, operation };
      result.rows.push(row);
    }
    row[side.name] = figures;
  }
}

function report() {
  if (result.rows.length === 0) return;
  const text = hasReplicas ? replicasPage(result) : performancePage(result);
  console.log(text);
  if (out === undefined) return;
  writeFileSync(join(out, 'result.json'), `${JSON.stringify(result, undefined, 2)}\n`);
  writeFileSync(join(out, 'result.md'), text);
}
