import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { type Kubectl, kubectlMissing, kubectlWith } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const group = 'management.platform.sh';
const vci = `virtualclusterinstances.${group}`;

function instance(name: string, extra = ''): string {
  return `apiVersion: ${group}/v1
kind: VirtualClusterInstance
metadata:
  name: ${name}
  namespace: platform-p-default
spec:
  displayName: ${name}
${extra}`;
}

describeIfAvailable(kubectlMissing, 'kubectl and the objects of the management API', () => {
  let flotilla: FlotillaProcess;
  let kubectl: Kubectl;
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-e2e-'));

  function file(name: string, text: string): string {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  }

  beforeAll(async () => {
    flotilla = await startFlotilla();
    kubectl = kubectlWith(flotilla.kubeconfig);
  });
  afterAll(() => flotilla.remove());

  it('gets an empty list and reports it (KUBECTL-00, KUBECTL-01, KUBECTL-03)', async () => {
    const { code, stderr } = await kubectl.run(['get', 'virtualclusterinstances', '-n', 'platform-p-default']);
    expect(stderr.trim()).toBe('No resources found in platform-p-default namespace.');
    expect(code).toBe(0);
  });

  it('creates from a file, gets by short name with our columns, wide, and as YAML (KUBECTL-01, KUBECTL-05)', async () => {
    const path = file('first.yaml', instance('first'));
    expect(await kubectl.ok(['create', '-f', path])).toBe(`virtualclusterinstance.${group}/first created\n`);
    const table = await kubectl.ok(['get', 'vci']);
    expect(table.split('\n')[0]).toMatch(/^NAME +STATUS +CLUSTER +TEMPLATE +VERSION +OWNER +AGE$/);
    expect(table).toMatch(/^first +.*local +control-plane/m);
    expect(await kubectl.ok(['get', 'vci', '-o', 'wide'])).toMatch(/platform-default-v-first-/);
    const yaml = await kubectl.ok(['get', 'vci', 'first', '-o', 'yaml']);
    expect(yaml).toMatch(/displayName: first/);
    expect(yaml).toMatch(/user: admin/);
    expect(await kubectl.ok(['get', 'platform', '-o', 'name'])).toContain(`virtualclusterinstance.${group}/first`);
  });

  it('refuses a second create, an unknown field, and a bad name with the server’s messages (KUBECTL-03, KUBECTL-05)', async () => {
    const twice = await kubectl.run(['create', '-f', file('first.yaml', instance('first'))]);
    expect(twice.code).toBe(1);
    expect(twice.stderr).toContain(`Error from server (AlreadyExists): error when creating`);
    expect(twice.stderr).toContain(`${vci} "first" already exists`);
    const unknown = await kubectl.run(['create', '-f', '-'], { input: instance('second', '  nonsense: 1\n') });
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('strict decoding error: unknown field "spec.nonsense"');
    const bad = await kubectl.run(['create', '-f', '-'], { input: instance('Bad_Name') });
    expect(bad.stderr).toContain('metadata.name: Invalid value: "Bad_Name"');
  });

  it('dry-runs on the server without a trace (KUBECTL-05)', async () => {
    await kubectl.ok(['create', '--dry-run=server', '-f', file('dry.yaml', instance('dry'))]);
    const { code, stderr } = await kubectl.run(['get', 'vci', 'dry']);
    expect(code).toBe(1);
    expect(stderr.trim()).toBe(`Error from server (NotFound): ${vci} "dry" not found`);
  });

  it('applies, prints unchanged the second time, and configured after a change (KUBECTL-06)', async () => {
    const path = file('applied.yaml', instance('applied'));
    expect(await kubectl.ok(['apply', '-f', path])).toMatch(/applied created/);
    expect(await kubectl.ok(['apply', '-f', path])).toMatch(/applied unchanged/);
    file('applied.yaml', instance('applied', '  description: changed\n'));
    expect(await kubectl.ok(['apply', '-f', path])).toMatch(/applied configured/);
    expect(await kubectl.ok(['get', 'vci', 'applied', '-o', 'jsonpath={.spec.description}'])).toBe('changed');
  });

  it('applies server-side, names the manager in a conflict, and takes over with force (KUBECTL-08)', async () => {
    const path = file('ssa.yaml', instance('ssa', '  description: one\n'));
    await kubectl.ok(['apply', '--server-side', '-f', path]);
    await kubectl.ok(['apply', '--server-side', '-f', path]);
    file('ssa.yaml', instance('ssa', '  description: two\n'));
    const conflict = await kubectl.run(['apply', '--server-side', '--field-manager', 'other', '-f', path]);
    expect(conflict.code).toBe(1);
    expect(conflict.stderr).toMatch(/Apply failed with 1 conflict: conflict with "kubectl": .spec.description/);
    await kubectl.ok(['apply', '--server-side', '--force-conflicts', '--field-manager', 'other', '-f', path]);
    expect(await kubectl.ok(['get', 'vci', 'ssa', '-o', 'jsonpath={.spec.description}'])).toBe('two');
  });

  it('moves from client-side to server-side apply (KUBECTL-08, SSA-35)', async () => {
    const path = file('moved.yaml', instance('moved', '  description: one\n'));
    await kubectl.ok(['apply', '-f', path]);
    file('moved.yaml', instance('moved', '  description: two\n'));
    await kubectl.ok(['apply', '--server-side', '-f', path]);
    expect(await kubectl.ok(['get', 'vci', 'moved', '-o', 'jsonpath={.spec.description}'])).toBe('two');
  });

  it('shows a diff before a change and none after it (KUBECTL-10)', async () => {
    const path = file('applied.yaml', instance('applied', '  description: differs\n'));
    const before = await kubectl.run(['diff', '-f', path]);
    expect(before.code).toBe(1);
    expect(before.stdout).toMatch(/^\+ {2}description: differs$/m);
    await kubectl.ok(['apply', '-f', path]);
    expect((await kubectl.run(['diff', '-f', path])).code).toBe(0);
    expect((await kubectl.run(['diff', '--server-side', '--force-conflicts', '-f', path])).code).toBeLessThan(2);
  });

  it('edits through an editor (KUBECTL-11)', async () => {
    await kubectl.ok(['edit', 'vci', 'first'], {
      env: { KUBE_EDITOR: 'sed -i s/displayName:.*/displayName:\\ edited/' },
    });
    expect(await kubectl.ok(['get', 'vci', 'first', '-o', 'jsonpath={.spec.displayName}'])).toBe('edited');
  });

  it('labels, annotates, and selects by label (KUBECTL-01, KUBECTL-12)', async () => {
    await kubectl.ok(['label', 'vci', 'first', 'team=red']);
    await kubectl.ok(['annotate', 'vci', 'first', 'note=hello']);
    expect(await kubectl.ok(['get', 'vci', '-l', 'team=red', '-o', 'name'])).toBe(
      `virtualclusterinstance.${group}/first\n`,
    );
    expect(await kubectl.ok(['get', 'vci', '-l', 'team', '--show-labels'])).toContain('team=red');
    expect(await kubectl.ok(['get', 'vci', '-L', 'team'])).toMatch(/^first.*red/m);
    const stale = await kubectl.run(['label', 'vci', 'first', 'team=blue', '--overwrite', '--resource-version=1']);
    expect(stale.stderr).toContain('the object has been modified');
    expect(await kubectl.ok(['label', 'vci', 'first', '--list'])).toContain('team=red');
  });

  it('patches by JSON and by merge, and prints our 415 for a strategic patch (KUBECTL-13, PATCH-02)', async () => {
    const json = '[{"op":"add","path":"/metadata/annotations/by-json","value":"yes"}]';
    await kubectl.ok(['patch', vci, 'ssa', '--type=json', '-p', json]);
    await kubectl.ok(['patch', 'vci', 'ssa', '--type=merge', '-p', '{"spec":{"displayName":"merged"}}']);
    expect(
      await kubectl.ok(['get', 'vci', 'ssa', '-o', 'jsonpath={.metadata.annotations.by-json}{.spec.displayName}']),
    ).toBe('yesmerged');
    const strategic = await kubectl.run(['patch', 'vci', 'ssa', '-p', '{"spec":{"displayName":"x"}}']);
    expect(strategic.stderr).toContain('application/merge-patch+json');
    expect(strategic.code).toBe(1);
  });

  it('replaces, and replaces by force (KUBECTL-14, KUBECTL-15)', async () => {
    const path = file('replaced.yaml', instance('replaced'));
    await kubectl.ok(['create', '-f', path]);
    const uid = await kubectl.ok(['get', 'vci', 'replaced', '-o', 'jsonpath={.metadata.uid}']);
    file('replaced.yaml', instance('replaced', '  description: again\n'));
    await kubectl.ok(['replace', '-f', path]);
    expect(await kubectl.ok(['get', 'vci', 'replaced', '-o', 'jsonpath={.metadata.uid}'])).toBe(uid);
    await kubectl.ok(['replace', '--force', '-f', path]);
    expect(await kubectl.ok(['get', 'vci', 'replaced', '-o', 'jsonpath={.metadata.uid}'])).not.toBe(uid);
  });

  it('applies by force what cannot be changed in place (KUBECTL-07)', async () => {
    const path = file('forced.yaml', instance('forced', '  clusterRef: {namespace: one}\n'));
    await kubectl.ok(['apply', '-f', path]);
    const uid = await kubectl.ok(['get', 'vci', 'forced', '-o', 'jsonpath={.metadata.uid}']);
    file('forced.yaml', instance('forced', '  clusterRef: {namespace: two}\n'));
    const refused = await kubectl.run(['apply', '-f', path]);
    expect(refused.stderr).toMatch(/spec.clusterRef.namespace: Invalid value: "two": field is immutable/);
    // Without a timeout, kubectl does not wait for the deletion. The deletion takes time, because the virtual cluster
    // is deleted before the instance.
    await kubectl.ok(['apply', '--force', '--timeout=30s', '-f', path]);
    expect(await kubectl.ok(['get', 'vci', 'forced', '-o', 'jsonpath={.metadata.uid}'])).not.toBe(uid);
    expect(await kubectl.ok(['get', 'vci', 'forced', '-o', 'jsonpath={.spec.clusterRef.namespace}'])).toBe('two');
  });

  it('prints the server’s warnings, and fails with its own message if a command does not support the kind (KUBECTL-29, KUBECTL-35)', async () => {
    const unqualified = instance('warned').replace('  name: warned', '  name: warned\n  finalizers: [hold]');
    const { code, stderr } = await kubectl.run(['create', '-f', '-'], { input: unqualified });
    expect(code).toBe(0);
    expect(stderr).toContain('Warning: metadata.finalizers: "hold": prefer a domain-qualified finalizer name');
    await kubectl.ok(['patch', 'vci', 'warned', '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
    const rollout = await kubectl.run(['rollout', 'status', 'vci/warned']);
    expect(rollout.code).toBe(1);
    expect(rollout.stderr).toMatch(/^error: no /);
  });

  it('waits for a JSON path and for deletion (KUBECTL-17, KUBECTL-18)', async () => {
    await kubectl.ok(['wait', 'vci/first', '--for=jsonpath={.spec.displayName}=edited', '--timeout=20s']);
    await kubectl.ok(['create', '-f', file('brief.yaml', instance('brief'))]);
    const waiting = kubectl.ok(['wait', 'vci/brief', '--for=delete', '--timeout=30s']);
    await kubectl.ok(['delete', 'vci', 'brief']);
    await waiting;
  });

  it('watches as a Table, rows as they arrive (KUBECTL-04)', async () => {
    const watching = kubectl.follow(['get', 'vci', '-w']);
    await watching.waitForOutput(/^first /m);
    await kubectl.ok(['create', '-f', file('watched.yaml', instance('watched'))]);
    await watching.waitForOutput(/^watched /m);
    await watching.stop();
    const single = kubectl.follow(['get', 'vci', 'watched', '-w', '--output-watch-events']);
    await single.waitForOutput(/ADDED +watched/);
    await kubectl.ok(['delete', 'vci', 'watched']);
    await single.waitForOutput(/DELETED +watched/);
    await single.stop();
  });

  it('describes an object with its fields and the events section (KUBECTL-19)', async () => {
    const text = await kubectl.ok(['describe', 'vci', 'first']);
    expect(text).toMatch(/^Name: +first$/m);
    expect(text).toMatch(/Display Name: +edited/);
    expect(text).toMatch(/^Events:/m);
  });

  it('explains kinds and fields from OpenAPI (KUBECTL-20)', async () => {
    const text = await kubectl.ok(['explain', 'vci.spec']);
    expect(text).toMatch(/KIND: +VirtualClusterInstance/);
    expect(text).toMatch(/templateRef/);
    expect(await kubectl.ok(['explain', 'vci', '--recursive'])).toMatch(/creationTimestamp/);
    expect(await kubectl.ok(['explain', 'ownedaccesskeys.spec.scope'])).toMatch(/allowPlatformCli/);
  });

  it('deletes by name, label and all, in each cascade mode (KUBECTL-16)', async () => {
    for (const name of ['d1', 'd2', 'd3', 'd4'])
      await kubectl.ok(['create', '-f', file(`${name}.yaml`, instance(name))]);
    await kubectl.ok(['label', 'vci', 'd1', 'd2', 'gone=yes']);
    expect(await kubectl.ok(['delete', 'vci', '-l', 'gone=yes'])).toMatch(/"d1" deleted[\s\S]*"d2" deleted/);
    expect(await kubectl.ok(['delete', 'vci', 'd3', '--cascade=foreground'])).toMatch(/"d3" deleted/);
    await kubectl.ok(['delete', 'vci', 'd4', '--dry-run=server']);
    await kubectl.ok(['get', 'vci', 'd4']);
    await kubectl.ok(['delete', 'vci', 'd4', '--cascade=orphan', '--now']);
    const again = await kubectl.run(['delete', 'vci', 'd4']);
    expect(again.stderr).toContain('(NotFound)');
    expect(await kubectl.ok(['delete', 'vci', 'd4', '--ignore-not-found'])).toBe('');
  });

  it('gets the status subresource, sorts, and prints custom columns (KUBECTL-02)', async () => {
    await kubectl.ok(['get', 'vci', 'first', '--subresource=status', '-o', 'yaml']);
    await kubectl.ok(['get', 'vci', '--sort-by=.metadata.name']);
    expect(await kubectl.ok(['get', 'vci', 'first', '-o', 'custom-columns=N:.metadata.name', '--no-headers'])).toBe(
      'first\n',
    );
    expect(await kubectl.ok(['get', 'vci', '-A', '--field-selector', 'metadata.name=first', '-o', 'name'])).toContain(
      'first',
    );
  });

  it('names the missing namespace instead of the object (KUBECTL-34)', async () => {
    const { stderr } = await kubectl.run(['get', 'vci', 'x', '-n', 'platform-p-nowhere']);
    expect(stderr.trim()).toBe('Error from server (NotFound): namespaces "platform-p-nowhere" not found');
  });

  it('prunes objects that an apply no longer contains (KUBECTL-09)', async () => {
    const both = file(
      'prune.yaml',
      `${instance('keep', '').replace('  name: keep', '  name: keep\n  labels: {set: a}')}---\n${instance('drop').replace('  name: drop', '  name: drop\n  labels: {set: a}')}`,
    );
    const list = ['--prune', '-l', 'set=a', `--prune-allowlist=${group}/v1/VirtualClusterInstance`];
    await kubectl.ok(['apply', '-f', both, ...list]);
    const one = file('prune.yaml', instance('keep').replace('  name: keep', '  name: keep\n  labels: {set: a}'));
    expect(await kubectl.ok(['apply', '-f', one, ...list])).toMatch(/drop pruned/);
    await kubectl.ok(['wait', 'vci/drop', '--for=delete', '--timeout=30s']);
    expect((await kubectl.run(['get', 'vci', 'drop'])).code).toBe(1);
    await kubectl.ok(['get', 'vci', 'keep']);
  });
});
