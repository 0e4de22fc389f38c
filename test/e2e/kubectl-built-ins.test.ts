import { afterAll, beforeAll, expect, it } from 'vitest';
import { kubectlMissing } from '../harness/kubectl.ts';
import { type LocalCluster, startLocalCluster } from '../harness/local-cluster.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const manifest = (kind: string, name: string, members: object) =>
  JSON.stringify({ apiVersion: 'v1', kind, metadata: { name, namespace: 'built-ins' }, ...members });
const account = (...names: string[]) =>
  manifest('ServiceAccount', 'robot', { secrets: names.map((name) => ({ name })) });

describeIfAvailable(kubectlMissing, 'kubectl and the built-in Kubernetes kinds', () => {
  let cluster: LocalCluster;
  const ok = (...args: string[]) => cluster.kubectl.ok(['-n', 'built-ins', ...args]);
  const apply = (input: string, ...args: string[]) =>
    cluster.kubectl.ok(['-n', 'built-ins', 'apply', '-f', '-', ...args], { input });
  const names = () => ok('get', 'sa', 'robot', '-o', 'jsonpath={.secrets[*].name}');

  beforeAll(async () => {
    cluster = await startLocalCluster();
    await cluster.kubectl.ok(['create', 'namespace', 'built-ins']);
  });
  afterAll(() => cluster.remove());

  it('explains their fields with their Kubernetes types (OAPI-07, OAPI-12)', async () => {
    expect(await ok('explain', 'configmap.data')).toMatch(/FIELD: data <map\[string\]string>/);
    expect(await ok('explain', 'ns.status.conditions')).toMatch(/FIELD: conditions <\[\]NamespaceCondition>/);
    expect(await ok('explain', 'crd.spec.versions.schema.openAPIV3Schema.items')).toMatch(/<JSONSchemaPropsOrArray>/);
    expect(await ok('explain', 'resourcequota.spec.hard')).toMatch(/<map\[string\]Quantity>/);
    expect(await ok('explain', 'role', '--output=plaintext-openapiv2')).toMatch(/rules\s+<\[\]Object>/);
  });

  it('applies changes as a strategic merge, and keeps what other clients added (KUBECTL-06, OAPI-09, PATCH-01)', async () => {
    await apply(account('one', 'two'));
    expect(await apply(account('one', 'two'))).toBe('serviceaccount/robot unchanged\n');
    await ok('patch', 'sa', 'robot', '-p', '{"secrets":[{"name":"others"}]}');
    const { stderr } = await cluster.kubectl.run(['-n', 'built-ins', 'apply', '-v=8', '-f', '-'], {
      input: account('two'),
    });
    expect(stderr).toContain('Content-Type: application/strategic-merge-patch+json');
    expect((await names()).split(' ').sort()).toEqual(['others', 'two']);
  });

  it('shows what an apply would change (KUBECTL-10)', async () => {
    const { code, stdout } = await cluster.kubectl.run(['diff', '-f', '-'], { input: account('two', 'three') });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^\+- name: three$/m);
  });

  it('patches by strategic merge by default, labels, annotates and edits (KUBECTL-11 to KUBECTL-13)', async () => {
    await ok('patch', 'sa', 'robot', '-p', '{"secrets":[{"$patch":"delete","name":"others"}]}');
    expect(await names()).toBe('two');
    await apply(manifest('ConfigMap', 'paint', { data: { color: 'red' } }));
    await ok('label', 'cm', 'paint', 'a=b');
    await ok('annotate', 'cm', 'paint', 'c=d');
    await cluster.kubectl.ok(['-n', 'built-ins', 'edit', 'cm', 'paint'], {
      env: { KUBE_EDITOR: "sed -i 's/^  color: red$/  color: blue/'" },
    });
    expect(await ok('get', 'cm', 'paint', '-o', 'jsonpath={.data.color} {.metadata.labels.a}')).toBe('blue b');
  });

  it('reports unknown fields and conflicts (DEC-15, SSA-12, KUBECTL-08)', async () => {
    const wrong = manifest('ConfigMap', 'paint', { dota: {} });
    const refused = await cluster.kubectl.run(['apply', '-f', '-'], { input: wrong });
    expect(refused.stderr).toContain('strict decoding error: unknown field "dota"');
    const taken = await cluster.kubectl.run(['apply', '--server-side', '-f', '-'], {
      input: manifest('ConfigMap', 'paint', { data: { color: 'green' } }),
    });
    expect(taken.stderr).toContain('conflict with "kubectl-edit"');
    await apply(manifest('ConfigMap', 'paint', { data: { color: 'green' } }), '--server-side', '--force-conflicts');
    expect(await ok('get', 'cm', 'paint', '-o', 'jsonpath={.data.color}')).toBe('green');
  });
});
