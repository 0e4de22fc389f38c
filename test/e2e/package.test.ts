import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import description from '../../package.json' with { type: 'json' };
import { downloadedPackage } from '../../scripts/package/node-runtime.mjs';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { nodeVersions } from '../harness/installation/node-versions.ts';

const root = new URL('../..', import.meta.url).pathname;

describe('the npm package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-package-'));
  const installed = join(folder, 'installed');
  const program = join(installed, 'node_modules/flotilla/bin/flotilla.js');
  let server: FlotillaProcess | undefined;

  function pack(name: string): string {
    execFileSync(process.execPath, ['scripts/package/npm-package.mjs', '--out', join(folder, name)], { cwd: root });
    const [file = ''] = readdirSync(join(folder, name));
    return join(folder, name, file);
  }

  beforeAll(async () => {
    await Promise.all(nodeVersions.map(downloadedPackage));
    const file = pack('first');
    // Installation scripts are not needed: the script of LevelDB only looks for a binary, and the LevelDB package
    // contains that binary.
    const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', installed];
    execFileSync('npm', ['install', ...flags, file], { cwd: folder, stdio: 'pipe' });
  }, 300_000);
  afterAll(async () => {
    await server?.remove();
    rmSync(folder, { recursive: true });
  });

  it('has the same bytes in each run', () => {
    const digest = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
    expect(digest(pack('second'))).toBe(digest(join(folder, 'first', readdirSync(join(folder, 'first'))[0] ?? '')));
  });

  it('contains the program and its license, without sources, tests and source maps', () => {
    const contents = readdirSync(join(installed, 'node_modules/flotilla'), { recursive: true }).map(String);
    expect(contents).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'dist/flotilla.js', 'dist/web/index.html']),
    );
    expect(contents.filter((name) => /\.map$|\.test\.|^src|^test|\.cache$/.test(name))).toEqual([]);
  });

  it.each(nodeVersions)(
    'runs a server and the commands for it with Node $version',
    async (published) => {
      const node = join(await downloadedPackage(published), 'bin/node');
      server = await startFlotilla({ program, node });
      const env = {
        ...process.env,
        HOME: folder,
        PATH: `${dirname(node)}:${process.env.PATH}`,
        FLOTILLA_URL: server.url,
        FLOTILLA_ACCESS_KEY: server.adminKey,
        FLOTILLA_CA_FILE: join(server.dataDirectory, 'ca.crt'),
      };
      const run = (...args: string[]) =>
        execFileSync('npx', ['flotilla', ...args], { cwd: installed, env, encoding: 'utf8' });
      expect(execFileSync('node', ['--version'], { env, encoding: 'utf8' })).toBe(`v${published.version}\n`);
      expect(run('version')).toContain(`server ${description.version} (${server.url}`);
      expect(run('create', 'demo', '--wait')).toContain('virtual cluster "demo" created');
      expect(run('list')).toMatch(/demo +Ready/);
      expect(await server.stop()).toBe(0);
      await server.remove();
    },
    240_000,
  );
});
