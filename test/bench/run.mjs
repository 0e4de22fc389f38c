// Requires Linux (/proc). `npm run bench -- --help` prints what it measures, and its options.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findKubeApiserver } from '../harness/kube-apiserver.mjs';
import { startLoadClient } from './client/start-load-client.mjs';
import { loadInterface } from './interface-parts.mjs';
import { describeMachine } from './machine.mjs';
import { performancePage } from './performance-page.mjs';
import { readOptions } from './read-options.mjs';
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

/**
 * The scenarios in the order of execution. Scenarios that share objects follow each other; the scenario that deletes
 * the objects is last.
 */
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
/** This scenario has its own sides, so it runs alone. */
const separateScenarios = { replicas };
/** The maximum duration of the run, even if something hangs. */
const longestMinutes = 60;

const allScenarios = { ...scenarios, ...separateScenarios };
const options = readOptions({
  scenarios: Object.keys(scenarios),
  separateScenarios: Object.keys(separateScenarios),
  sides: ['ours', 'theirs'],
  separateSides: replicatedSideNames,
});
const { scale, chosen, only } = options;
const hasReplicas = chosen.includes('replicas');
const folderFor = (path) => {
  if (path === undefined) return undefined;
  mkdirSync(path, { recursive: true });
  return resolve(path);
};
const profiles = { time: folderFor(options.profile), allocations: folderFor(options['heap-prof']) };
const out = folderFor(options.out);

const controller = new AbortController();
process.once('SIGINT', () => controller.abort(new Error('interrupted')));
process.once('SIGTERM', () => controller.abort(new Error('interrupted')));
setTimeout(() => controller.abort(new Error('the run took too long')), longestMinutes * 60_000).unref();
const { signal } = controller;

const directory = mkdtempSync(join(resolve(options.data), 'flotilla-bench-'));
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

/** Returns the command line without folders, which are irrelevant to the measurement. */
function commandLine() {
  const words = [
    ...(only === undefined ? [] : [`--only ${only}`]),
    ...(scale === 1 ? [] : [`--scale ${scale}`]),
    ...(chosen.length === Object.keys(scenarios).length ? [] : chosen),
  ];
  return ['npm run bench', ...(words.length === 0 ? [] : ['--', ...words])].join(' ');
}

async function sides() {
  const parts = await loadInterface();
  // The number of keys includes the keys of the load and the admin's own keys.
  const sideOptions = { parts, mostKeys: sizesAt(scale).keys + sizesAt(scale).manyKeys + 1000, load, signal };
  const inspect = profiles.time !== undefined || profiles.allocations !== undefined;
  if (hasReplicas) return await replicatedSides({ ...sideOptions, inspect });
  const chosenSides = [];
  if (only !== 'theirs') chosenSides.push(ours({ ...sideOptions, inspect }));
  const programs = only === 'ours' ? undefined : findKubeApiserver();
  if (programs !== undefined) chosenSides.push(theirs({ ...sideOptions, programs }));
  else if (only !== 'ours') console.error('kube-apiserver and etcd are not here; nothing to compare with');
  return chosenSides;
}

async function replicatedSides(sideOptions) {
  const programs = findKubeApiserver();
  if (programs === undefined) throw new Error('kube-apiserver and etcd are not here; test/tools/build.sh builds them');
  const started = await startReplicatedSides({ ...sideOptions, mostKeys: 1000, programs, directory, only });
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
      // Waits for all sides. A side that is still running would pause a server that is about to stop.
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
