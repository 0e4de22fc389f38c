import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const project = process.argv[process.argv.indexOf('--project') + 1] ?? 'all';
/** Some suites run several times; each run has a report of its own. */
const mode = [
  process.env.FLOTILLA_FAST_PATHS === 'off' ? '-plain' : '',
  process.env.FLOTILLA_TEST_STORE === 'etcd' ? '-on-etcd' : '',
  process.env.FLOTILLA_TEST_ETCD_PROGRAM === undefined ? '' : `-${process.env.FLOTILLA_TEST_ETCD_PROGRAM}`,
].join('');
const reports = process.env['FLOTILLA_TEST_REPORTS'];

/** Suites that measure latency. They run alone on the machine. */
const quiet = [
  'test/bad-days/{bad-input,greedy-key,hostile-tenant,hostile-tenant-unmetered,idle-watches,slow-webhook,watch-storm}.slow.test.ts',
  'test/kubernetes/gateway-time.test.ts',
];
/** Suites that measure for some seconds and then wait about a minute for a client to be disconnected. */
const patient = ['test/bad-days/{never-reader,slow-clients}.slow.test.ts'];
/** Change the network of the machine. A browser that runs concurrently would abort its requests. */
const networkChanges = [
  'test/e2e/agent-{network,tunnel,tunnel-boxes}.test.ts',
  'test/kubernetes/tunnel-network.test.ts',
];
/**
 * Suites that run for minutes: they look for what grows, run under emulation, or damage a store at every place.
 * `npm run test:long` runs them.
 */
const long = [
  'test/instances/cycles.slow.test.ts',
  'test/planes/{churn,isolation}.slow.test.ts',
  'test/package/arm64-archive.slow.test.ts',
  'test/bad-days/{flipped-bits,torn-write}.slow.test.ts',
];
/** Suites that kill and restart programs repeatedly. */
const crash = ['src/**/*crash.slow.test.ts', 'test/**/*crash.slow.test.ts'];
/** Clients that write for FLOTILLA_CHURN_SECONDS. With too little CPU time, they do not meet the races that they test. */
const churn = ['test/e2e/client-{go,node-churn}.test.ts'];
/** A short run of the benchmark. The suite does not evaluate its figures. */
const bench = 'test/e2e/bench.test.ts';

export default defineConfig({
  test: {
    isolate: false,
    // CI repeats a failed test once and lists it by name if it then passes.
    retry: Number(process.env.FLOTILLA_TEST_RETRIES ?? 0),
    globalSetup: 'test/harness/etcd/start-worker-etcd.ts',
    // The default of one second is too short next to other suites.
    expect: { poll: { timeout: 20_000 } },
    setupFiles: [
      'test/harness/property-seed.ts',
      'test/harness/plain-paths.ts',
      'test/harness/etcd/close-test-stores.ts',
    ],
    reporters:
      reports === undefined ? ['default'] : ['default', ['json', { outputFile: `${reports}/${project}${mode}.json` }]],
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['{packages,src,test,web}/**/*.test.ts'],
          exclude: [
            '**/*.{slow,etcd,replicas}.test.ts',
            'test/{e2e,console,kubernetes,cluster,node,tools,conformance/upstream}/**',
          ],
          testTimeout: 30_000,
          hookTimeout: 30_000,
          // At least two workers, so that both cores of a two-core machine are used.
          maxWorkers: Math.max(2, availableParallelism() - 1),
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: ['{packages,src,test}/**/*.slow.test.ts'],
          exclude: [...quiet, ...patient, ...crash, ...long],
          testTimeout: 900_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: long,
          testTimeout: 900_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'crash',
          include: crash,
          testTimeout: 900_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'patient',
          include: patient,
          testTimeout: 900_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'quiet',
          include: [...quiet, ...networkChanges],
          testTimeout: 900_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude: [bench, ...networkChanges, ...churn],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Each test runs programs that wait for each other.
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'churn',
          include: churn,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: {
          name: 'bench',
          include: [bench],
          testTimeout: 120_000,
          hookTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'console',
          include: ['test/console/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Each test runs a browser and a server, which wait for each other.
          maxWorkers: 3,
        },
      },
      {
        extends: true,
        test: {
          name: 'etcd',
          include: ['src/**/*.etcd.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'replicas',
          include: ['test/replicas/**/*.replicas.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'kubernetes',
          include: ['test/kubernetes/**/*.test.ts'],
          exclude: [...quiet, ...networkChanges],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Tests mostly wait for other programs. More workers would only slow these programs down.
          maxWorkers: 3,
        },
      },
      {
        extends: true,
        test: {
          name: 'tools',
          include: ['test/tools/walks/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'conformance',
          include: ['test/conformance/upstream/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'cluster',
          include: ['test/cluster/**/*.test.ts'],
          testTimeout: 900_000,
          hookTimeout: 900_000,
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'node',
          include: ['test/node/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'node-outside',
          include: ['test/node/outside/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
