import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { type Kubectl, kubectlMissing, kubectlWith } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const group = 'management.platform.sh';
const red = ['-n', 'platform-p-red'];

/** The setup by an administrator: three users, and a project for two of them. */
const prepared = `
apiVersion: v1
kind: List
items:
${['anna', 'bob', 'stranger'].map((name) => `- {apiVersion: ${group}/v1, kind: User, metadata: {name: ${name}}}`).join('\n')}
- apiVersion: ${group}/v1
  kind: Project
  metadata: {name: red}
  spec:
    allowedClusters: [{name: "*"}]
    allowedTemplates: [{name: "*"}]
    members:
    - {kind: User, name: anna, clusterRole: platform-management-project-user}
    - {kind: User, name: bob, clusterRole: platform-management-project-admin}
`;

const instance = `
apiVersion: ${group}/v1
kind: VirtualClusterInstance
metadata: {name: mine, namespace: platform-p-red}
spec: {displayName: Mine}
`;

describeIfAvailable(kubectlMissing, 'kubectl for users who are not admins', () => {
  let flotilla: FlotillaProcess;
  let kubectl: Kubectl;

  /** Creates a key for a user. Returns kubectl with that key. */
  async function keyOf(user: string, name: string, scope = '') {
    const input = `{apiVersion: ${group}/v1, kind: OwnedAccessKey, metadata: {name: ${name}}, spec: {user: ${user}${scope}}}`;
    const token = await kubectl.ok(['create', '-f', '-', '-o', 'jsonpath={.spec.key}'], { input });
    const as = (args: readonly string[]) => ['--token', token, ...args];
    return {
      run: (args: readonly string[], input = '') => kubectl.run(as(args), { input }),
      ok: (args: readonly string[], input = '') => kubectl.ok(as(args), { input }),
    };
  }

  beforeAll(async () => {
    flotilla = await startFlotilla();
    kubectl = kubectlWith(flotilla.kubeconfig);
    await kubectl.ok(['apply', '-f', '-'], { input: prepared });
  });
  afterAll(() => flotilla.remove());

  it('creates, applies, shows and deletes the user’s own objects, and nothing else', async () => {
    const anna = await keyOf('anna', 'annas');
    const stranger = await keyOf('stranger', 'strangers');
    expect(await anna.ok(['apply', '-f', '-'], instance)).toMatch(/created/);
    expect(await anna.ok(['apply', '-f', '-'], instance)).toMatch(/unchanged/);
    expect(await anna.ok(['apply', '--server-side', '--force-conflicts', '-f', '-'], instance)).toMatch(
      /serverside-applied/,
    );
    expect(await anna.ok(['get', 'vci', '-A', '--no-headers'])).toMatch(/^platform-p-red +mine /);
    expect(await anna.ok(['get', 'ns', '-o', 'name'])).toBe('namespace/platform-p-red\n');
    const hidden = await stranger.run(['get', 'vci', ...red]);
    expect(hidden.stderr).toMatch(/Forbidden.*User "stranger" cannot list resource "virtualclusterinstances"/);
    expect((await stranger.run(['get', 'vci', '-A'])).stderr).toMatch(/No resources found/);
    expect((await stranger.run(['apply', '-f', '-'], instance)).stderr).toMatch(/Forbidden/);
    expect(await anna.ok(['delete', 'vci', 'mine', ...red, '--wait=true'])).toMatch(/deleted/);
  });

  it('reports the user’s permissions, by name if they depend on the object (KUBECTL-22, KUBECTL-23)', async () => {
    const anna = await keyOf('anna', 'annas-other');
    await anna.ok(['apply', '-f', '-'], instance);
    expect(await anna.ok(['auth', 'can-i', 'delete', 'vci/mine', ...red])).toBe('yes\n');
    expect((await anna.run(['auth', 'can-i', 'delete', 'vci', ...red])).stdout).toMatch(/^no - .*by name/);
    expect((await anna.run(['auth', 'can-i', 'delete', 'vci/other', ...red])).stdout).toMatch(/^yes/);
    const list = await anna.ok(['auth', 'can-i', '--list', ...red]);
    expect(list).toMatch(
      /virtualclusterinstances\.management\.platform\.sh +\[\] +\[mine\] +\[get update patch delete use\]/,
    );
    expect(list).toMatch(/virtualclusterinstances\.management\.platform\.sh +\[\] +\[\] +\[list watch create\]/);
    await kubectl.ok(['delete', 'vci', 'mine', ...red]);
  });

  it('works with a key for one project, and not outside of it', async () => {
    const bob = await keyOf('bob', 'bobs', ', scope: {allowPlatformCli: true, projects: [{project: red}]}');
    expect(await bob.ok(['create', '-f', '-'], instance)).toMatch(/created/);
    expect(await bob.ok(['get', 'projects', '-o', 'name'])).toBe(`project.${group}/red\n`);
    expect((await bob.run(['get', 'ownedaccesskeys'])).stderr).toMatch(/outside of the scope of the access key/);
    expect((await bob.run(['get', 'users'])).stderr).toMatch(/outside of the scope of the access key/);
    expect(await bob.ok(['delete', 'vci', '--all', ...red])).toMatch(/"mine" deleted/);
  });
});
