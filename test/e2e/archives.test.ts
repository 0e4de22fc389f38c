import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import description from '../../package.json' with { type: 'json' };
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { archiveName, buildArchive, builtArchive } from '../harness/installation/built-archive.ts';

describe('the archive for this machine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-archive-'));
  const unpacked = join(folder, 'unpacked');
  const tools = join(folder, 'tools');
  let release: string;
  let server: FlotillaProcess | undefined;

  /** Runs a program of the archive on a machine that has a shell, but no Node. */
  function run(program: string, args: readonly string[], input = '') {
    const env = { PATH: tools, HOME: folder };
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, env, input, encoding: 'utf8' });
    return { status, stdout, stderr };
  }

  beforeAll(async () => {
    release = await builtArchive();
    for (const name of [unpacked, tools]) mkdirSync(name);
    // The launcher script needs these programs to resolve symbolic links.
    for (const name of ['dirname', 'readlink']) symlinkSync(`/usr/bin/${name}`, join(tools, name));
    execFileSync('tar', ['xzf', join(release, `${archiveName}.tar.gz`), '-C', unpacked]);
  });
  afterAll(async () => {
    await server?.remove();
    rmSync(folder, { recursive: true });
  });

  it('has the same bytes in each run, and a correct checksum', async () => {
    const sums = readFileSync(join(release, 'SHA256SUMS'), 'utf8');
    expect(sums).toContain(`  ${archiveName}.tar.gz\n`);
    execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: release });
    const again = await buildArchive();
    expect(readFileSync(join(again, 'SHA256SUMS'), 'utf8')).toBe(sums);
    rmSync(again, { recursive: true });
  });

  it('contains the licenses, and its list of components names Node', () => {
    for (const name of ['LICENSE', 'lib/node.LICENSE', 'lib/dist/web/index.html', 'systemd/flotilla.service'])
      expect(existsSync(join(unpacked, archiveName, name))).toBe(true);
    const { components } = JSON.parse(readFileSync(join(release, `${archiveName}.sbom.json`), 'utf8'));
    const names = components.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['node', 'classic-level', 'commander', 'react']));
  });

  it('runs without Node on PATH, also through links', () => {
    const program = join(unpacked, archiveName, 'flotilla');
    const printed = { status: 0, stdout: `flotilla ${description.version}\n`, stderr: '' };
    expect(run(program, ['version', '--client'])).toEqual(printed);
    symlinkSync(`unpacked/${archiveName}`, join(folder, 'current'));
    symlinkSync(join(folder, 'current/kubectl-flotilla'), join(tools, 'kubectl-flotilla'));
    expect(run(join(tools, 'kubectl-flotilla'), ['version', '--client'])).toEqual(printed);
    expect(run('/bin/sh', ['-c', 'cd current && /bin/sh flotilla version --client'])).toEqual(printed);
    const completed = run(join(folder, 'current/kubectl_complete-flotilla'), ['vers']);
    expect(completed).toMatchObject({ status: 0, stdout: expect.stringMatching(/^version\t/) });
  });

  it('logs in to a server and creates a virtual cluster', async () => {
    server = await startFlotilla();
    const program = join(unpacked, archiveName, 'flotilla');
    const flags = ['--ca-file', join(server.dataDirectory, 'ca.crt'), '--access-key-stdin'];
    expect(run(program, ['login', server.url, ...flags], server.adminKey)).toMatchObject({ status: 0, stderr: '' });
    expect(run(program, ['create', 'demo', '--wait']).stdout).toContain('virtual cluster "demo" created');
    expect(run(program, ['version']).stdout).toContain(`server ${description.version} (${server.url}`);
  });
});
