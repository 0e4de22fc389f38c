import { page, paragraph, table } from '../../scripts/docs/markdown.mjs';
import { circumstances } from './circumstances.mjs';
import { figures, timesBetter } from './figures.mjs';
import { written, writtenTimes } from './result-table.mjs';

export const replicasHeading = '## Several replicas over etcd';

/** The sides that consist of replicas, and the name of each in a table. */
const replicaSides = { 'replicas-1': '1 replica', 'replicas-2': '2 replicas', 'replicas-3': '3 replicas' };

/**
 * The relative targets: factors over another side of the same run. A read that accepts any state needs nothing from
 * etcd, so it must cost as much as with the embedded store. A difference of a tenth is the noise of the measurement.
 */
const goals = [
  { id: 'create-10', figure: 'serverCpu', than: 'theirs', goal: 3 },
  { id: 'merge-10', figure: 'serverCpu', than: 'theirs', goal: 3 },
  { id: 'cached-get-10', figure: 'serverCpu', than: 'embedded', goal: 0.9 },
  { id: 'cached-list', figure: 'serverCpu', than: 'embedded', goal: 0.9 },
];

/** Pairs of reads: reads that ask etcd for the current revision, and the same reads without this request. */
const questions = [
  ['get-1', 'cached-get-1'],
  ['get-10', 'cached-get-10'],
  ['list', 'cached-list'],
];

/** The page of a result of the scenario `replicas`, beside its JSON. */
export function replicasPage(result) {
  return page('# Performance of several replicas', blocks(result, '##'));
}

/** The section of the performance page about a result of the scenario `replicas`. */
export function replicasSection(result) {
  return page(replicasHeading, blocks(result, '###'));
}

function blocks(result, level) {
  const { rows, sides, etcd, failures = [] } = result;
  const all = [
    paragraph(
      'Flotilla with the embedded store, one to three replicas over an etcd of three members, and kube-apiserver over the same',
      'etcd. Two cores run the load, all servers and etcd, so the rates do not show how replicas scale; compare the CPU time per',
      'operation. `npm run bench replicas` measures this section.',
    ),
    circumstances(
      result,
      [...(sides.theirs === undefined ? [] : [sides.theirs]), `etcd ${etcd.version}`],
      [
        [
          'etcd',
          `${etcd.members} members on loopback addresses, without TLS, with fsync, used by all sides but the embedded store`,
        ],
        [
          'all sides',
          'custom objects of 1.8 kB, TLS, HTTP/2, audit of writes (metadata), the client on the same cores',
        ],
        [
          'alternation',
          'each operation runs on one side after the other; the other servers run without requests meanwhile',
        ],
      ],
    ),
    goalsBlock(rows, sides, level),
    questionsBlock(rows, sides, level),
    `${level} Each operation`,
    paragraph(
      'Clients use the replicas in turn; the watches are at other replicas than the writer. CPU: milliseconds of CPU time per',
      'operation, as the sum of all replicas, of the three members of etcd, and of the client. For a watch, the time is per',
      'event, and the lag of an event (p50, p99) starts when its write is sent. Per second: for lists, objects. Disk: in the',
      'database of each member of etcd. Without',
      'requests, the time is per second, and that of etcd is caused by all servers together. "Any state" means',
      '`resourceVersion=0`: the server may respond from its cache without a question to etcd.',
    ),
    rows.flatMap((row) => operationBlock(row, sides, `${level}#`)),
    failures.length === 0
      ? undefined
      : failures.map(({ side, message }) => `- ${sides[side]}: failed: ${message}`).join('\n'),
  ];
  return all.flat();
}

const found = (rows, id) => rows.find((row) => row.id === id);

const measuredReplicas = (sides) => Object.keys(replicaSides).filter((side) => sides[side] !== undefined);

function goalsBlock(rows, sides, level) {
  const counts = measuredReplicas(sides);
  const lines = goals.flatMap(({ id, figure, than, goal }) => {
    const row = found(rows, id);
    if (row?.[than] === undefined || counts.length === 0) return [];
    const times = counts.map((side) => timesBetter(figure, row[side]?.[figure], row[than][figure]));
    const missed = counts.filter((_, at) => !(times[at] >= goal)).map((side) => replicaSides[side]);
    const operation = `${row.operation}: ${figures[figure].title}`;
    return [[operation, sides[than], writtenTimes(goal), ...times.map(writtenTimes), verdict(missed, counts)]];
  });
  if (lines.length === 0) return undefined;
  const heading = ['times better', 'than', 'target', ...counts.map((side) => replicaSides[side]), ''];
  return [`${level} Targets of replicas`, table(heading, lines)];
}

function verdict(missed, counts) {
  if (missed.length === 0) return 'reached';
  return missed.length === counts.length ? 'missed' : `missed with ${missed.join(' and ')}`;
}

function questionsBlock(rows, sides, level) {
  const asking = [...measuredReplicas(sides), ...(sides.theirs === undefined ? [] : ['theirs'])];
  const lines = questions.flatMap(([id, cachedId]) => {
    const [row, cached] = [found(rows, id), found(rows, cachedId)];
    if (row === undefined || cached === undefined) return [];
    return ['p50', 'serverCpu', 'etcdCpu'].map((figure) => [
      `${row.operation}: ${figures[figure].title}`,
      ...asking.map((side) => written(figure, row[side]?.[figure] - cached[side]?.[figure])),
    ]);
  });
  if (lines.length === 0) return undefined;
  return [
    `${level} The question to etcd`,
    paragraph(
      'A read waits until the cache has reached the current revision in etcd. Concurrent reads of one replica share the question.',
      'The table shows what the question adds to the same read of any state.',
    ),
    table(['added', ...asking.map((side) => replicaSides[side] ?? sides[side])], lines),
  ];
}

/** The figures of one operation, with a line for each side. */
function operationBlock(row, sides, level) {
  const measured = Object.keys(sides).filter((side) => row[side] !== undefined);
  const names = Object.keys(figures).filter((figure) => measured.some((side) => row[side][figure] !== undefined));
  const lines = measured.map((side) => [
    sides[side],
    ...names.map((figure) => (row[side][figure] === undefined ? '' : written(figure, row[side][figure]))),
    ...(row.theirs === undefined
      ? []
      : [writtenTimes(timesBetter('serverCpu', row[side].serverCpu, row.theirs.serverCpu))]),
  ]);
  const heading = ['', ...names.map((figure) => figures[figure].title)];
  if (row.theirs !== undefined) heading.push('server CPU, times better');
  return [`${level} ${capitalized(row.operation)}`, table(heading, lines)];
}

const capitalized = (text) => `${text[0].toUpperCase()}${text.slice(1)}`;
