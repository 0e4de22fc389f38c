import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type CliHome, cliHome } from '../harness/cli.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { kubectlMissing } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { shellBlocks } from '../harness/walk-guide.ts';

const reason = 'the worker did not return to its event loop for 5 seconds, 2 times within 10 minutes';

describeIfAvailable(kubectlMissing, 'a quarantined virtual cluster', () => {
  let folder: string;
  let flotilla: FlotillaProcess;
  let home: CliHome;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quarantine-'));
    flotilla = await startFlotilla({ dataDirectory: join(folder, '.flotilla') });
    home = cliHome({ KUBECONFIG: join(folder, '.flotilla', 'admin.kubeconfig') });
    const ca = join(flotilla.dataDirectory, 'ca.crt');
    await home.ok(['login', flotilla.url, '--ca-file', ca, '--access-key-stdin'], { input: flotilla.adminKey });
    await home.ok(['create', 'demo', '--wait']);
  });
  afterAll(async () => {
    home.remove();
    await flotilla.remove();
    rmSync(folder, { recursive: true });
  });
  beforeEach(quarantine);

  async function quarantine(): Promise<void> {
    const namespace = await home.ok(['get', 'demo', '-o', 'jsonpath={.spec.clusterRef.namespace}']);
    // Sets the annotation that the server itself sets when the virtual cluster has stalled its worker twice.
    const annotate = ['annotate', '--overwrite', 'virtualcluster', 'demo', `platform.sh/quarantined=${reason}`];
    await shell(['kubectl', '--context', 'local', '--namespace', namespace, ...annotate.map(quoted)].join(' '));
    await expect.poll(() => home.ok(['list']), { timeout: 10_000 }).toMatch(/^demo +Quarantined +local /m);
  }

  async function shell(script: string): Promise<string> {
    const env = { ...process.env, ...home.env };
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env });
    return stdout;
  }

  it('shows the reason and what to do wherever its user looks', async () => {
    const advice = 'an administrator can lift the quarantine with flotilla lift-quarantine';
    expect(await home.ok(['list', '-o', 'wide'])).toContain(reason);
    expect(await home.ok(['get', 'demo', '-o', 'jsonpath={.status.phase} {.status.reason}'])).toBe(
      'Failed Quarantined',
    );
    const described = await home.ok(['describe', 'demo']);
    expect(described).toMatch(/^Status: +Quarantined$/m);
    expect(described).toMatch(new RegExp(`^ +VirtualClusterReady +False +Quarantined: .*${reason}; ${advice}`, 'm'));
    expect(described).toMatch(/^ +\S+ +Warning +Quarantined: /m);
    expect(await home.ok(['status'])).toMatch(
      new RegExp(`^PROJECT +NAME +CLUSTER +MESSAGE\\ndefault +demo +local +.*${reason}`, 'm'),
    );
    const connected = await home.run(['connect', 'demo']);
    expect(connected.code).toBe(1);
    expect(connected.stderr).toContain(`is quarantined: ${reason}; ${advice}`);
    await home.ok(['kubeconfig', 'demo', '--file', join(folder, 'demo.kubeconfig')]);
    await expect(shell('kubectl --kubeconfig demo.kubeconfig get --raw /api/v1/namespaces')).rejects.toThrow(
      `is quarantined: ${reason}; ${advice}`,
    );
  });

  it('follows stalls of worker threads, which the status of the installation shows', async () => {
    const namespace = await home.ok(['get', 'demo', '-o', 'jsonpath={.spec.clusterRef.namespace}']);
    const message = 'the worker did not return to its event loop for 5 seconds';
    // The event that the server writes when it replaces a worker thread.
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace, name: 'demo.1' },
      involvedObject: { apiVersion: 'storage.platform.sh/v1', kind: 'VirtualCluster', namespace, name: 'demo' },
      type: 'Warning',
      reason: 'WorkerReplaced',
      message,
      lastTimestamp: '2026-11-19T05:00:00Z',
    };
    await shell(`kubectl --context local create -f - <<< ${quoted(JSON.stringify(event))}`);
    const row = new RegExp(`^2026-11-19T05:00:00Z +${namespace} +demo +${message}$`, 'm');
    expect(await home.ok(['status'])).toMatch(row);
    const status = JSON.parse(await home.ok(['status', '-o', 'json']));
    expect(status.quarantined).toMatchObject([{ project: 'default', name: 'demo', cluster: 'local' }]);
    expect(status.replacedWorkers).toContainEqual(expect.objectContaining({ virtualCluster: 'demo', message }));
  });

  it('is released by an administrator with the commands of the guide', async () => {
    const [withFlotilla = '', withKubectl = '', ...others] = shellBlocks(
      'operate.md',
      'Lift the quarantine of a virtual cluster',
    );
    expect(others).toEqual([]);
    expect(await shell(withFlotilla)).toMatch(
      /in quarantine .*Quarantined(.*)quarantine of virtual cluster "demo" lifted\n$/s,
    );
    expect(await home.ok(['list'])).toMatch(/^demo +Ready +local /m);
    expect(await home.ok(['lift-quarantine', 'demo'])).toBe('virtual cluster "demo" is not quarantined\n');
    await quarantine();
    expect(await shell(withKubectl)).toMatch(/annotated/);
    await expect.poll(() => home.ok(['list']), { timeout: 10_000 }).toMatch(/^demo +Ready +local /m);
  });

  it('is not released by its owner', async () => {
    await home.ok(['user', 'create', 'anna']);
    await home.ok(['member', 'add', 'anna', '--role', 'admin']);
    const key = await home.ok(['access-key', 'create', '--user', 'anna']);
    const refused = await home.run(['lift-quarantine', 'demo'], { env: { FLOTILLA_ACCESS_KEY: key.trim() } });
    expect(refused.stderr).toMatch(/you are not allowed to lift the quarantine .*; ask an administrator/);
    expect(refused.code).toBe(3);
  });
});

function quoted(word: string): string {
  return `'${word}'`;
}
