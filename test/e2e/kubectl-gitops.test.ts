import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { type Kubectl, kubectlMissing, kubectlWith } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';

describeIfAvailable(kubectlMissing, 'GitOps with kubectl (completions §2, §3)', () => {
  let flotilla: FlotillaProcess;
  let kubectl: Kubectl;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'manifests-'));
    flotilla = await startFlotilla();
    kubectl = kubectlWith(flotilla.kubeconfig);
  });
  afterAll(async () => {
    await flotilla.remove();
    rmSync(folder, { recursive: true });
  });

  /** Writes a manifest as it is stored in Git and returns its path. */
  function inGit(name: string, displayName = 'In Git', label = 'shop'): string {
    const file = join(folder, `${name}.yaml`);
    const lines = [
      'apiVersion: management.platform.sh/v1',
      'kind: VirtualClusterInstance',
      `metadata: {name: ${name}, namespace: platform-p-default, labels: {app: ${label}}}`,
      `spec: {displayName: ${displayName}}`,
      '',
    ];
    writeFileSync(file, lines.join('\n'));
    return file;
  }

  const live = async (name: string) => JSON.parse(await kubectl.ok(['get', 'vci', name, '-o', 'json']));
  const ready = (name: string) => kubectl.ok(['wait', '--for=condition=Ready', `vci/${name}`, '--timeout=20s']);
  /** Expects an empty diff: kubectl exits with 1 and prints the diff otherwise. */
  const noDifference = async (args: readonly string[]) => {
    const { code, stdout, stderr } = await kubectl.run(['diff', ...args]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' });
  };

  it('applies the same manifest repeatedly: it is unchanged and the diff is empty, before and after Ready', async () => {
    const file = inGit('forever');
    expect(await kubectl.ok(['apply', '-f', file])).toMatch(/created/);
    for (let round = 0; round < 5; round++) {
      expect(await kubectl.ok(['apply', '-f', file])).toMatch(/unchanged/);
      await noDifference(['-f', file]);
    }
    await ready('forever');
    const before = await live('forever');
    expect(await kubectl.ok(['apply', '-f', file])).toMatch(/unchanged/);
    await noDifference(['-f', file]);
    expect(await live('forever')).toEqual(before);
    expect(before.metadata.generation).toBe(1);

    inGit('forever', 'Another');
    const { code, stdout } = await kubectl.run(['diff', '-f', file]);
    expect(code).toBe(1);
    const changed = stdout.split('\n').filter((line) => /^[-+] /.test(line));
    expect(changed.map((line) => line.replace(/\s+/g, ' '))).toEqual([
      '- generation: 1',
      '+ generation: 2',
      '- displayName: In Git',
      '+ displayName: Another',
    ]);
    expect(await kubectl.ok(['apply', '-f', file])).toMatch(/configured/);
    await kubectl.ok([
      'wait',
      '--for=jsonpath={.status.conditions[?(@.type=="Ready")].observedGeneration}=2',
      'vci/forever',
    ]);
    await noDifference(['-f', file]);
  });

  it('applies server-side with two managers repeatedly, with an empty diff for each', async () => {
    const shop = inGit('both');
    const rights = join(folder, 'both-rights.yaml');
    writeFileSync(
      rights,
      'apiVersion: management.platform.sh/v1\nkind: VirtualClusterInstance\nmetadata: {name: both, namespace: platform-p-default}\nspec: {access: [{name: readers, verbs: [get], users: [admin]}]}\n',
    );
    const as = (manager: string, file: string) => ['--server-side', '--field-manager', manager, '-f', file];
    for (let round = 0; round < 3; round++) {
      await kubectl.ok(['apply', ...as('argocd-controller', shop)]);
      await kubectl.ok(['apply', ...as('kustomize-controller', rights)]);
    }
    await ready('both');
    const before = await live('both');
    await kubectl.ok(['apply', ...as('argocd-controller', shop)]);
    await kubectl.ok(['apply', ...as('kustomize-controller', rights)]);
    await noDifference(as('argocd-controller', shop));
    await noDifference(as('kustomize-controller', rights));
    expect(await live('both')).toEqual(before);
  });

  it('migrates from kubectl apply to server-side apply, with its fields', async () => {
    const file = inGit('migrated');
    await kubectl.ok(['apply', '-f', file]);
    await ready('migrated');
    const before = await live('migrated');
    await kubectl.ok(['apply', '--server-side', '-f', file]);
    await kubectl.ok(['apply', '--server-side', '-f', file]);
    await noDifference(['--server-side', '-f', file]);
    const after = await live('migrated');
    expect({ spec: after.spec, status: after.status }).toEqual({ spec: before.spec, status: before.status });
    inGit('migrated', 'Another');
    await kubectl.ok(['apply', '--server-side', '-f', file]);
    expect((await live('migrated')).spec.displayName).toBe('Another');
  });

  it('manages a whole installation: users, teams, templates, projects and their contents', async () => {
    const file = join(folder, 'whole.yaml');
    const object = (kind: string, name: string, spec: object, namespace?: string) =>
      JSON.stringify({
        apiVersion: 'management.platform.sh/v1',
        kind,
        metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
        spec,
      });
    const objects = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: "{{ .Values.team }}"}\n';
    const documents = [
      object('User', 'ana', { displayName: 'Ana' }),
      object('Team', 'payments', { displayName: 'Payments', users: ['ana'] }),
      object('VirtualClusterTemplate', 'small', {
        template: { objects },
        parameters: [{ variable: 'team', required: true }],
      }),
      object('Project', 'payments', {
        members: [{ kind: 'Team', name: 'payments', clusterRole: 'platform-management-project-user' }],
        allowedClusters: [{ name: 'local' }],
        allowedTemplates: [{ name: 'small', isDefault: true }],
        quotas: { project: { virtualclusterinstances: 3 } },
      }),
      object(
        'VirtualClusterInstance',
        'till',
        { owner: { team: 'payments' }, parameters: 'team: red' },
        'platform-p-payments',
      ),
    ];
    writeFileSync(file, documents.join('\n---\n'));
    expect((await kubectl.ok(['apply', '-f', file])).match(/ created/g)).toHaveLength(documents.length);
    for (let round = 0; round < 3; round++) {
      expect((await kubectl.ok(['apply', '-f', file])).match(/ unchanged/g)).toHaveLength(documents.length);
      await noDifference(['-f', file]);
    }
    await kubectl.ok(['wait', '-n', 'platform-p-payments', '--for=condition=Ready', 'vci/till', '--timeout=20s']);
    expect((await kubectl.ok(['apply', '-f', file])).match(/ unchanged/g)).toHaveLength(documents.length);
    await noDifference(['-f', file]);
    await noDifference(['--server-side', '--field-manager', 'kubectl-client-side-apply', '-f', file]);
    await kubectl.ok(['delete', '-f', file, '--timeout=30s']);
    expect(await kubectl.ok(['get', 'projects,users,virtualclustertemplates', '-o', 'name'])).not.toMatch(
      /\/(payments|ana|small)$/m,
    );
  });

  it('replaces with the original manifest', async () => {
    const file = inGit('replaced');
    await kubectl.ok(['create', '-f', file]);
    await ready('replaced');
    const before = await live('replaced');
    expect(await kubectl.ok(['replace', '-f', file])).toMatch(/replaced/);
    expect(await live('replaced')).toEqual(before);
    expect(await kubectl.ok(['replace', '--dry-run=server', '-f', file, '-o', 'json'])).toBeTruthy();
  });

  it('plans a create and a change without executing them', async () => {
    const file = inGit('planned');
    const plan = JSON.parse(await kubectl.ok(['apply', '--server-side', '--dry-run=server', '-f', file, '-o', 'json']));
    expect((await kubectl.run(['get', 'vci', 'planned'])).stderr).toContain('not found');
    const made = JSON.parse(await kubectl.ok(['apply', '--server-side', '-f', file, '-o', 'json']));
    expect(made.spec).toEqual(plan.spec);
  });

  it('prunes what was removed from Git, and waits until it is gone', async () => {
    const [stays, goes] = [inGit('stays', 'A', 'pruned'), inGit('goes', 'B', 'pruned')];
    await kubectl.ok(['apply', '-f', stays, '-f', goes]);
    const kind = 'management.platform.sh/v1/VirtualClusterInstance';
    const pruned = ['apply', '-f', stays, '--prune', '-l', 'app=pruned', '--prune-allowlist', kind];
    expect(await kubectl.ok(pruned)).toMatch(/goes.* pruned/);
    await kubectl.ok(['wait', '--for=delete', 'vci/goes', '--timeout=20s']);
    expect(await kubectl.ok(['get', 'vci', '-l', 'app=pruned', '-o', 'name'])).toBe(
      'virtualclusterinstance.management.platform.sh/stays\n',
    );
    await kubectl.ok(['apply', '-f', goes]);
    await ready('goes');
  });
});
