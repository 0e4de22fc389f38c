import { code, page, paragraph, table } from '../../scripts/docs/markdown.mjs';
import { figures, median } from './figures.mjs';
import { losses, resultTable, written, writtenTimes } from './result-table.mjs';
import { goalsOf, limitsOf } from './targets.mjs';

const titles = {
  start: 'Start and idle memory',
  creates: 'Creates',
  gets: 'Gets',
  lists: 'Lists',
  patches: 'Patches',
  churn: 'Watches under churn',
  watchers: 'Many watchers',
  deletes: 'Deletes',
  accessKeys: 'Access keys',
  fairness: 'One key beside another',
  large: 'A large installation',
  planes: 'Virtual clusters',
  instances: 'The life of an instance',
  gateway: 'Into a connected cluster',
  direct: 'The direct endpoint',
  console: 'The web console',
};

const notes = {
  accessKeys:
    'Gets by turns at two servers, one that has two keys and one that has very many: the middle turn of ten, and how much ' +
    'more processor time the second server takes in the middle of them. A key is taken back by deleting it, and asked ' +
    'with until it is refused.',
  start:
    'From the start of the process until it says that it is ready, and the processor time until then; memory some ' +
    'seconds later.',
  creates: 'Each answered when it is flushed to disk.',
  lists:
    'Per second: objects, with a selector those that are looked at. Memory growth: by how much the server grew at most above what it held right before; the ' +
    'first row follows a fresh start.',
  churn:
    'Each object is created, patched twice and deleted. The lag of an event (p50, p99) counts from when its write was ' +
    'sent, so the durable write is part of it. Processor time is that of writes and events together, divided by the ' +
    'one or the other. As fast as they can: in five turns of a fifth of the objects, each after some that are not ' +
    'counted; the figures are those of the turn with the middle p99 of the lag, and delivered is the least of all.',
  watchers:
    'Each on its own connection. Lag as above; processor time per event; memory growth: what the open watches add.',
  fairness:
    'One key makes one request after the other, first alone (quiet) and then beside another key that does as much as it ' +
    'can (loaded). Per second: what the other key gets done.',
  large: 'Lists of all of it after a fresh start; figures as above.',
  planes:
    'Each is a Kubernetes API of its own on the built-in cluster. Those that nobody uses are counted after a fresh start, ' +
    'with what the management API takes; disk with their objects on the built-in cluster and all history. The last row: ' +
    'by how much the live heap of the server has grown from the second round to the last; its times are those from the creation to the ' +
    'first answer, ten at a time.',
  instances:
    'From the request until a watch shows it: Ready, with the roles of its users inside, or gone with everything that it ' +
    'had on its cluster. Instances are made one after the other by each client, and deleted all at once; memory is what ' +
    'the server held with all of them.',
  gateway:
    'The same get of a ConfigMap of 1.5 kB at a kube-apiserver, straight and through this server as the admin. The cluster and ' +
    'this server have a processor each. Processor time is that of all servers on the way, etcd among them; of the rate: ' +
    'what is left of that without the gateway.',
  direct:
    'The same get of a ConfigMap of 1.5 kB in a built-in cluster: that of the server itself, that of an agent asked straight ' +
    'with a direct token, and that of the agent through the server. Of the rate: what is left of the first.',
  console:
    'In Chromium, without a screen, on the same processors as the server. Nothing is in the cache; the session is there already.',
};

const verdict = (isReached) => (isReached ? 'reached' : 'missed');

/** The page of a result, as it stands in docs/reference and beside the result's JSON. */
export function performancePage(result) {
  const { rows, sides } = result;
  const scenarios = [...new Set(rows.map(({ scenario }) => scenario))];
  return page(
    '# Performance',
    paragraph(
      'Made by `npm run bench` from one measured run; `node test/bench/write-page.mjs <result.json>` writes this page.',
      'Figures of another machine are others: compare the ratios, and the processor time of an operation, which a busy',
      'machine blurs least.',
    ),
    circumstances(result),
    limitsBlock(rows),
    goalsBlock(rows, sides),
    '## Everything that was measured',
    paragraph(
      sides.theirs === undefined || sides.ours === undefined
        ? `Figures of ${sides.ours ?? sides.theirs}.`
        : `In each cell ${sides.ours} : ${sides.theirs}, and in brackets how many times better ${sides.ours} is; below 1 it is worse.`,
      'CPU: milliseconds of processor time for one operation, of the server (of both processes where there are two)',
      'and of the client that makes the load.',
    ),
    scenarios.flatMap((scenario) => {
      const { heading, lines } = resultTable(rows.filter((row) => row.scenario === scenario));
      return [`### ${titles[scenario]}`, notes[scenario] && paragraph(notes[scenario]), table(heading, lines)];
    }),
    lossesBlock(rows, sides),
    remarks(result),
  );
}

function circumstances({ date, command, scale, seconds, machine, sides, rows }) {
  return table(
    ['', ''],
    [
      ['when', `${date.slice(0, 16).replace('T', ' ')} UTC, in ${Math.round(seconds / 60)} minutes`],
      ['command', code(command)],
      ...(scale === 1 ? [] : [['scale', `${scale}: so much of everything, so targets are only hinted at`]]),
      ['measured', [`Flotilla ${machine.version} (${machine.commit})`, sides.theirs].filter(Boolean).join(', ')],
      ['machine', `${machine.cores} cores (${machine.processor}), ${machine.memoryMiB} MiB, ${machine.kernel}`],
      ...disturbance(rows, sides),
      ['disk', `${machine.fileSystem}; one write and fdatasync takes ${machine.syncMilliseconds.toFixed(2)} ms`],
      ['Node', machine.node],
      [
        'both sides',
        'custom objects of 1.8 kB, TLS, HTTP/2, audit of writes (metadata), fsync, the client on the same cores',
      ],
      ...(sides.theirs === undefined
        ? []
        : [['by turns', 'each operation at one, then at the other; who waits stands still']]),
    ],
  );
}

/** How much of the machine something else had meanwhile: on a busy one times say little. */
function disturbance(rows, sides) {
  const parts = Object.keys(sides).flatMap((side) => {
    const shares = rows.map((row) => row[side]?.disturbed).filter((share) => share !== undefined);
    return shares.length === 0 ? [] : [`${median(shares).toFixed(0)} % while ${sides[side]} was measured`];
  });
  return parts.length === 0 ? [] : [['other work', `of the cores other programs took ${parts.join(', ')} (median)`]];
}

function limitsBlock(rows) {
  const limits = limitsOf(rows);
  if (limits.length === 0) return undefined;
  const lines = limits.map(({ operation, figure, limit, measured, isReached }) => [
    `${operation}: ${figures[figure].title}`,
    `${figures[figure].more ? 'at least' : 'under'} ${written(figure, limit)}`,
    written(figure, measured),
    verdict(isReached),
  ]);
  return ['## What it is to reach on two cores', table(['', 'wanted', 'measured', ''], lines)];
}

function goalsBlock(rows, sides) {
  const goals = goalsOf(rows);
  if (goals.length === 0) return undefined;
  const lines = goals.map(({ operation, figure, goal, measured, isReached }) => [
    `${operation}: ${figures[figure].title}`,
    writtenTimes(goal),
    writtenTimes(measured),
    verdict(isReached),
  ]);
  return [`## Against ${sides.theirs}`, table(['how many times better', 'wanted', 'measured', ''], lines)];
}

function lossesBlock(rows, sides) {
  if (sides.ours === undefined || sides.theirs === undefined) return undefined;
  const lines = losses(rows).map(({ operation, figure, ours, theirs, times }) => [
    `${operation}: ${figures[figure].title}`,
    written(figure, ours),
    written(figure, theirs),
    writtenTimes(times),
  ]);
  const heading = '## Where it loses';
  if (lines.length === 0) return [heading, 'Nowhere in this run.'];
  return [heading, table(['', sides.ours, sides.theirs, 'times better'], lines)];
}

/** What no figure says: requests that were refused and sent again, watches that ended and were taken up again. */
function remarks({ rows, sides, failures = [], leftOut = [] }) {
  const refusals = rows.flatMap(({ operation, ...row }) =>
    ['ours', 'theirs'].flatMap((side) => [
      ...(row[side]?.refused > 0
        ? [`- ${sides[side]}, ${operation}: ${row[side].refused} were refused with 429 and sent again`]
        : []),
      ...(row[side]?.resumed > 0
        ? [`- ${sides[side]}, ${operation}: ${row[side].resumed} times a watch ended and was taken up again`]
        : []),
    ]),
  );
  const lines = [
    ...failures.map(({ side, scenario, message }) => `- ${sides[side]}, ${scenario}: failed: ${message}`),
    ...leftOut.map((reason) => `- left out: ${reason}`),
    ...refusals,
  ];
  return lines.length === 0 ? undefined : ['## Remarks', lines.join('\n')];
}
