import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FlotillaProcess, startFlotilla } from '../../harness/flotilla-process.ts';
import { type Kubectl, kubectlMissing, kubectlWith } from '../../harness/kubectl.ts';
import { selfSigned } from '../../harness/self-signed.ts';
import { describeIfAvailable } from '../../harness/suite.ts';
import { copyGitOpsExamples } from './gitops-examples.ts';
import { pathOfProgram } from './path-of-program.ts';
import { writeVirtualClusterKubeconfig } from './virtual-cluster-kubeconfig.ts';

const program = 'crossplane-provider-kubernetes';
const providerPath = pathOfProgram(program);
const providerMissing =
  providerPath === undefined
    ? `${program} is not on PATH (bash test/tools/build.sh <folder> clients builds it)`
    : undefined;

/** Crossplane's own provider program runs against a virtual cluster, which contains the provider's definitions. */
describeIfAvailable(kubectlMissing ?? providerMissing, "Crossplane's provider-kubernetes", () => {
  let folder: string;
  let flotilla: FlotillaProcess;
  let management: Kubectl;
  let crossplane: Kubectl;
  let provider: ChildProcess;
  let output = '';

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'crossplane-'));
    copyGitOpsExamples('crossplane', folder);
    flotilla = await startFlotilla({ dataDirectory: join(folder, '.flotilla') });
    management = kubectlWith(flotilla.kubeconfig);
    const manifest = { apiVersion: 'management.platform.sh/v1', kind: 'VirtualClusterInstance' };
    const metadata = { name: 'crossplane', namespace: 'platform-p-default' };
    await management.ok(['create', '-f', '-'], { input: JSON.stringify({ ...manifest, metadata }) });
    await management.ok(['wait', 'vci/crossplane', '-n', metadata.namespace, '--for=condition=Ready', '--timeout=60s']);
    const kubeconfig = await writeVirtualClusterKubeconfig(flotilla, folder, {
      project: 'default',
      name: 'crossplane',
    });
    crossplane = kubectlWith(kubeconfig);
    await crossplane.ok(['apply', '--server-side', '-f', join(dirname(providerPath ?? ''), `${program}.yaml`)]);
    await crossplane.ok(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
    const { cert, key } = await selfSigned();
    writeFileSync(join(folder, 'tls.crt'), cert);
    writeFileSync(join(folder, 'tls.key'), key);
    const env = { ...process.env, KUBECONFIG: kubeconfig, TLS_SERVER_CERTS_DIR: folder };
    provider = spawn(program, ['--poll', '1s', '--health-probe-bind-addr', '0', '--debug'], { env });
    for (const stream of [provider.stdout, provider.stderr]) stream?.on('data', (chunk) => (output += chunk));
  });
  afterAll(async () => {
    if (provider?.exitCode === null) {
      provider.kill();
      await new Promise((ended) => provider.once('exit', ended));
    }
    await flotilla.remove();
    rmSync(folder, { recursive: true });
  });

  const instance = async () =>
    JSON.parse(await management.ok(['get', 'vci/shop', '-n', 'platform-p-default', '-o', 'json']));

  it('creates a virtual cluster, and its Object is ready when the virtual cluster is', async () => {
    await crossplane.ok(['create', 'namespace', 'crossplane-system']);
    const secret = ['secret', 'generic', 'flotilla', `--from-file=kubeconfig=${flotilla.kubeconfig}`];
    await crossplane.ok(['create', ...secret, '--namespace', 'crossplane-system']);
    await crossplane.ok([
      'apply',
      '-f',
      join(folder, 'provider-config.yaml'),
      '-f',
      join(folder, 'virtual-cluster.yaml'),
    ]);
    const waited = await crossplane.run(['wait', 'object/shop', '--for=condition=Ready', '--timeout=120s']);
    expect(waited.stderr, output.slice(-4000)).toBe('');
    expect(await instance()).toMatchObject({ spec: { displayName: 'Shop' }, status: { phase: 'Ready' } });
  });

  it('leaves the virtual cluster unchanged afterwards, and reverts a change by another client', async () => {
    const patch = ['--type=merge', '-p', '{"spec":{"displayName":"Other"}}'];
    await management.ok(['patch', 'vci/shop', '-n', 'platform-p-default', ...patch]);
    await expect.poll(instance, { timeout: 60_000 }).toMatchObject({ spec: { displayName: 'Shop' } });
    expect((await instance()).metadata.generation).toBe(3);
  });

  it('creates an object inside the virtual cluster, reverts a change of it, and deletes it', async () => {
    const shop = await writeVirtualClusterKubeconfig(flotilla, folder, { project: 'default', name: 'shop' });
    const inside = kubectlWith(shop);
    const secret = ['secret', 'generic', 'shop', `--from-file=kubeconfig=${shop}`];
    await crossplane.ok(['create', ...secret, '--namespace', 'crossplane-system']);
    await crossplane.ok(['apply', '-f', join(folder, 'contents.yaml')]);
    const waited = await crossplane.run(['wait', 'object/shop-settings', '--for=condition=Ready', '--timeout=60s']);
    expect(waited.stderr, output.slice(-4000)).toBe('');
    const color = () => inside.ok(['get', 'configmap/settings', '-o', 'jsonpath={.data.color}']);
    expect(await color()).toBe('blue');
    await inside.ok(['patch', 'configmap/settings', '--type=merge', '-p', '{"data":{"color":"red"}}']);
    await expect.poll(color, { timeout: 60_000 }).toBe('blue');
    await crossplane.ok(['delete', 'object/shop-settings', '--timeout=60s']);
    expect((await inside.run(['get', 'configmap/settings'])).stderr).toContain('not found');
  });

  it('deletes the virtual cluster with its Object', async () => {
    await crossplane.ok(['delete', 'object/shop', '--timeout=120s']);
    expect((await management.run(['get', 'vci/shop', '-n', 'platform-p-default'])).stderr).toContain('not found');
  });
});
