import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { type Kubectl, kubectlMissing, kubectlWith } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const namespace = 'platform-p-default';
const labels = { app: 'web' };

function manifest(configMaps: readonly string[], instances: readonly string[]): string {
  const items = [
    ...configMaps.map((name) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, labels },
      data: { a: 'b' },
    })),
    ...instances.map((name) => ({
      apiVersion: `${managementGroup}/v1`,
      kind: 'VirtualClusterInstance',
      metadata: { name, labels },
    })),
  ];
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}

describeIfAvailable(kubectlMissing, 'kubectl apply --prune in a project', () => {
  let flotilla: FlotillaProcess;
  let kubectl: Kubectl;
  beforeAll(async () => {
    flotilla = await startFlotilla();
    kubectl = kubectlWith(flotilla.kubeconfig);
  });
  afterAll(() => flotilla.remove());
  beforeEach(() => kubectl.ok(['delete', 'cm,secrets,vci', '--all', '--namespace', namespace, '--wait']));

  const names = async () =>
    (await kubectl.ok(['get', 'cm,vci', '--namespace', namespace, '-l', 'app=web', '-o', 'name'])).split('\n').sort();
  const instance = `virtualclusterinstance.${managementGroup}`;

  it('deletes what is no longer in the manifests, of the kinds in the allowlist', async () => {
    const apply = (input: string) =>
      kubectl.ok(
        [
          'apply',
          '--namespace',
          namespace,
          '--prune',
          '-l',
          'app=web',
          '--prune-allowlist=core/v1/ConfigMap',
          `--prune-allowlist=${managementGroup}/v1/VirtualClusterInstance`,
          '-f',
          '-',
        ],
        { input },
      );
    await apply(manifest(['a', 'b'], ['x', 'y']));
    expect(await names()).toEqual(['', 'configmap/a', 'configmap/b', `${instance}/x`, `${instance}/y`]);
    const printed = await apply(manifest(['a'], ['x']));
    expect(printed).toContain('configmap/b pruned');
    expect(printed).toContain(`${instance}/y pruned`);
    expect(printed).toContain('configmap/a unchanged');
  });

  it.each(['secrets', 'configmaps'])('keeps an ApplySet in one of the %s', async (parent) => {
    const apply = (input: string) =>
      kubectl.ok(['apply', '--namespace', namespace, '--prune', `--applyset=${parent}/web-set`, '-f', '-'], {
        input,
        env: { KUBECTL_APPLYSET: 'true' },
      });
    await apply(manifest(['a', 'b'], ['x']));
    const annotations = await kubectl.ok([
      'get',
      parent,
      'web-set',
      '--namespace',
      namespace,
      '-o',
      'jsonpath={.metadata.annotations}',
    ]);
    expect(annotations).toContain(`ConfigMap,VirtualClusterInstance.${managementGroup}`);
    const printed = await apply(manifest(['a'], []));
    expect(printed).toContain('configmap/b pruned');
    expect(printed).toContain(`${instance}/x pruned`);
    expect((await names()).filter((name) => name.startsWith('configmap/'))).toEqual(['configmap/a']);
  });

  it('creates, shows and edits Secrets and ConfigMaps as in Kubernetes', async () => {
    const inProject = ['--namespace', namespace];
    await kubectl.ok(['create', 'secret', 'generic', 'token', '--from-literal=value=hidden', ...inProject]);
    await kubectl.ok(['create', 'configmap', 'settings', '--from-literal=a=b', ...inProject]);
    expect(await kubectl.ok(['get', 'secret', 'token', ...inProject])).toMatch(
      /^NAME +TYPE +DATA +AGE\ntoken +Opaque +1 /,
    );
    const described = await kubectl.ok(['describe', 'secret', 'token', ...inProject]);
    expect(described).toMatch(/value: +6 bytes/);
    expect(described).not.toContain('hidden');
    await kubectl.ok(['patch', 'configmap', 'settings', ...inProject, '-p', '{"data":{"a":"c"}}']);
    expect(await kubectl.ok(['get', 'cm', 'settings', ...inProject, '-o', 'jsonpath={.data.a}'])).toBe('c');
    expect(await kubectl.ok(['diff', '-f', '-', ...inProject], { input: manifest([], []) })).toBe('');
    expect(await kubectl.ok(['explain', 'secret.stringData'])).toContain('Write-only');
  });
});
