import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FlotillaProcess, startFlotilla } from '../../harness/flotilla-process.ts';
import { kubectlMissing } from '../../harness/kubectl.ts';
import { describeIfAvailable } from '../../harness/suite.ts';
import { shellBlocks } from '../../harness/walk-guide.ts';
import { pathOfProgram } from './path-of-program.ts';

const vclusterMissing =
  pathOfProgram('vcluster') === undefined
    ? 'vcluster is not on PATH (bash test/tools/build.sh <folder> clients builds it)'
    : undefined;

describeIfAvailable(kubectlMissing ?? vclusterMissing, 'the vCluster command line with the API word loft', () => {
  let home: string;
  let flotilla: FlotillaProcess;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'vcluster-'));
    flotilla = await startFlotilla({ environment: { FLOTILLA_API_WORD: 'loft' } });
  });
  afterAll(async () => {
    await flotilla.remove();
    rmSync(home, { recursive: true });
  });

  /** Runs `vcluster platform` with its own home directory. Returns its output without colors. */
  async function platform(...args: string[]): Promise<string> {
    const env = { ...process.env, HOME: home, KUBECONFIG: join(home, 'kubeconfig') };
    const { stdout, stderr } = await promisify(execFile)('vcluster', ['platform', ...args], { env });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colors start with an escape character
    return `${stdout}${stderr}`.replace(/\x1b\[[0-9;]*m/g, '');
  }
  const demo = ['vcluster', 'demo', '--project', 'default'];
  const statusOfDemo = async () =>
    (await platform('list', 'vclusters')).match(/^ +demo \|.*?\| default \| (\w+) /m)?.[1];

  it('logs in, creates a virtual cluster and connects to it with the commands of the guide', async () => {
    symlinkSync(flotilla.dataDirectory, join(home, '.flotilla'));
    const blocks = shellBlocks('api-word.md', 'Use the vCluster command line').join('\n');
    const script = blocks.replaceAll('https://127.0.0.1:8443', flotilla.url);
    const env = { ...process.env, HOME: home, KUBECONFIG: join(home, 'kubeconfig') };
    const shell = promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: home, env });
    const { stdout, stderr } = await shell;
    expect(`${stdout}${stderr}`).toContain('Successfully logged into');
    expect(`${stdout}${stderr}`).toContain('Successfully created the virtual cluster demo');
    expect(stdout).toMatch(/^kube-system +Active/m);
    expect(await statusOfDemo()).toBe('Ready');
  });

  it('puts it to sleep and wakes it', async () => {
    expect(await platform('sleep', ...demo)).toContain('Successfully put vcluster demo to sleep');
    expect(await statusOfDemo()).toBe('Sleeping');
    expect(await platform('wakeup', ...demo)).toContain('Successfully woke up vCluster demo');
    expect(await statusOfDemo()).toBe('Ready');
  });

  it('shares it', async () => {
    const flags = ['--user', 'admin', '--cluster-role', 'view'];
    expect(await platform('share', ...demo, ...flags)).toMatch(
      /Successfully granted user admin access to vcluster demo/,
    );
  });

  it('lists projects, clusters, teams and namespaces, and creates an access key', async () => {
    expect(await platform('list', 'projects')).toMatch(/^ +default +$/m);
    expect(await platform('list', 'clusters')).toMatch(/^ +local +\|/m);
    expect(await platform('list', 'teams')).toContain('NAME');
    expect(await platform('list', 'namespaces')).toContain('NAME');
    expect(await platform('create', 'accesskey', 'pipeline')).toMatch(/^flk_\w+$/m);
  });

  it('deletes it and logs out', async () => {
    expect(await platform('delete', ...demo)).toContain('Virtual Cluster is deleted');
    expect(await statusOfDemo()).toBeUndefined();
    expect(await platform('logout')).toContain('Successfully logged out');
  });
});
