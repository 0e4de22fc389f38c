import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { freePorts } from '../harness/start-program.mjs';

const program = new URL('../../bin/flotilla.js', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'flotilla-start-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs `flotilla start`, which is expected to fail. Returns its exit code and output. */
function start(...flags: string[]): { readonly code: number | null; readonly output: string } {
  const args = [program, 'start', '--data-dir', join(folder, 'data'), '--listen', '127.0.0.1:0', ...flags];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 30_000 });
  return { code: status, output: stdout + stderr };
}

it('a start without etcd at the address ends with one line and exit code 1, and leaves no files', async () => {
  const [port] = await freePorts(1);
  for (const address of [`http://127.0.0.1:${port}`, `https://127.0.0.1:${port}`]) {
    expect(start('--store', address)).toEqual({
      code: 1,
      output: `flotilla: cannot open the store at ${address}: connect ECONNREFUSED 127.0.0.1:${port}; check that etcd runs at these addresses\n`,
    });
  }
  expect(start('--store', 'http://etcd-1:2379')).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^flotilla: --store: .* accepted for loopback addresses only; use https:.*\n$/),
  });
  expect(existsSync(join(folder, 'data')) ? readdirSync(join(folder, 'data')) : []).toEqual([]);
});
