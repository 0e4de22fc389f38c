import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dataFiles } from '../harness/data-files.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { type Kubectl, kubectlMissing, kubectlWith, rawPath } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const group = 'management.platform.sh';
const example = new URL('../../examples/virtual-cluster.yaml', import.meta.url).pathname;
const manifest = (apiVersion: string, kind: string, metadata: object, members: object = {}) =>
  JSON.stringify({ apiVersion, kind, metadata, ...members });

const paintings = manifest(
  'apiextensions.k8s.io/v1',
  'CustomResourceDefinition',
  { name: 'paintings.art.example' },
  {
    spec: {
      group: 'art.example',
      scope: 'Namespaced',
      names: { plural: 'paintings', singular: 'painting', kind: 'Painting' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object', properties: { colour: { type: 'string' } } } },
            },
          },
        },
      ],
    },
  },
);

describeIfAvailable(kubectlMissing, 'kubectl, from an instance to its virtual cluster', () => {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-walk-'));
  let flotilla: FlotillaProcess;
  let admin: Kubectl;
  let files = 0;

  beforeAll(async () => {
    const config = join(folder, 'config.yaml');
    writeFileSync(config, 'audit:\n  rules:\n    - level: RequestResponse\n');
    flotilla = await startFlotilla({ args: ['--config', config, '--log-level', 'debug'] });
    admin = kubectlWith(flotilla.kubeconfig);
  });
  afterAll(async () => {
    await flotilla.remove();
    rmSync(folder, { recursive: true });
  });

  /** Writes the kubeconfig from the subresource to a file. */
  async function kubeconfigOf(name: string, by: Kubectl = admin): Promise<string> {
    const path = `/apis/${group}/v1/namespaces/platform-p-default/virtualclusterinstances/${name}/kubeconfig`;
    const answer = await by.ok(['create', '--raw', rawPath(path), '-f', '-'], { input: '{}' });
    const file = join(folder, `${++files}.yaml`);
    writeFileSync(file, JSON.parse(answer).status.kubeConfig, { mode: 0o600 });
    return file;
  }

  async function make(name: string, spec: object = {}, annotations: object = {}): Promise<void> {
    const input = manifest(
      `${group}/v1`,
      'VirtualClusterInstance',
      { name, namespace: 'platform-p-default', annotations },
      { spec },
    );
    await admin.ok(['apply', '-f', '-'], { input });
    await admin.ok(['wait', '--for=condition=Ready', `vci/${name}`, '--timeout=30s']);
  }

  async function person(name: string): Promise<Kubectl> {
    await admin.ok(['create', '-f', '-'], { input: manifest(`${group}/v1`, 'User', { name }) });
    const input = manifest(`${group}/v1`, 'OwnedAccessKey', { name: `${name}s` }, { spec: { user: name } });
    const key = await admin.ok(['create', '-f', '-', '-o', 'jsonpath={.spec.key}'], { input });
    const file = join(folder, `${++files}.yaml`);
    writeFileSync(file, await admin.ok(['config', 'view', '--raw', '--minify']), { mode: 0o600 });
    const own = kubectlWith(file);
    await own.ok(['config', 'set-credentials', 'admin', `--token=${key}`]);
    return own;
  }

  it('goes from a manifest to a custom resource in the new cluster (completions §3)', async () => {
    await admin.ok(['apply', '-f', example]);
    await admin.ok(['wait', '--for=condition=Ready', 'vci/demo', '--timeout=30s']);
    const inside = kubectlWith(await kubeconfigOf('demo'));
    expect(await inside.ok(['create', 'namespace', 'web'])).toBe('namespace/web created\n');
    await inside.ok(['apply', '-f', '-'], { input: paintings });
    await inside.ok(['wait', '--for=condition=Established', 'crd/paintings.art.example', '--timeout=30s']);
    const painting = manifest(
      'art.example/v1',
      'Painting',
      { name: 'dawn', namespace: 'web' },
      { spec: { colour: 'red' } },
    );
    expect(await inside.ok(['apply', '-f', '-'], { input: painting })).toBe('painting.art.example/dawn created\n');
    expect(await inside.ok(['get', 'paintings', '-n', 'web', '-o', 'name'])).toBe('painting.art.example/dawn\n');
    expect(await inside.ok(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'])).toBe('admin');
    expect((await admin.run(['--context', 'local', 'get', 'ns', 'web'])).stderr).toMatch(/NotFound/);
    const watch = inside.follow(['get', 'ns', '-w']);
    await watch.waitForOutput(/web/);
    await inside.ok(['create', 'namespace', 'later']);
    await watch.waitForOutput(/later/);
    await watch.stop();
  });

  it('admits other users with the roles that they are given, and nobody else (completions §8)', async () => {
    const anna = await person('anna');
    const bob = await person('bob');
    await make('shared', {
      access: [{ name: 'use', verbs: ['get', 'use'], users: ['anna'] }],
      extraAccessRules: [{ users: ['anna'], clusterRole: 'view' }],
    });
    const inside = kubectlWith(await kubeconfigOf('shared', anna));
    expect(await inside.ok(['get', 'ns', '-o', 'name'])).toContain('namespace/default');
    expect((await inside.run(['create', 'namespace', 'mine'])).stderr).toMatch(/Forbidden.*User "anna" cannot create/);
    expect((await inside.run(['get', 'cm', '--as', 'root', '--as-group', 'system:masters'])).stderr).toMatch(
      /Forbidden/,
    );
    await expect(kubeconfigOf('shared', bob)).rejects.toThrow(/Forbidden/);

    await admin.ok(['delete', 'accesskey', 'annas']);
    expect((await inside.run(['get', 'cm'])).stderr).toMatch(/Unauthorized|logged in/);
  });

  it('accepts the tokens of the virtual cluster’s own service accounts (completions §8)', async () => {
    await make('robots');
    await make('others');
    const inside = kubectlWith(await kubeconfigOf('robots'));
    await inside.ok(['create', 'serviceaccount', 'robot']);
    const binding = ['clusterrolebinding', 'robot', '--clusterrole=cluster-admin', '--serviceaccount=default:robot'];
    await inside.ok(['create', ...binding]);
    const token = (await inside.ok(['create', 'token', 'robot'])).trim();
    const as = (file: string) => {
      const robot = kubectlWith(file);
      return async (args: readonly string[]) => {
        await robot.ok(['config', 'set-credentials', await userIn(robot), `--token=${token}`]);
        return await robot.run(args);
      };
    };
    const whoami = ['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'];
    expect((await as(await kubeconfigOf('robots'))(whoami)).stdout).toBe('system:serviceaccount:default:robot');
    expect((await as(await kubeconfigOf('others'))(whoami)).stderr).toMatch(/Unauthorized|logged in/);
  });

  it('wakes the virtual cluster on use, unless it is set to sleep (completions §3)', async () => {
    await make('sleepy');
    const inside = kubectlWith(await kubeconfigOf('sleepy'));
    await inside.ok(['create', 'namespace', 'kept']);
    // Makes kubectl cache discovery: if the discovery request itself is refused, kubectl shows only the status code.
    await inside.ok(['get', 'ns']);
    await admin.ok(['annotate', 'vci/sleepy', 'sleepmode.platform.sh/force=true']);
    await admin.ok(['wait', '--for=jsonpath={.status.phase}=Sleeping', 'vci/sleepy', '--timeout=30s']);
    expect((await inside.run(['get', 'ns', 'kept'])).stderr).toMatch(/is asleep.*Remove the annotation/);
    await admin.ok(['annotate', 'vci/sleepy', 'sleepmode.platform.sh/force-']);
    expect(await inside.ok(['get', 'ns', 'kept', '-o', 'name'])).toBe('namespace/kept\n');
  });

  it('cannot use a token of a deleted instance, nor on the next instance of that name (completions §3)', async () => {
    await make('again');
    const before = kubectlWith(await kubeconfigOf('again'));
    await before.ok(['get', 'ns']);
    await admin.ok(['delete', 'vci/again', '--wait=true']);
    expect((await before.run(['get', 'ns'])).stderr).toMatch(/Unauthorized|logged in/);
    await make('again');
    expect((await before.run(['get', 'ns'])).stderr).toMatch(/Unauthorized|logged in/);
    await kubectlWith(await kubeconfigOf('again')).ok(['get', 'ns']);
  });

  it('leaves no token on disk, in a log or in an audit line (completions §11)', async () => {
    const file = await kubeconfigOf('demo');
    const inside = kubectlWith(file);
    await inside.ok(['get', 'ns']);
    const token = (await inside.ok(['config', 'view', '--raw', '-o', 'jsonpath={.users[0].user.token}'])).trim();
    const signature = token.split('.')[2] ?? '';
    expect(signature.length).toBeGreaterThan(80);
    expect(flotilla.output()).not.toContain(signature);
    expect(await dataFiles(flotilla.dataDirectory)).not.toContain(signature);
  });
});

async function userIn(kubectl: Kubectl): Promise<string> {
  return await kubectl.ok(['config', 'view', '-o', 'jsonpath={.users[0].name}']);
}
