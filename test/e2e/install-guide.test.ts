import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import description from '../../package.json' with { type: 'json' };
import { archiveName, builtArchive } from '../harness/installation/built-archive.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { codeBlocks, curlMissing, guideText, shellBlocks } from '../harness/walk-guide.ts';

const root = new URL('../..', import.meta.url).pathname;
const unit = join(root, 'packaging/systemd/flotilla.service');
const runs = (program: string, args: readonly string[]) => spawnSync(program, args).status === 0;
const missing = runs('unshare', ['--mount', '--net', '--pid', '--fork', '--mount-proc', 'true'])
  ? undefined
  : 'this user may not create namespaces';
const both = [`flotilla ${description.version}`, `server ${description.version}`];

describeIfAvailable(curlMissing ?? missing, 'the guides for installation and upgrade', () => {
  let folder: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'install-guide-'));
    const release = await builtArchive();
    for (const name of ['SHA256SUMS', `${archiveName}.tar.gz`]) copyFileSync(join(release, name), join(folder, name));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Runs shell blocks in order on a machine without Node, kubectl and Flotilla. */
  function walk(blocks: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync(
      'bash',
      [join(root, 'test/harness/installation/plain-linux-machine.sh'), folder],
      {
        input: blocks.join('\n'),
        encoding: 'utf8',
        env: { PATH: process.env.PATH },
      },
    );
    expect({ status, stderr: status === 0 ? '' : `${stdout}${stderr}` }).toEqual({ status: 0, stderr: '' });
    return stdout;
  }

  it('install and run Flotilla on a laptop', () => {
    const printed = walk(shellBlocks('install.md', 'Install on a laptop'));
    expect(printed).toContain(`${archiveName}.tar.gz: OK`);
    expect(printed).toContain('virtual cluster "demo" created');
    for (const line of both) expect(printed).toContain(line);
  });

  it('install a server on a Linux machine, upgrade it, and return to the former version', () => {
    const printed = walk([
      ...shellBlocks('install.md', 'Install on a Linux machine'),
      ...shellBlocks('upgrade.md', 'Make a backup'),
      ...shellBlocks('upgrade.md', 'Upgrade a Linux machine'),
      ...shellBlocks('upgrade.md', 'Return to the former version'),
    ]);
    expect(printed).toContain('as admin');
    for (const line of both) expect(printed.split(line)).toHaveLength(5);
    expect(statSync(join(folder, 'before-upgrade.flotilla')).size).toBeGreaterThan(0);
  });
});

const systemdMissing = runs('systemd-analyze', ['--version']) ? undefined : 'there is no systemd-analyze on PATH';

describeIfAvailable(systemdMissing, 'the unit for systemd', () => {
  it('is valid, and restricts the server as the guide says', () => {
    const folder = mkdtempSync(join(tmpdir(), 'unit-'));
    // The program of ExecStart must exist on this machine, because systemd-analyze checks it.
    const file = join(folder, 'flotilla.service');
    writeFileSync(file, readFileSync(unit, 'utf8').replace('/opt/flotilla/flotilla', '/bin/true'));
    const analyze = (...args: string[]) => {
      const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
      return { status, text: `${stdout}${stderr}` };
    };
    expect(analyze('verify', file)).toEqual({ status: 0, text: '' });
    const [, level = ''] =
      /exposure level for \S+: ([\d.]+)/.exec(analyze('security', '--offline=true', file).text) ?? [];
    expect(guideText('install.md')).toContain('rates it below 2.5');
    expect(Number(level)).toBeGreaterThan(0);
    expect(Number(level)).toBeLessThan(2.5);
    rmSync(folder, { recursive: true });
  });
});

const chartMissing = existsSync(join(root, 'charts/flotilla'))
  ? runs('helm', ['version'])
    ? undefined
    : 'there is no helm on PATH'
  : 'there is no chart in this tree';

describeIfAvailable(chartMissing, 'the commands for Kubernetes', () => {
  it.each([
    ['Install on Kubernetes', 1],
    ['Install several replicas on Kubernetes', 3],
  ])('render the chart as the section "%s" says', (section, replicas) => {
    const command = codeBlocks(guideText('install.md', section), 'sh not-run: [^\\n]*').join('\n');
    const install = /^helm install (?:.*\\\n)*.*$/m.exec(command)?.[0] ?? '';
    const { status, stdout, stderr } = spawnSync('bash', ['-c', install.replace('helm install', 'helm template')], {
      cwd: root,
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^ {2}replicas: ${replicas}$`, 'm'));
    expect(stdout).toMatch(/image: "?registry\.example\.com\/flotilla:/);
    expect(stdout).toContain('https://clusters.example.com');
  });
});
