import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const project = process.argv[process.argv.indexOf('--project') + 1] ?? 'all';
const reports = process.env['FLOTILLA_TEST_REPORTS'];

/** Those that measure how quickly something happens: they have the machine for themselves. */
const quiet = [
  'test/bad-days/{bad-input,greedy-key,idle-watches}.slow.test.ts',
  'test/kubernetes/gateway-time.test.ts',
];
/** The same, but that after some seconds of measuring they wait for a minute until somebody is sent away. */
const patient = ['test/bad-days/{never-reader,slow-clients}.slow.test.ts'];
/** Takes a cable out: a browser beside it would break off whatever it loads when the network of its machine changes. */
const cable = 'test/e2e/agent-network.test.ts';
/** Programs that are killed and started over and over. */
const crash = ['src/**/*crash.slow.test.ts', 'test/**/*crash.slow.test.ts'];
/** Clients that write for as long as FLOTILLA_CHURN_SECONDS says, and mostly wait for it to be over. */
const churn = ['test/e2e/client-{go,node-churn}.test.ts'];
/** The benchmark itself, whose figures nobody looks at then. */
const bench = 'test/e2e/bench.test.ts';

export default defineConfig({
  test: {
    isolate: false,
    setupFiles: ['test/harness/property-seed.ts'],
    reporters:
      reports === undefined ? ['default'] : ['default', ['json', { outputFile: `${reports}/${project}.json` }]],
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/**/*.test.ts'],
          exclude: ['**/*.slow.test.ts', 'test/{e2e,console,kubernetes,cluster}/**'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
          // Of two cores one would be idle otherwise.
          maxWorkers: Math.max(2, availableParallelism() - 1),
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: ['src/**/*.slow.test.ts', 'test/**/*.slow.test.ts'],
          exclude: [...quiet, ...patient, ...crash],
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
          include: [...quiet, cable],
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
          exclude: [bench, cable, ...churn],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
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
          sequence: { groupOrder: 1 },
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
          // A browser and a server each, which wait for each other.
          maxWorkers: 3,
        },
      },
      {
        extends: true,
        test: {
          name: 'kubernetes',
          include: ['test/kubernetes/**/*.test.ts'],
          exclude: quiet,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Each waits for programs for much of its time; more at once would only make those slower.
          maxWorkers: 3,
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
    ],
  },
});
