import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Canaries } from '../harness/canaries.ts';
import { dataFiles } from '../harness/data-files.ts';
import { kubectlMissing, kubectlWith } from '../harness/kubectl.ts';
import { type LocalCluster, startLocalCluster } from '../harness/local-cluster.ts';
import { describeIfAvailable } from '../harness/suite.ts';

/** The members of a manifest besides its kind and metadata. `apiVersion` is `v1` by default. */
type ManifestMembers = { readonly apiVersion?: string; readonly [member: string]: unknown };

const manifest = (kind: string, namespace: string, name: string, { apiVersion = 'v1', ...members }: ManifestMembers) =>
  JSON.stringify({ apiVersion, kind, metadata: { name, namespace }, ...members });
const sleepy = (asleep: boolean) =>
  manifest('VirtualCluster', 'team', 'sleepy', { apiVersion: 'storage.platform.sh/v1', spec: { asleep } });

describeIfAvailable(kubectlMissing, 'kubectl, the built-in cluster and virtual clusters on it', () => {
  let cluster: LocalCluster;
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-e2e-'));

  beforeAll(async () => {
    const config = join(folder, 'config.yaml');
    writeFileSync(config, 'audit:\n  rules:\n    - level: RequestResponse\n');
    cluster = await startLocalCluster({ args: ['--config', config, '--log-level', 'debug'] });
  });
  afterAll(async () => {
    await cluster.remove();
    rmSync(folder, { recursive: true });
  });

  it('finds the context local in the administrator’s kubeconfig (completions §1)', async () => {
    const admin = kubectlWith(cluster.flotilla.kubeconfig);
    expect(await admin.ok(['config', 'current-context'])).toBe('management\n');
    expect(await admin.ok(['--context', 'local', 'get', 'ns', '-o', 'name'])).toContain('namespace/kube-system\n');
    expect(await admin.ok(['--context', 'local', 'auth', 'whoami', '-o', 'json'])).toContain('system:masters');
  });

  it('lists the supported kinds and no others (KUBECTL-00)', async () => {
    const names = (await cluster.kubectl.ok(['api-resources', '--no-headers', '-o', 'name'])).trim().split('\n');
    expect(names).toEqual(expect.arrayContaining(['namespaces', 'configmaps', 'virtualclusters.storage.platform.sh']));
    for (const absent of ['pods', 'nodes', 'services', 'deployments.apps']) expect(names).not.toContain(absent);
    expect(await cluster.kubectl.ok(['explain', 'vc.spec.asleep'])).toMatch(/it serves no requests and keeps its/);
  });

  it('creates namespaces and applies objects, which a watch reports (KUBECTL-10)', async () => {
    const { kubectl } = cluster;
    await kubectl.ok(['create', 'namespace', 'team']);
    const watch = kubectl.follow(['get', 'configmaps', '-n', 'team', '-w', '-o', 'name']);
    const map = (color: string) => manifest('ConfigMap', 'team', 'paint', { data: { color } });
    expect(await kubectl.ok(['apply', '-f', '-'], { input: map('red') })).toBe('configmap/paint created\n');
    expect(await kubectl.ok(['apply', '-f', '-'], { input: map('blue') })).toBe('configmap/paint configured\n');
    expect(await kubectl.ok(['apply', '-f', '-'], { input: map('blue') })).toBe('configmap/paint unchanged\n');
    await watch.waitForOutput(/paint\n(.*\n)*.*paint\n/);
    await watch.stop();
    expect(await kubectl.ok(['get', 'cm', 'paint', '-n', 'team', '-o', 'jsonpath={.data.color}'])).toBe('blue');
  });

  it('creates a virtual cluster, uses it through its proxy, and deletes it permanently', async () => {
    const { kubectl } = cluster;
    const one = await cluster.virtualCluster('one', 'team');
    expect(await kubectl.ok(['get', 'vc', '-n', 'team'])).toMatch(
      /^NAME +STATUS +VERSION +AGE\none +Ready +v1\.\d+\.\d+\S* +\S+\n$/,
    );
    await one.kubectl.ok(['create', 'namespace', 'inside']);
    const large = manifest('ConfigMap', 'inside', 'large', { data: { text: 'x'.repeat(900_000) } });
    await one.kubectl.ok(['create', '-f', '-'], { input: large });
    expect(await one.kubectl.ok(['get', 'cm', '-n', 'inside', '-o', 'name'])).toContain('configmap/large');
    const watch = one.kubectl.follow(['get', 'ns', '-w']);
    await watch.waitForOutput(/inside/);
    await one.kubectl.ok(['create', 'namespace', 'later']);
    await watch.waitForOutput(/later/);
    expect((await kubectl.run(['get', 'ns', 'inside'])).stderr).toMatch(/NotFound/);
    expect(await one.kubectl.ok(['api-resources', '-o', 'name'])).not.toContain('virtualclusters');

    expect(await kubectl.ok(['delete', 'vc', 'one', '-n', 'team', '--wait=true'])).toMatch(/deleted/);
    await watch.waitForOutput(/being removed/);
    await watch.stop();
    expect((await kubectl.run(['get', 'vc', 'one', '-n', 'team'])).stderr).toMatch(/NotFound/);
    expect((await one.kubectl.run(['get', 'ns'])).stderr).toMatch(/could not find|not found/);
    const again = await cluster.virtualCluster('one', 'team');
    expect((await again.kubectl.run(['get', 'ns', 'inside'])).stderr).toMatch(/NotFound/);
  });

  it('puts it to sleep and wakes it', async () => {
    const { kubectl } = cluster;
    const inside = await cluster.virtualCluster('sleepy', 'team');
    await inside.kubectl.ok(['create', 'namespace', 'kept']);
    // Makes kubectl cache discovery: if the discovery request itself is refused, kubectl shows only the status code.
    await inside.kubectl.ok(['get', 'ns']);
    await kubectl.ok(['apply', '-f', '-'], { input: sleepy(true) });
    expect((await inside.kubectl.run(['get', 'ns'])).stderr).toMatch(/is asleep.*set spec\.asleep/);
    await kubectl.ok(['wait', 'vc/sleepy', '-n', 'team', '--for=jsonpath={.status.phase}=Sleeping', '--timeout=20s']);
    await kubectl.ok(['apply', '-f', '-'], { input: sleepy(false) });
    await kubectl.ok(['wait', 'vc/sleepy', '-n', 'team', '--for=condition=Ready', '--timeout=20s']);
    expect(await inside.kubectl.ok(['get', 'ns', 'kept', '-o', 'name'])).toBe('namespace/kept\n');
  });

  it('accepts the token of a service account only in its own cluster', async () => {
    const [mine, other] = [await cluster.virtualCluster('mine', 'team'), await cluster.virtualCluster('other', 'team')];
    await mine.kubectl.ok(['create', 'serviceaccount', 'robot']);
    await mine.kubectl.ok([
      'create',
      'clusterrolebinding',
      'robot',
      '--clusterrole=view',
      '--serviceaccount=default:robot',
    ]);
    const token = (await mine.kubectl.ok(['create', 'token', 'robot'])).trim();
    const robot = mine.withToken(token).kubectl;
    expect(await robot.ok(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'])).toBe(
      'system:serviceaccount:default:robot',
    );
    expect(await robot.ok(['get', 'ns', '-o', 'name'])).toContain('namespace/kube-system');
    expect((await robot.run(['create', 'namespace', 'x'])).stderr).toMatch(/Forbidden/);
    expect((await other.withToken(token).kubectl.run(['get', 'cm'])).stderr).toMatch(/Unauthorized|logged in/);
    expect((await cluster.withToken(token).kubectl.run(['get', 'cm'])).stderr).toMatch(/Unauthorized|logged in/);
  });

  it('stores secrets of both encrypted: no part of them is on disk or in a log', async () => {
    const canaries = new Canaries();
    const inside = await cluster.virtualCluster('vault', 'team');
    for (const { kubectl, where } of [
      { kubectl: cluster.kubectl, where: 'local' },
      { kubectl: inside.kubectl, where: 'virtual' },
    ]) {
      const secret = (password: string) => manifest('Secret', 'default', 'canary', { stringData: { password } });
      await kubectl.ok(['create', '-f', '-'], { input: secret(canaries.make(`${where} created`)) });
      const patch = JSON.stringify({ stringData: { password: canaries.make(`${where} patched`) } });
      await kubectl.ok(['patch', 'secret', 'canary', '-p', patch]);
      const applied = canaries.make(`${where} applied`);
      await kubectl.ok(['apply', '--server-side', '--force-conflicts', '-f', '-'], { input: secret(applied) });
      expect(canaries.foundIn(await kubectl.ok(['get', 'secret', 'canary', '-o', 'yaml']))).toEqual([
        `${where} applied`,
      ]);
      const token = await kubectl.ok(['create', 'token', 'default']);
      canaries.add(`${where} token`, token.trim().split('.')[2] ?? '');
    }
    await cluster.flotilla.stop();
    expect(canaries.foundIn(await dataFiles(cluster.flotilla.dataDirectory))).toEqual([]);
    expect(canaries.foundIn(cluster.flotilla.output())).toEqual([]);
    cluster = await cluster.restart();
    expect(await cluster.kubectl.ok(['get', 'secret', 'canary', '-o', 'name'])).toBe('secret/canary\n');
  });
});
