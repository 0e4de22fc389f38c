import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BenchResult } from '../bench/performance-page.mjs';
import { chromiumMissing } from '../harness/chromium.ts';
import { findKubeApiserver } from '../harness/kube-apiserver.mjs';

const program = fileURLToPath(new URL('../bench/run.mjs', import.meta.url));

describe('the benchmark at a scale of 1 %, against this server alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-bench-'));
  let result: BenchResult;

  beforeAll(async () => {
    const args = [program, '--scale', '0.01', '--only', 'ours', '--out', folder, '--data', folder];
    await promisify(execFile)(process.execPath, args);
    result = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8'));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
      // Requires a cluster to connect.
      ...(findKubeApiserver() === undefined ? [] : ['gateway']),
      'direct',
      // Requires a browser.
      ...(chromiumMissing === undefined ? ['console'] : []),
    ]);
    for (const { id, operation, ours } of result.rows) {
      expect(operation, id).not.toBe('');
      for (const [figure, value] of Object.entries(ours ?? {}))
        expect(value, `${id} ${figure}`).toEqual(expect.any(Number));
    }
    expect(readFileSync(join(folder, 'result.md'), 'utf8')).toContain('# Performance');
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
