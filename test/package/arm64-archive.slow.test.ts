import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import description from '../../package.json' with { type: 'json' };
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { archiveNameOf, buildArchive } from '../harness/installation/built-archive.ts';

/** Runs programs for arm64 on this machine, with the C library of the package libc6-arm64-cross. */
const emulator = ['qemu-aarch64-static', '-L', '/usr/aarch64-linux-gnu'];

describe('the archive for arm64, under emulation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-arm64-'));
  const lib = join(folder, archiveNameOf('arm64'), 'lib');
  const node = join(lib, 'node');
  const program = join(lib, 'bin/flotilla.js');
  let server: FlotillaProcess | undefined;

  beforeAll(async () => {
    const release = await buildArchive('arm64');
    execFileSync('tar', ['xzf', join(release, `${archiveNameOf('arm64')}.tar.gz`), '-C', folder]);
    rmSync(release, { recursive: true });
  });
  afterAll(async () => {
    await server?.remove();
    rmSync(folder, { recursive: true });
  });

  it('starts a server that creates a virtual cluster on a worker thread', async () => {
    server = await startFlotilla({ commandPrefix: emulator, node, program });
    const environment = {
      ...process.env,
      HOME: folder,
      FLOTILLA_URL: server.url,
      FLOTILLA_ACCESS_KEY: server.adminKey,
      FLOTILLA_CA_FILE: join(server.dataDirectory, 'ca.crt'),
    };
    const [command = '', ...flags] = [...emulator, node, program];
    const run = async (...args: string[]) =>
      (await promisify(execFile)(command, [...flags, ...args], { env: environment })).stdout;
    expect(await run('version')).toContain(`server ${description.version} (${server.url}`);
    expect(await run('create', 'demo', '--wait')).toContain('virtual cluster "demo" created');
    expect(await run('list')).toMatch(/demo +Ready/);
    expect(await server.stop()).toBe(0);
  });
});
