import { defineConfig } from 'vitest/config';

const project = process.argv[process.argv.indexOf('--project') + 1] ?? 'all';
const reports = process.env['FLOTILLA_TEST_REPORTS'];

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
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['**/*.slow.test.ts', 'test/e2e/**'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: ['src/**/*.slow.test.ts', 'test/**/*.slow.test.ts'],
          testTimeout: 900_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
