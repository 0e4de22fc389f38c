import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Cluster } from '../../src/api/management/v1/cluster.ts';
import { addedObjects, type HostObjects, readHostObjects } from '../cluster/host-objects.ts';
import { workload } from '../cluster/workload.suite.ts';
import { type CliHome, cliHome } from '../harness/cli.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { type Kubectl, kubectlWith } from '../harness/kubectl.ts';
import { freePorts } from '../harness/start-program.mjs';
import { describeIfAvailable } from '../harness/suite.ts';

const {
  KUBECONFIG: kubeconfig = '',
  FLOTILLA_IMAGE: image = '',
  FLOTILLA_NODE_IMAGES: images = '',
  FLOTILLA_CHART: chart = '',
} = process.env;
const missing = images === '' ? 'it runs in the node of npm run test:node' : undefined;
const agent = { namespace: 'flotilla-agent', release: 'remote-agent' };
const timeout = '--timeout=240s';

/**
 * The server has no kubeconfig of the cluster and does not know the agent's address. Pods reach the server at the
 * address of the node.
 */
describeIfAvailable(missing, 'a cluster that joins with the helm command of flotilla cluster add --join', () => {
  let home: CliHome;
  let flotilla: FlotillaProcess | undefined;
  /** kubectl for the cluster, for the management API, and for a virtual cluster. */
  let host: Kubectl;
  let admin: Kubectl;
  let inside: Kubectl;
  let before: HostObjects;

  beforeAll(async () => {
    host = kubectlWith(kubeconfig);
    before = await readHostObjects(host);
    home = cliHome({ KUBECONFIG: '' });
    const address = await host.ok(['get', 'nodes', '-o', 'jsonpath={.items[0].status.addresses[0].address}']);
    const [port] = await freePorts(1);
    const url = `https://${address}:${port}`;
    const config = join(home.folder, 'config.yaml');
    writeFileSync(config, JSON.stringify({ helm: { path: chart } }));
    flotilla = await startFlotilla({
      listen: `0.0.0.0:${port}`,
      args: ['--external-url', url, '--tls-san', address, '--config', config, '--log-level', 'warn'],
    });
    admin = kubectlWith(flotilla.kubeconfig);
    const authority = join(flotilla.dataDirectory, 'ca.crt');
    await home.ok(['login', url, '--ca-file', authority, '--access-key-stdin'], { input: flotilla.adminKey });
  });
  afterAll(async () => {
    await run(`helm uninstall ${agent.release} --namespace ${agent.namespace}`).catch(() => undefined);
    await host.run(['delete', 'namespace', agent.namespace, '--ignore-not-found', timeout]);
    await flotilla?.remove();
    home.remove();
  });

  /** Runs a command in a shell, as a user would run the printed command. Returns its output. */
  async function run(command: string): Promise<string> {
    const env = { ...process.env, KUBECONFIG: kubeconfig, HELM_CACHE_HOME: join(home.folder, 'helm') };
    return (await promisify(execFile)('sh', ['-c', command], { env, maxBuffer: 64 << 20 })).stdout;
  }
  /** Runs the helm command in the output of `flotilla`, and waits until the pod of the agent is ready. */
  async function runPrintedHelm(printed: string): Promise<void> {
    const [command = ''] = /^ {2}helm .*\\\n.*$/m.exec(printed) ?? [];
    await run(`${command} --wait --timeout=3m`);
  }
  const waitForCluster = (condition: string) => admin.ok(['wait', 'cluster/remote', `--for=${condition}`, timeout]);
  const readCluster = async () => JSON.parse(await admin.ok(['get', 'cluster/remote', '-o', 'json'])) as Cluster;
  const fingerprint = async () => {
    const { status } = await readCluster();
    expect(status?.agents).toHaveLength(1);
    return status?.agents?.[0]?.keyFingerprint;
  };

  it('becomes ready', async () => {
    await runPrintedHelm(await home.ok(['cluster', 'add', 'remote', '--join']));
    await waitForCluster('condition=Ready');
    const { spec, status } = await readCluster();
    expect(spec?.kubeconfig).toBeUndefined();
    expect(status?.agents).toEqual([expect.objectContaining({ connected: true })]);
  });

  it('runs a virtual cluster', async () => {
    await home.ok(['create', 'life', '--cluster', 'remote']);
    await admin.ok(['wait', 'vci/life', '-n', 'platform-p-default', '--for=condition=Ready', timeout]);
    const file = join(home.folder, 'life.kubeconfig');
    await home.ok(['connect', 'life'], { env: { KUBECONFIG: file } });
    inside = kubectlWith(file);
  });

  workload(() => ({ inside, folder: home.folder, image }));

  it('serves requests again after its agent was killed', async () => {
    const kill = ['delete', 'pods', '--all', '--namespace', agent.namespace, '--grace-period=0', '--force'];
    await host.ok(kill);
    await expect.poll(async () => (await inside.run(['get', 'namespaces'])).code, { timeout: 120_000 }).toBe(0);
  });

  it('joins again after the volume of its agent was lost', async () => {
    const former = await fingerprint();
    expect(former).toMatch(/^SHA256:/);
    const there = ['--namespace', agent.namespace];
    await host.ok(['scale', `deployment/${agent.release}-flotilla-agent`, '--replicas=0', ...there]);
    await host.ok(['wait', 'pods', '--all', '--for=delete', timeout, ...there]);
    await host.ok(['delete', 'pvc', '--all', timeout, ...there]);
    await runPrintedHelm(await home.ok(['cluster', 'rejoin', 'remote']));
    const hasNewKey = async () => /^SHA256:/.test((await fingerprint()) ?? '') && (await fingerprint()) !== former;
    await expect.poll(hasNewKey, { timeout: 60_000 }).toBe(true);
    await waitForCluster('condition=Ready');
    await expect.poll(async () => (await inside.run(['get', 'namespaces'])).code, { timeout: 60_000 }).toBe(0);
    expect(await inside.ok(['rollout', 'status', 'deployment/web', '-n', 'shop', timeout])).toMatch(/rolled out/);
  });

  it('has nothing left after its virtual cluster and its agent are removed', async () => {
    await admin.ok(['delete', 'vci/life', '-n', 'platform-p-default', timeout]);
    await run(`helm uninstall ${agent.release} --namespace ${agent.namespace} --wait`);
    await host.ok(['delete', 'namespace', agent.namespace, timeout]);
    // Polls, because volumes may be deleted some time after their claims.
    const added = async () => addedObjects(before, await readHostObjects(host));
    await expect.poll(added, { timeout: 60_000, interval: 1_000 }).toEqual([]);
  });
});
