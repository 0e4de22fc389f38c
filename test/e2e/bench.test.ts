import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import type { BenchResult } from '../bench/performance-page.mjs';
import type { ReplicasResult } from '../bench/replicas-page.mjs';
import { chromium } from '../harness/browsers.ts';
import { findKubeApiserver } from '../harness/kube-apiserver.mjs';

const program = fileURLToPath(new URL('../bench/run.mjs', import.meta.url));

/** Runs the benchmark at a scale of 1 %. Returns its result and the page that it writes. */
async function runBenchmark(args: readonly string[]): Promise<{ readonly result: unknown; readonly page: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-bench-'));
  try {
    const all = [program, '--scale', '0.01', '--out', folder, '--data', folder, ...args];
    await promisify(execFile)(process.execPath, all);
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    return { result: JSON.parse(read('result.json')), page: read('result.md') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('the benchmark at a scale of 1 %, against this server alone', () => {
  let result: BenchResult;
  let page: string;

  beforeAll(async () => {
    const run = await runBenchmark(['--only', 'ours']);
    result = run.result as BenchResult;
    page = run.page;
  });

  it('measures every scenario and writes a page beside its figures', () => {
    expect([...new Set(result.rows.map(({ scenario }) => scenario))]).toEqual([
      'start',
      'creates',
      'gets',
      'lists',
      'patches',
      'churn',
      'watchers',
      'deletes',
      'accessKeys',
      'fairness',
      'large',
      'planes',
      'busyPlanes',
      'instances',
      'spaces',
      // `gateway` requires a cluster to connect.
      ...(findKubeApiserver() === undefined ? [] : ['gateway']),
      'direct',
      'tunnel',
      'idleAgents',
      // `console` requires a browser.
      ...(chromium.missing === undefined ? ['console'] : []),
    ]);
    for (const { id, operation, ours } of result.rows) {
      expect(operation, id).not.toBe('');
      for (const [figure, value] of Object.entries(ours ?? {}))
        expect(value, `${id} ${figure}`).toEqual(expect.any(Number));
    }
    expect(page).toContain('# Performance');
  });

  it('delivers every event to every watch', () => {
    const events = result.rows.filter(({ ours }) => ours?.delivered !== undefined);
    expect(events.map(({ id, ours }) => [id, ours?.delivered])).toEqual([
      ['churn-events', 100],
      ['paced-events', 100],
      ['watchers', 100],
    ]);
  });
});

describe.skipIf(findKubeApiserver() === undefined)('the scenario "replicas" at a scale of 1 %', () => {
  const sides = ['embedded', 'replicas-1', 'replicas-2', 'replicas-3', 'theirs'] as const;
  let result: ReplicasResult;
  let page: string;

  beforeAll(async () => {
    const run = await runBenchmark(['replicas']);
    result = run.result as ReplicasResult;
    page = run.page;
  });

  it('measures each operation on every side and writes a page beside its figures', () => {
    expect(Object.keys(result.sides)).toEqual(sides);
    expect(result.rows.map(({ id }) => id)).toEqual([
      ...['create-1', 'create-10', 'create-64', 'merge-10'],
      ...['get-1', 'cached-get-1', 'get-10', 'cached-get-10', 'list', 'cached-list', 'watch', 'idle'],
    ]);
    for (const { id, ...row } of result.rows) {
      for (const side of sides) {
        expect(row[side]?.serverCpu, `${id} ${side}`).toEqual(expect.any(Number));
        if (side !== 'embedded') expect(row[side]?.etcdCpu, `${id} ${side}`).toEqual(expect.any(Number));
      }
    }
    expect(page).toContain('# Performance of several replicas');
  });

  it('delivers every event to every watch', () => {
    const watch = result.rows.find(({ id }) => id === 'watch');
    expect(sides.map((side) => watch?.[side]?.delivered)).toEqual(sides.map(() => 100));
  });
});

describe('the command line of the benchmark', () => {
  const run = async (...args: string[]) => await promisify(execFile)(process.execPath, [program, ...args]);

  it('prints its options and scenarios', async () => {
    const { stdout } = await run('--help');
    expect(stdout).toMatch(/--scale 0\.1 +a tenth of everything/);
    expect(stdout).toContain('Scenarios: start, creates, gets');
  });

  it.each([
    [['nope'], 'no scenario "nope"; there are start, creates'],
    [['--bad'], "Unknown option '--bad'\n"],
    [['--scale', '2'], '--scale is a number above 0 and up to 1'],
    [['--only', 'us'], 'no side "us"; there are ours, theirs'],
    [['gets', 'replicas'], 'the scenario "replicas" runs alone'],
  ])('with %j is refused without a stack trace', async (args, message) => {
    const refused = await run(...args).catch((error: { code: number; stderr: string }) => error);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
    expect(refused.stderr).not.toContain('    at ');
  });
});
