import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';

const usage = `npm run bench [-- options] [scenario …]

Measures the speed and size of the built server on this machine and, if kube-apiserver and etcd are available, compares
them.

  --only ours|theirs   one side alone; the scenario "replicas" has more: embedded, replicas-1, replicas-2, replicas-3
  --scale 0.1          a tenth of everything
  --out DIR            leaves result.json and result.md there
  --data DIR           the folder for the servers' data during the measurement; defaults to the temporary folder
  --profile DIR        a CPU profile of our server for each operation; top-costs.mjs summarizes one
  --heap-prof DIR      an allocation profile of our server for each operation
  --help               prints this text

The scenario "replicas" compares ways to store objects: embedded, by one to three replicas over an etcd of three
members, and by kube-apiserver over the same etcd. It runs only if it is named, and alone.

node test/bench/write-page.mjs writes docs/reference/performance.md from the results.
`;

/**
 * Reads the command line. `--only` accepts the names in `sides`; for the separate scenarios, it accepts more names. If
 * requested, prints the usage and exits. If the command line is not valid, prints the reason and exits.
 */
export function readOptions({ scenarios, separateScenarios, sides, separateSides }) {
  const names = [...scenarios, ...separateScenarios];
  const parsed = parse();
  const { values, positionals } = parsed;
  if (values.help) {
    process.stdout.write(`${usage}\nScenarios: ${names.join(', ')}\n`);
    process.exit(0);
  }
  const unknown = positionals.find((name) => !names.includes(name));
  if (unknown !== undefined) fail(`no scenario "${unknown}"; there are ${names.join(', ')}`);
  const separate = positionals.find((name) => separateScenarios.includes(name));
  if (separate !== undefined && positionals.length > 1) {
    fail(`the scenario "${separate}" runs alone; run the others after it`);
  }
  const scale = Number(values.scale);
  if (!(scale > 0 && scale <= 1)) fail('--scale is a number above 0 and up to 1');
  const sideNames = separate === undefined ? sides : [...new Set([...sides, ...separateSides])];
  if (values.only !== undefined && !sideNames.includes(values.only)) {
    fail(`no side "${values.only}"; there are ${sideNames.join(', ')}`);
  }
  return {
    ...values,
    scale,
    chosen: positionals.length === 0 ? scenarios : names.filter((name) => positionals.includes(name)),
  };
}

function parse() {
  try {
    return parseArgs({
      options: {
        only: { type: 'string' },
        scale: { type: 'string', default: '1' },
        out: { type: 'string' },
        data: { type: 'string', default: tmpdir() },
        profile: { type: 'string' },
        'heap-prof': { type: 'string' },
        help: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
  } catch (error) {
    // Shows only the first sentence. The rest of the message is about arguments, which no scenario has.
    return fail(error.message.split('. ')[0]);
  }
}

function fail(message) {
  process.stderr.write(`${message}\nnpm run bench -- --help prints the options.\n`);
  process.exit(1);
}
