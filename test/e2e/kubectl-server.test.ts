import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { type Kubectl, kubectlMissing, kubectlWith, rawPath } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const group = 'management.platform.sh';

describeIfAvailable(kubectlMissing, 'kubectl and the server itself', () => {
  let flotilla: FlotillaProcess;
  let kubectl: Kubectl;

  beforeAll(async () => {
    flotilla = await startFlotilla();
    kubectl = kubectlWith(flotilla.kubeconfig);
  });
  afterAll(() => flotilla.remove());

  it('lists the kinds and versions (KUBECTL-21)', async () => {
    const resources = await kubectl.ok(['api-resources', '--no-headers']);
    for (const plural of [
      'virtualclusterinstances',
      'projects',
      'clusters',
      'users',
      'teams',
      'ownedaccesskeys',
      'accesskeys',
      'directclusterendpointtokens',
      'namespaces',
      'events',
    ]) {
      expect(resources).toMatch(new RegExp(`^${plural} `, 'm'));
    }
    expect(await kubectl.ok(['api-versions'])).toContain(`${group}/v1\n`);
    expect(await kubectl.ok(['api-resources', '-o', 'wide', '--namespaced=true'])).toMatch(
      /virtualclusterinstances.*deletecollection/,
    );
  });

  it('reports its version, health and raw paths (KUBECTL-27, KUBECTL-28)', async () => {
    expect(await kubectl.ok(['version'])).toMatch(/Server Version: v1\.\d+/);
    expect(await kubectl.ok(['get', '--raw', rawPath('/readyz')])).toBe('ok');
    expect(await kubectl.ok(['get', '--raw', rawPath('/livez?verbose')])).toMatch(/livez check passed/);
    expect(await kubectl.ok(['get', '--raw', rawPath('/openapi/v3')])).toContain(`apis/${group}/v1`);
  });

  it('answers auth can-i, --list and whoami (KUBECTL-22, KUBECTL-23, KUBECTL-24)', async () => {
    expect(await kubectl.ok(['auth', 'can-i', 'create', 'vci', '-n', 'platform-p-default'])).toBe('yes\n');
    const nobody = await kubectl.run(['auth', 'can-i', 'create', 'vci', '--as', 'nobody']);
    expect(nobody.stdout).toMatch(/^no\b/);
    expect(nobody.code).toBe(1);
    expect(await kubectl.ok(['auth', 'can-i', '--list'])).toMatch(/\*\.\* .*\[\*\]/);
    expect(await kubectl.ok(['auth', 'whoami'])).toMatch(/Username +admin/);
    expect(await kubectl.ok(['auth', 'whoami'])).toMatch(/platform:admins/);
  });

  it('lists events, and no unexpected ones (KUBECTL-32)', async () => {
    const { stderr, code } = await kubectl.run(['events', '-n', 'platform-p-default']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/No events found/);
  });

  it('creates a working access key, shows it once, and revokes it', async () => {
    const key = JSON.parse(
      await kubectl.ok(['create', '-f', '-', '-o', 'json'], {
        input: `apiVersion: ${group}/v1\nkind: OwnedAccessKey\nmetadata:\n  name: pipeline\nspec:\n  displayName: pipeline\n  ttl: 3600\n`,
      }),
    );
    expect(key.spec.key).toMatch(/^flk_[0-9A-Za-z]{46}$/);
    const shown = await kubectl.ok([
      'get',
      `ownedaccesskeys.${group}`,
      'pipeline',
      '-o',
      'yaml',
      '--show-managed-fields',
    ]);
    expect(shown).not.toContain(key.spec.key);
    expect(await kubectl.ok(['get', 'ownedaccesskeys'])).toMatch(/^pipeline .*Active/m);
    const asKey = (args: string[]) =>
      kubectl.run(['--token', key.spec.key, '--server', `${flotilla.url}/kubernetes/management`, ...args]);
    expect((await asKey(['auth', 'whoami'])).stdout).toMatch(/admin/);
    await kubectl.ok(['delete', `ownedaccesskeys.${group}`, 'pipeline']);
    const after = await asKey(['get', 'vci']);
    expect(after.code).toBe(1);
  });

  it('creates a project with its namespace and deletes both, instances first', async () => {
    await kubectl.ok(['create', '-f', '-'], {
      input: `apiVersion: ${group}/v1\nkind: Project\nmetadata:\n  name: blue\nspec:\n  displayName: Blue\n  allowedClusters: [{name: '*'}]\n  allowedTemplates: [{kind: VirtualClusterTemplate, name: '*'}]\n`,
    });
    expect(await kubectl.ok(['get', 'ns', 'platform-p-blue'])).toMatch(/Active/);
    await kubectl.ok(['create', '-f', '-'], {
      input: `apiVersion: ${group}/v1\nkind: VirtualClusterInstance\nmetadata:\n  name: inside\n  namespace: platform-p-blue\n`,
    });
    await kubectl.ok(['delete', 'project', 'blue']);
    expect((await kubectl.run(['get', 'ns', 'platform-p-blue'])).stderr).toContain('not found');
    expect(await kubectl.ok(['get', 'vci', '-A', '-o', 'name'])).not.toContain('inside');
  });

  it('creates the key of a cluster’s agent, and reports clearly which cluster has none', async () => {
    await kubectl.ok(['create', '-f', '-'], {
      input: `apiVersion: ${group}/v1\nkind: Cluster\nmetadata:\n  name: edge\nspec:\n  networkPeer: true\n`,
    });
    const askFor = (cluster: string) =>
      kubectl.run(['create', '--raw', rawPath(`/apis/${group}/v1/clusters/${cluster}/accesskey`), '-f', '-'], {
        input: '{}',
      });
    const made = JSON.parse((await askFor('edge')).stdout);
    expect(made).toMatchObject({ kind: 'ClusterAccessKey', managementHost: flotilla.url });
    // The key is only for the agent's own requests, so it gives no access to other objects.
    const asAgent = await kubectl.run([
      '--token',
      made.accessKey,
      'get',
      '--raw',
      rawPath(`/apis/${group}/v1/clusters`),
    ]);
    expect(asAgent.stderr).toMatch(/\(Forbidden\).*edge/);
    const { stderr, code } = await askFor('local');
    expect([code, stderr]).toEqual([1, expect.stringContaining('the built-in cluster local has no agent')]);
    await kubectl.ok(['delete', 'cluster', 'edge']);
  });

  it('keeps its objects and its keys across a restart', async () => {
    await kubectl.ok(['create', '-f', '-'], {
      input: `apiVersion: ${group}/v1\nkind: VirtualClusterInstance\nmetadata:\n  name: stays\n  namespace: platform-p-default\n`,
    });
    await kubectl.ok(['wait', 'vci/stays', '--for=condition=Ready', '--timeout=30s']);
    const before = await kubectl.ok(['get', 'vci', 'stays', '-o', 'json']);
    flotilla = await flotilla.restart();
    kubectl = kubectlWith(flotilla.kubeconfig);
    expect(await kubectl.ok(['get', 'vci', 'stays', '-o', 'json'])).toBe(before);
  });
});
