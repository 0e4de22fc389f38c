import { afterAll, beforeAll, expect, it } from 'vitest';
import { kubectlMissing } from '../harness/kubectl.ts';
import { type ClusterClient, type LocalCluster, startLocalCluster } from '../harness/local-cluster.ts';
import { describeIfAvailable } from '../harness/suite.ts';

describeIfAvailable(kubectlMissing, 'namespaces of a virtual cluster, with kubectl', () => {
  let local: LocalCluster;
  let virtual: ClusterClient;

  beforeAll(async () => {
    local = await startLocalCluster();
    virtual = await local.virtualCluster('one');
  });
  afterAll(() => local.remove());

  const configMap = (name: string, namespace: string, finalizers: string[] = []) =>
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, finalizers } });

  it('exist from the start and cannot be deleted (CREATE-22)', async () => {
    const { kubectl } = virtual;
    const table = await kubectl.ok(['get', 'ns']);
    expect(table).toMatch(
      /^NAME +STATUS +AGE\ndefault +Active +\S+\nkube-public +Active +\S+\nkube-system +Active +\S+\n$/,
    );
    const refused = await kubectl.run(['delete', 'ns', 'default', 'kube-system', 'kube-public']);
    expect(refused.stderr.match(/this namespace may not be deleted/g)).toHaveLength(3);
  });

  it('are deleted with their contents; kubectl waits for that', async () => {
    const { kubectl } = virtual;
    await kubectl.ok(['create', 'namespace', 'busy']);
    for (let index = 0; index < 20; index++)
      await kubectl.ok(['create', '-f', '-'], { input: configMap(`c${index}`, 'busy') });
    expect(await kubectl.ok(['describe', 'ns', 'busy'])).toContain('Status:       Active');
    expect(await kubectl.ok(['delete', 'ns', 'busy', '--wait', '--timeout=20s'])).toContain('namespace "busy" deleted');
    expect((await kubectl.run(['get', 'ns', 'busy'])).stderr).toContain('namespaces "busy" not found');
    await kubectl.ok(['create', 'namespace', 'busy']);
    expect(await kubectl.ok(['get', 'configmaps', '-n', 'busy', '-o', 'name'])).not.toContain('configmap/c');
    await kubectl.ok(['delete', 'ns', 'busy']);
  });

  it('report what blocks their deletion, accept nothing new meanwhile, and are deleted when it is unblocked, across a restart of the server', async () => {
    const { kubectl } = virtual;
    await kubectl.ok(['create', 'namespace', 'held']);
    await kubectl.ok(['create', '-f', '-'], { input: configMap('holder', 'held', ['test.example/hold']) });
    await kubectl.ok(['delete', 'ns', 'held', '--wait=false']);
    await kubectl.ok(['wait', 'ns/held', '--for=condition=NamespaceContentRemaining', '--timeout=20s']);
    expect(await kubectl.ok(['get', 'ns', 'held'])).toContain('Terminating');
    expect(await kubectl.ok(['describe', 'ns', 'held'])).toContain('test.example/hold in 1 resource instances');
    const late = await kubectl.run(['create', '-f', '-'], { input: configMap('late', 'held') });
    expect(late.stderr).toContain('unable to create new content in namespace held because it is being terminated');
    local = await local.restart();
    const again = local.existingVirtualCluster('one').kubectl;
    const patch = '{"metadata":{"finalizers":null}}';
    await again.ok(['patch', 'configmap', 'holder', '-n', 'held', '--type=merge', '-p', patch]);
    await again.ok(['wait', 'ns/held', '--for=delete', '--timeout=20s']);
  });

  it('are deleted even if the server is killed while it empties them', async () => {
    const { kubectl } = local.existingVirtualCluster('one');
    await kubectl.ok(['create', 'namespace', 'crowded']);
    const items = Array.from({ length: 400 }, (_, index) => JSON.parse(configMap(`c${index}`, 'crowded')));
    await kubectl.ok(['create', '-f', '-'], { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) });
    await kubectl.ok(['delete', 'ns', 'crowded', '--wait=false']);
    await local.flotilla.stop('SIGKILL');
    local = await local.restart();
    const again = local.existingVirtualCluster('one').kubectl;
    await again.ok(['wait', 'ns/crowded', '--for=delete', '--timeout=30s']);
    await again.ok(['create', 'namespace', 'crowded']);
    expect(await again.ok(['get', 'configmaps', '-n', 'crowded', '-o', 'name'])).not.toContain('configmap/c');
  });

  it('of the built-in cluster are deleted with their virtual clusters', async () => {
    const { kubectl } = local;
    const hosted = await local.virtualCluster('two', 'hosts');
    await hosted.kubectl.ok(['get', 'ns']);
    await kubectl.ok(['delete', 'ns', 'hosts', '--timeout=20s']);
    expect((await kubectl.run(['get', 'virtualclusters', '-A', '-o', 'name'])).stdout).not.toContain('/two');
    expect((await hosted.kubectl.run(['get', 'ns'])).code).not.toBe(0);
  });
});
