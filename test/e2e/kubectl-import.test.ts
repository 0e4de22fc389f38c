import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { type Kubectl, kubectlMissing, kubectlWith, rawPath } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const group = 'management.platform.sh';

describeIfAvailable(kubectlMissing, 'importing with kubectl (completions §4)', () => {
  let flotilla: FlotillaProcess;
  let kubectl: Kubectl;

  beforeAll(async () => {
    flotilla = await startFlotilla();
    kubectl = kubectlWith(flotilla.kubeconfig);
  });
  afterAll(() => flotilla.remove());

  const local = (...args: string[]) => ['--context', 'local', ...args];
  const byHand = (namespace: string, name: string) =>
    `apiVersion: storage.platform.sh/v1\nkind: VirtualCluster\nmetadata: {name: ${name}, namespace: ${namespace}}\n`;
  /** The input of a create with `--raw`, which must be JSON. */
  const source = (namespace: string, name: string, more: object = {}) =>
    JSON.stringify({
      apiVersion: `${group}/v1`,
      kind: 'ProjectImportVirtualCluster',
      sourceVirtualCluster: { name, namespace, cluster: 'local' },
      ...more,
    });
  const importing = ['create', '--raw', rawPath(`/apis/${group}/v1/projects/default/importvirtualcluster`), '-f', '-'];
  const found = async () =>
    JSON.parse(await kubectl.ok(['get', '--raw', rawPath(`/apis/${group}/v1/clusters/local/virtualclusters`)]));

  it('finds a virtual cluster created by hand, imports it, uses it, and deletes it without its namespace', async () => {
    await kubectl.ok(local('create', 'namespace', 'old-days'));
    await kubectl.ok(local('apply', '-f', '-'), { input: byHand('old-days', 'legacy') });
    await kubectl.ok(local('wait', '-n', 'old-days', '--for=jsonpath={.status.phase}=Ready', 'vc/legacy'));
    expect((await found()).virtualClusters).toEqual([
      { name: 'legacy', namespace: 'old-days', version: expect.stringMatching(/^v1\./), status: 'Ready' },
    ]);

    const answer = JSON.parse(await kubectl.ok(importing, { input: source('old-days', 'legacy') }));
    expect(answer).toMatchObject({ kind: 'ProjectImportVirtualCluster', metadata: { name: 'legacy' } });
    await kubectl.ok(['wait', '--for=condition=Ready', 'vci/legacy', '--timeout=20s']);
    expect((await found()).virtualClusters).toMatchObject([{ project: 'default', instance: 'legacy' }]);
    expect(await kubectl.ok(['describe', 'vci', 'legacy'])).toMatch(/Imported/);

    await kubectl.ok(['delete', 'vci', 'legacy', '--timeout=20s']);
    expect((await found()).virtualClusters).toEqual([]);
    expect(await kubectl.ok(local('get', 'namespace', 'old-days'))).toContain('Active');
  });

  it('reports in one line why an import is refused', async () => {
    const missing = await kubectl.run(importing, { input: source('default', 'nothing') });
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('"nothing" not found') });
    const empty = await kubectl.run(importing, { input: '{}' });
    expect(empty.stderr).toContain('sourceVirtualCluster.cluster: Required value');
    await kubectl.ok(local('apply', '-f', '-'), { input: byHand('default', 'twice') });
    await kubectl.ok(importing, { input: source('default', 'twice') });
    const again = await kubectl.run(importing, { input: source('default', 'twice') });
    expect(again.stderr).toContain('the instance twice of the project default already has this virtual cluster');
  });

  it('leaves a virtual cluster that is managed elsewhere unchanged', async () => {
    await kubectl.ok(local('apply', '-f', '-'), { input: byHand('default', 'elsewhere') });
    await kubectl.ok(importing, { input: source('default', 'elsewhere', { skipHelmDeploy: true }) });
    await kubectl.ok(['wait', '--for=condition=Ready', 'vci/elsewhere', '--timeout=20s']);
    await kubectl.ok(['delete', 'vci', 'elsewhere', '--timeout=20s']);
    expect(await kubectl.ok(local('get', 'vc', 'elsewhere'))).toContain('Ready');
  });
});
