import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CliHome, cliHome } from '../harness/cli.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { kubectlMissing } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';

interface KubectlRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

describeIfAvailable(kubectlMissing, 'a space', () => {
  let flotilla: FlotillaProcess;
  /** The home directories of the administrator and of a member of the project. */
  let home: CliHome;
  let annas: CliHome;
  let annasKey: string;

  beforeAll(async () => {
    flotilla = await startFlotilla();
    home = cliHome();
    annas = cliHome();
    for (const one of [home, annas]) one.env.KUBECONFIG = join(one.folder, 'kubeconfig');
    const login = ['login', flotilla.url, '--ca-file', ca(), '--access-key-stdin'];
    await home.ok(login, { input: flotilla.adminKey });
    await home.ok(['user', 'create', 'anna']);
    await home.ok(['member', 'add', 'anna', '--role', 'viewer']);
    annasKey = (await home.ok(['access-key', 'create', 'of-anna', '--user', 'anna'])).trim();
    await annas.ok(login, { input: annasKey });
  });
  afterAll(async () => {
    home.remove();
    annas.remove();
    await flotilla.remove();
  });

  const ca = () => join(flotilla.dataDirectory, 'ca.crt');

  async function kubectl(of: CliHome, ...args: string[]): Promise<KubectlRun> {
    try {
      const { stdout, stderr } = await promisify(execFile)('kubectl', args, { env: { ...process.env, ...of.env } });
      return { code: 0, stdout, stderr };
    } catch (error) {
      return error as KubectlRun;
    }
  }

  it('is created, used, shared, put to sleep, woken and deleted with the CLI and kubectl', async () => {
    const made = await home.run(['space', 'create', 'demo', '--connect']);
    expect(made).toMatchObject({ code: 0 });
    expect(made.stdout).toMatch(/^space "demo" created in project "default" on cluster "local"\n/);
    expect(made.stdout).toMatch(
      /^kubectl is now connected to space "demo" \(context flotilla\/default\/space\/demo in /m,
    );
    expect(made.stderr).toMatch(/✓ Scheduled \(.*✓ SpaceReady \(.*✓ Ready \([\d.]+ m?s\)/s);
    const namespace = await home.ok(['space', 'get', 'demo', '-o', 'jsonpath={.spec.clusterRef.namespace}']);
    expect(namespace).toMatch(/^platform-default-s-demo-\w{6}$/);

    // The namespace of the space is the default namespace in the kubeconfig context.
    expect((await kubectl(home, 'create', 'configmap', 'greeting', '--from-literal=a=b')).stdout).toBe(
      'configmap/greeting created\n',
    );
    expect((await kubectl(home, 'get', 'configmap', 'greeting', '-o', 'jsonpath={.metadata.namespace}')).stdout).toBe(
      namespace,
    );
    // Even an administrator reaches only this namespace through the space.
    for (const refused of [
      ['get', 'namespaces'],
      ['get', 'configmaps', '--all-namespaces'],
      ['get', 'configmaps', '--namespace', 'default'],
      ['create', 'namespace', 'more'],
    ]) {
      expect(await kubectl(home, ...refused)).toMatchObject({ code: 1, stderr: expect.stringContaining('Forbidden') });
    }

    expect(await home.ok(['space', 'list'])).toMatch(
      /^NAME +STATUS +CLUSTER +TEMPLATE +OWNER +AGE *\ndemo +Ready +local /,
    );
    expect(await home.ok(['space', 'describe', 'demo'])).toMatch(
      /Location: +platform-default-s-demo-.*Conditions:\n.*Ready +True/s,
    );
    expect((await home.run(['list'])).stderr).toContain('no virtual clusters found');

    // Until the space is shared, another member of the project has no access, not even at the address of the space.
    expect(await annas.run(['space', 'connect', 'demo'])).toMatchObject({ code: 3 });
    const server = `${flotilla.url}/kubernetes/project/default/space/demo`;
    expect(await home.ok(['space', 'kubeconfig', 'demo'])).toContain(`server: ${server}\n`);
    const direct = ['--server', server, '--certificate-authority', ca(), '--token', annasKey, '--namespace', namespace];
    expect(await kubectl(annas, ...direct, 'get', 'configmaps')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Forbidden'),
    });

    expect(await home.ok(['space', 'share', 'demo', '--user', 'anna', '--role', 'view'])).toBe(
      'space "demo" shared with anna, with the cluster role view\n',
    );
    await annas.ok(['space', 'connect', 'demo', '--exec']);
    expect((await kubectl(annas, 'get', 'configmaps', '-o', 'name')).stdout).toContain('configmap/greeting');
    expect(await kubectl(annas, 'create', 'configmap', 'other')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('forbidden'),
    });

    expect(await home.ok(['space', 'sleep', 'demo', '--wait'])).toBe('space "demo" is asleep\n');
    expect(await home.ok(['space', 'wakeup', 'demo', '--wait'])).toBe('space "demo" is awake\n');
    expect((await kubectl(home, 'get', 'configmaps', '-o', 'name')).stdout).toContain('configmap/greeting');

    await home.ok(['space', 'share', 'demo', '--user', 'anna', '--remove']);
    expect(await kubectl(annas, 'get', 'configmaps')).toMatchObject({ code: 1 });

    const gone = await home.run(['space', 'delete', 'demo', '--wait']);
    expect(gone).toMatchObject({ code: 0, stdout: 'space "demo" deleted\n' });
    expect(gone.stderr).toContain('context flotilla/default/space/demo removed from ');
    expect(
      (await kubectl(home, '--kubeconfig', flotilla.kubeconfig, '--context', 'local', 'get', 'namespace', namespace))
        .code,
    ).toBe(1);
    expect(await home.run(['space', 'get', 'demo'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('space "demo" not found in project "default"'),
    });
  });

  it('is created with --space under the name of a virtual cluster, which a scope for the space does not include', async () => {
    await home.ok(['create', 'twin', '--wait']);
    expect(await home.ok(['create', 'twin', '--space', '--wait'])).toMatch(/^space "twin" created /);
    await home.ok(['space', 'create', 'other', '--wait']);
    const key = await home.ok(['access-key', 'create', 'one', '--scope-space', 'default/twin', '--cli-only']);
    const scoped = { env: { FLOTILLA_URL: flotilla.url, FLOTILLA_CA_FILE: ca(), FLOTILLA_ACCESS_KEY: key.trim() } };
    const inside = ['--', 'kubectl', 'create', 'configmap', 'greeting'];
    expect(await home.ok(['space', 'connect', 'twin', ...inside], scoped)).toBe('configmap/greeting created\n');
    for (const refused of [
      ['space', 'connect', 'other', ...inside],
      ['connect', 'twin', ...inside],
    ]) {
      expect((await home.run(refused, scoped)).code).not.toBe(0);
    }
    await home.ok(['delete', 'twin', '--wait']);
    await home.ok(['space', 'delete', 'twin', 'other', '--wait']);
  });

  it('is imported from a namespace, which is kept when the space is deleted', async () => {
    const local = ['--kubeconfig', flotilla.kubeconfig, '--context', 'local'];
    await kubectl(home, ...local, 'create', 'namespace', 'web');
    expect(await home.ok(['space', 'import', 'local/web', '--as', 'site', '--dry-run'])).toBe(
      'local/web would be imported into project "default" as "site"\n',
    );
    expect(await home.ok(['space', 'import', 'local/web', '--as', 'site'])).toBe(
      'local/web imported into project "default" as "site"\n',
    );
    expect((await home.run(['space', 'import', 'web'])).stderr).toContain('must be <cluster>/<name>');
    await home.ok(['space', 'connect', 'site', '--', 'kubectl', 'create', 'configmap', 'greeting']);
    await home.ok(['space', 'delete', 'site', '--wait']);
    expect(
      (await kubectl(home, ...local, 'get', 'configmap', 'greeting', '--namespace', 'web', '-o', 'name')).stdout,
    ).toBe('configmap/greeting\n');
  });
});
