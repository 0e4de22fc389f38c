import { code, page, paragraph, table } from '../../scripts/docs/markdown.mjs';
import { circumstances } from './circumstances.mjs';
import { figures } from './figures.mjs';
import { losses, resultTable, written, writtenTimes } from './result-table.mjs';
import { goalsOf, limitsOf } from './targets.mjs';

const titles = {
  start: 'Startup and idle memory',
  creates: 'Creates',
  gets: 'Gets',
  lists: 'Lists',
  patches: 'Patches',
  churn: 'Watches under churn',
  watchers: 'Many watchers',
  deletes: 'Deletes',
  accessKeys: 'Access keys',
  fairness: 'Fairness between access keys',
  large: 'A large installation',
  planes: 'Virtual clusters',
  busyPlanes: 'Busy virtual clusters',
  instances: 'Lifecycle of an instance',
  spaces: 'Lifecycle of a space',
  gateway: 'Gateway to a connected cluster',
  direct: 'Direct endpoint',
  tunnel: 'Tunnels of agents',
  idleAgents: 'Idle agents',
  console: 'Web console',
};

const notes = {
  accessKeys:
    'Two servers, one with two keys and one with very many, get the same requests alternately. The figures are those of the ' +
    'median of ten rounds; "slower" is the median of the additional CPU time of the second server. For a revocation, the ' +
    'key is deleted and used until it is refused.',
  start:
    'The time and the CPU time from the start of the process until it reports that it is ready, and the memory some ' +
    'seconds later.',
  creates: 'The server responds when the write is flushed to disk.',
  lists:
    'Per second: objects; with a selector, the objects that are evaluated. Memory growth: the peak memory of the server minus ' +
    'its memory right before. The first row is measured right after a start.',
  churn:
    'Each object is created, patched twice and deleted. The lag of an event (p50, p99) starts when its write is sent, so it ' +
    'includes the durable write. The CPU time is that of writes and events together, divided by the number of writes or of ' +
    'events. The unthrottled writers run in five rounds with a fifth of the objects each, after a warm-up that is not ' +
    'counted. The figures are those of the round with the median p99 of the lag, and "delivered" is the minimum of all rounds.',
  watchers:
    'Each watcher has its own connection. The lag is defined as above, the CPU time is per event, and the memory growth is ' +
    'the memory that the open watches add, with their connections.',
  fairness:
    'One key sends one request at a time, first alone (quiet) and then beside another key that sends as many requests as it ' +
    'can (loaded). Per second: the completed requests of the other key.',
  large: 'Lists of all objects right after a start. The figures are defined as above.',
  planes:
    'Each virtual cluster is a separate Kubernetes API on the built-in cluster. The memory of unused virtual clusters is ' +
    'measured right after a start and includes the management API. The disk space includes their objects on the built-in ' +
    'cluster and the whole history. The memory growth of the last row is the growth of the live heap from the second round ' +
    'to the last; its times run from the creation to the first response, with ten clients.',
  busyPlanes:
    'Eight virtual clusters with two clients each, which create, apply and read a ConfigMap of 1.5 kB and list a hundred as a ' +
    'Table, in turn. The times are per request. "Of the rate" is the rate relative to the first row.',
  instances:
    'The time from the request until a watch shows the instance as Ready, with the roles of its users inside, or as deleted ' +
    'with all of its objects on the cluster. Each client creates one instance at a time, and all instances are deleted at ' +
    'once. The memory is that of the server with all instances.',
  spaces:
    'As for instances. A space is Ready when its namespace exists on the built-in cluster with the roles of its users.',
  gateway:
    'The same get of a ConfigMap of 1.5 kB from a kube-apiserver, directly and through this server as the admin. The cluster ' +
    'and this server have one core each. The CPU time is that of all servers on the route, including etcd. "Of the rate" is ' +
    'the rate relative to the direct request.',
  direct:
    'The same get of a ConfigMap of 1.5 kB from three targets: the built-in cluster of the server, the built-in cluster of an ' +
    'agent with a direct token, and the latter through the server. "Of the rate" is the rate relative to the first target.',
  tunnel:
    'The same get of a ConfigMap of 1.5 kB at the agent, and through the server and the tunnel of the agent. One long response ' +
    'of an agent, at the agent, and through the server, which is connected to the agent or uses its tunnel; its CPU time is ' +
    'per MiB, and "of the rate" is the throughput relative to the row above. All ways are measured in turn, in five rounds. ' +
    'The figures are those of the median round. The agents share the cores with the server and the client.',
  idleAgents:
    'Agents of Kubernetes clusters without instances, all in one process. The memory growth is that of the resident memory of ' +
    'the server from before the agents connect.',
  console: 'In headless Chromium, on the same cores as the server, with an empty cache and an existing session.',
};

const alternation = [
  'alternation',
  'each operation runs on one side and then on the other, whose processes are stopped meanwhile',
];

function verdict(target, coldTarget) {
  if (!target.isReached) return 'missed';
  return coldTarget?.isReached === false ? 'missed when cold' : 'reached';
}

/**
 * Returns the performance page of a result. The page is written to docs/reference and beside the result's JSON. `cold`
 * is the result of a run at a small scale, in which the code is not compiled yet. The targets show the figures of
 * `cold` too.
 */
export function performancePage(result, cold) {
  const { rows, sides } = result;
  const scenarios = [...new Set(rows.map(({ scenario }) => scenario))];
  return page(
    '# Performance',
    paragraph(
      'The results of `npm run bench`. `node test/bench/write-page.mjs` writes this page. Absolute figures depend on the',
      'machine. Compare the ratios and the CPU time per operation, which other work on the machine affects least.',
    ),
    circumstances(result, sides.theirs === undefined ? [] : [sides.theirs], [
      [
        'both sides',
        'custom objects of 1.8 kB, TLS, HTTP/2, audit of writes (metadata), fsync, the client on the same cores',
      ],
      ...(sides.theirs === undefined ? [] : [alternation]),
    ]),
    cold &&
      paragraph(
        `The column "cold" is from ${code(cold.command)}: so few requests of each kind that most of the code runs before the`,
        'compiler has optimized it, as in a server that is used now and then.',
      ),
    limitsBlock(rows, cold?.rows),
    goalsBlock(rows, sides, cold?.rows),
    '## All measurements',
    paragraph(
      sides.theirs === undefined || sides.ours === undefined
        ? `Figures of ${sides.ours ?? sides.theirs}.`
        : `Each cell shows ${sides.ours} : ${sides.theirs}, followed by how many times better ${sides.ours} is; a factor below 1 is worse.`,
      'CPU: milliseconds of CPU time per operation, of the server (the sum of its processes) and of the client that generates',
      'the load.',
    ),
    scenarios.flatMap((scenario) => {
      const { heading, lines } = resultTable(rows.filter((row) => row.scenario === scenario));
      return [`### ${titles[scenario]}`, notes[scenario] && paragraph(notes[scenario]), table(heading, lines)];
    }),
    lossesBlock(rows, sides),
    remarks(result),
  );
}

function limitsBlock(rows, coldRows) {
  const limits = limitsOf(rows);
  if (limits.length === 0) return undefined;
  const coldLimits = new Map(limitsOf(coldRows ?? []).map((cold) => [targetKey(cold), cold]));
  const lines = limits.map((target) => {
    const { figure, limit, measured } = target;
    const cold = coldLimits.get(targetKey(target));
    return [
      `${target.operation}: ${figures[figure].title}`,
      `${figures[figure].more ? 'at least' : 'under'} ${written(figure, limit)}`,
      written(figure, measured),
      ...(coldRows === undefined ? [] : [written(figure, cold?.measured)]),
      verdict(target, target.isForColdRuns ? cold : undefined),
    ];
  });
  return ['## Targets on two cores', table(['', 'target', ...measuredHeadings(coldRows), ''], lines)];
}

function goalsBlock(rows, sides, coldRows) {
  const goals = goalsOf(rows);
  if (goals.length === 0) return undefined;
  const coldGoals = new Map(goalsOf(coldRows ?? [], 'coldGoal').map((cold) => [targetKey(cold), cold]));
  const lines = goals.map((target) => {
    const { figure, goal, measured } = target;
    const cold = coldGoals.get(targetKey(target));
    return [
      `${target.operation}: ${figures[figure].title}`,
      cold?.goal === undefined || cold.goal === goal
        ? writtenTimes(goal)
        : `${writtenTimes(goal)}, cold ${writtenTimes(cold.goal)}`,
      writtenTimes(measured),
      ...(coldRows === undefined ? [] : [writtenTimes(cold?.measured)]),
      verdict(target, cold),
    ];
  });
  return [
    `## Compared with ${sides.theirs}`,
    table(['times better', 'target', ...measuredHeadings(coldRows), ''], lines),
  ];
}

/**
 * Identifies a target in several results. The text of the operation cannot identify it, because it contains the sizes.
 */
const targetKey = ({ id, figure }) => `${id} ${figure}`;

const measuredHeadings = (coldRows) => (coldRows === undefined ? ['measured'] : ['warm', 'cold']);

function lossesBlock(rows, sides) {
  if (sides.ours === undefined || sides.theirs === undefined) return undefined;
  const lines = losses(rows).map(({ operation, figure, ours, theirs, times }) => [
    `${operation}: ${figures[figure].title}`,
    written(figure, ours),
    written(figure, theirs),
    writtenTimes(times),
  ]);
  const heading = '## Where Flotilla is worse';
  if (lines.length === 0) return [heading, 'In no figure of this run.'];
  return [heading, table(['', sides.ours, sides.theirs, 'times better'], lines)];
}

/** Facts without a figure: requests that were refused and retried, watches that ended and resumed. */
function remarks({ rows, sides, failures = [], leftOut = [] }) {
  const refusals = rows.flatMap(({ operation, ...row }) =>
    ['ours', 'theirs'].flatMap((side) => [
      ...(row[side]?.refused > 0
        ? [`- ${sides[side]}, ${operation}: ${row[side].refused} requests were refused with 429 and retried`]
        : []),
      ...(row[side]?.resumed > 0
        ? [`- ${sides[side]}, ${operation}: watches ended and resumed ${row[side].resumed} times`]
        : []),
    ]),
  );
  const lines = [
    ...failures.map(({ side, scenario, message }) => `- ${sides[side]}, ${scenario}: failed: ${message}`),
    ...leftOut.map((reason) => `- skipped: ${reason}`),
    ...refusals,
  ];
  return lines.length === 0 ? undefined : ['## Remarks', lines.join('\n')];
}
