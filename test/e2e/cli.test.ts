import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hostNamespaceFor } from '../../src/management/instances/placement.ts';
import { type CliHome, cliHome } from '../harness/cli.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { kubectlMissing } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const root = new URL('../..', import.meta.url).pathname;
const example = (name: string) => join(root, 'examples', name);

describeIfAvailable(kubectlMissing, 'the CLI with pipes', () => {
  let flotilla: FlotillaProcess;
  let home: CliHome;

  beforeAll(async () => {
    home = cliHome({ KUBECONFIG: '' });
    // The test connects a cluster on this machine, so loopback addresses must be allowed.
    const config = join(home.folder, 'server.yaml');
    writeFileSync(config, 'hosts: {deniedCIDRs: []}\n');
    flotilla = await startFlotilla({ args: ['--config', config] });
    home.env.KUBECONFIG = join(home.folder, 'kubeconfig');
    await home.ok(['login', flotilla.url, '--ca-file', ca(), '--access-key-stdin'], { input: flotilla.adminKey });
  });
  afterAll(async () => {
    home.remove();
    await flotilla.remove();
  });

  const ca = () => join(flotilla.dataDirectory, 'ca.crt');
  const kubectl = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)('kubectl', args, { env: { ...process.env, ...home.env } });
    return stdout;
  };

  it('stores a login for its owner alone, and shows the current identity', async () => {
    const config = join(home.folder, '.config', 'flotilla', 'config.json');
    expect(statSync(config).mode & 0o777).toBe(0o600);
    expect(await home.ok(['whoami'])).toMatch(/^user: +admin$/m);
    expect(await home.ok(['whoami', '-o', 'jsonpath={.status.user.name}'])).toBe('admin');
    expect(await home.ok(['context', 'list'])).not.toContain(flotilla.adminKey);
  });

  it('creates, shows, uses, sleeps, wakes and deletes a virtual cluster', async () => {
    const made = await home.run(['create', 'demo', '--connect']);
    expect(made.code).toBe(0);
    expect(made.stdout).toMatch(/^virtual cluster "demo" created in project "default" on cluster "local"\n/);
    // There is no animation and no color without a terminal.
    expect(made.stderr).toMatch(/✓ Scheduled \(.*✓ Ready \([\d.]+ m?s\)/s);
    expect(`${made.stdout}${made.stderr}`).not.toContain('\u001b');
    expect(await kubectl('get', 'ns', '-o', 'name')).toContain('namespace/default');
    expect(await home.ok(['list'])).toMatch(/^NAME +STATUS +CLUSTER .*\ndemo +Ready +local /);
    expect(await home.ok(['list', '-A'])).toMatch(/^PROJECT +NAME .*\ndefault +demo /);
    expect(await home.ok(['list', '-o', 'name'])).toBe('virtualclusterinstance.management.platform.sh/demo\n');
    expect(JSON.parse(await home.ok(['get', 'demo', '-o', 'json']))).toMatchObject({ kind: 'VirtualClusterInstance' });
    expect(await home.ok(['describe', 'demo'])).toMatch(/Conditions:\n.*Ready +True.*Events:\n.*Installed/s);
    expect(await home.ok(['connect', 'demo', '--', 'kubectl', 'get', 'ns', '-o', 'name'])).toContain(
      'namespace/default',
    );
    expect((await home.run(['connect', 'demo', '--', 'sh', '-c', 'exit 7'])).code).toBe(7);
    // Neither the process list nor the environment of the command contains a secret.
    const around = await home.ok([
      'connect',
      'demo',
      '--',
      'sh',
      '-c',
      'tr "\\0" " " < /proc/$PPID/cmdline; env; ls -l "$KUBECONFIG"',
    ]);
    expect(around).toMatch(/-rw------- .*kubeconfig\n$/);
    expect(around).not.toContain(flotilla.adminKey);
    expect(around).not.toMatch(/eyJ[\w-]+\./);
    // Runs as administrator on the server's machine, without a login.
    const noLogin = { env: { FLOTILLA_CONFIG: '/nowhere/x' } };
    const printed = await home.ok(['kubeconfig', 'demo', '--data-dir', flotilla.dataDirectory], noLogin);
    expect(printed).toMatch(/\/project\/default\/virtualcluster\/demo/);
    expect(await home.ok(['kubeconfig', 'demo', '--print', '--ttl', '10m'])).toMatch(/current-context: default\/demo/);
    const file = join(home.folder, 'management.kubeconfig');
    await home.ok(['kubeconfig', '--management', '--file', file]);
    expect(await kubectl('--kubeconfig', file, 'get', 'vci', '-o', 'name')).toMatch(/demo/);
    expect(await home.ok(['sleep', 'demo', '--wait'])).toBe('virtual cluster "demo" is asleep\n');
    expect(await home.ok(['wake', 'demo', '--wait'])).toBe('virtual cluster "demo" is awake\n');
    const again = await home.run(['create', 'demo']);
    expect(again).toMatchObject({ code: 5, stdout: '' });
    expect(again.stderr).toMatch(
      /^flotilla: virtual cluster "demo" already exists in project "default"; use --recreate [^\n]*\n$/,
    );
    const uid = await home.ok(['get', 'demo', '-o', 'jsonpath={.metadata.uid}']);
    expect((await home.run(['create', 'demo', '--recreate', '--wait'])).code).toBe(0);
    expect(await home.ok(['get', 'demo', '-o', 'jsonpath={.metadata.uid}'])).not.toBe(uid);
    expect(await home.ok(['delete', 'demo', '--wait'])).toBe('virtual cluster "demo" deleted\n');
    // The deletion also removed the kubectl context.
    expect(await kubectl('config', 'get-contexts', '-o', 'name')).toBe('');
    expect((await home.run(['delete', 'demo'])).code).toBe(4);
    expect((await home.run(['delete', 'demo', '--ignore-not-found'])).code).toBe(0);
  });

  it('stops waiting for a virtual cluster whose condition does not change by itself', async () => {
    const template = {
      apiVersion: 'management.platform.sh/v1',
      kind: 'VirtualClusterTemplate',
      metadata: { name: 'broken' },
      spec: { template: { objects: '{{ index .Values.list 5 }}' } },
    };
    await home.ok(['apply', '-f', '-'], { input: JSON.stringify(template) });
    const { code, stderr } = await home.run(['create', 'broken', '--template', 'broken', '--wait']);
    expect(stderr).toMatch(/virtual cluster "broken" does not become ready: The template cannot be rendered/);
    expect(code).toBe(1);
    await home.ok(['delete', 'broken', '--wait']);
  });

  it('stops waiting for a virtual cluster whose location belongs to another one', async () => {
    const location = { namespace: hostNamespaceFor('default', 'taken'), name: 'taken' };
    const other = { apiVersion: 'storage.platform.sh/v1', kind: 'VirtualCluster', metadata: location };
    const local = ['--kubeconfig', join(flotilla.dataDirectory, 'admin.kubeconfig'), '--context', 'local'];
    await kubectl(...local, 'create', 'namespace', location.namespace);
    const file = join(home.folder, 'taken.json');
    writeFileSync(file, JSON.stringify(other));
    await kubectl(...local, 'create', '-f', file);
    const { code, stderr } = await home.run(['create', 'taken', '--wait']);
    expect(stderr).toMatch(/virtual cluster "taken" does not become ready: .*namespace "platform-default-v-taken-/);
    expect(stderr).toMatch(/is already in use: .*Remove the conflicting object/);
    expect(code).toBe(1);
    const instance = JSON.parse(await home.ok(['get', 'taken', '-o', 'json']));
    expect(JSON.stringify(instance.status.conditions)).toContain('"reason":"PlaceTaken"');
    await home.ok(['delete', 'taken', '--wait']);
    await kubectl(...local, 'delete', '-f', file);
  });

  it('reports an error in one line, with the documented exit code', async () => {
    const wrong: [string[], number, RegExp, Record<string, string>?][] = [
      [['fly'], 2, /unknown command 'fly'/],
      [['list', '-o', 'xml'], 2, /-o xml is not an output format/],
      [['create'], 2, /missing required argument 'name'/],
      [['create', 'x', '--timeout', 'soon', '--wait'], 2, /--timeout: "soon" is not a duration/],
      [['login', 'http://127.0.0.1'], 2, /is not the URL of a server/],
      [['get', 'nothing'], 4, /virtual cluster "nothing" not found in project "default"/],
      [['list', '--project', 'nothing'], 4, /project "nothing" not found/],
      [['project', 'get', 'nothing'], 4, /project "nothing" not found; there are: default/],
      [['list'], 3, /the server rejected the access key/, { FLOTILLA_ACCESS_KEY: 'flk_wrong' }],
      [['list'], 3, /not logged in; run: flotilla login URL/, { FLOTILLA_CONFIG: '/nowhere/config.json' }],
      [['list'], 4, /login "other" not found/, { FLOTILLA_CONTEXT: 'other' }],
      [['list'], 3, /no access key for https:\/\/127.0.0.1:1/, { FLOTILLA_URL: 'https://127.0.0.1:1' }],
      [['list'], 1, /cannot reach the server at/, { FLOTILLA_URL: 'https://127.0.0.1:1', FLOTILLA_ACCESS_KEY: 'x' }],
      [
        ['list'],
        1,
        /is not trusted/,
        { FLOTILLA_URL: flotilla.url, FLOTILLA_ACCESS_KEY: 'x', FLOTILLA_CONFIG: '/nowhere/x' },
      ],
      [
        ['login', flotilla.url, '--access-key', 'x'],
        3,
        /is not trusted; the fingerprint of its CA is SHA256:/,
        { FLOTILLA_CONFIG: '/nowhere/x' },
      ],
      [['logs', 'nothing'], 4, /virtual cluster "nothing" not found/],
    ];
    for (const [args, code, line, env = {}] of wrong) {
      const refused = await home.run(args, { env });
      expect({ args, code: refused.code }).toEqual({ args, code });
      expect(refused.stdout).toBe('');
      expect(refused.stderr).toMatch(/^flotilla: [^\n]+\n$/);
      expect(refused.stderr).toMatch(line);
    }
  });

  it('times out with the reason, and leaves the created instance', async () => {
    await home.ok(['apply', '-f', '-'], { input: stuckTemplate });
    const late = await home.run(['create', 'stuck', '--template', 'stuck', '--wait', '--timeout', '2s']);
    expect(late.code).toBe(6);
    expect(late.stderr).toMatch(
      /flotilla: timed out waiting for virtual cluster "stuck" to become ready: .*Nowhere.*\n$/,
    );
    expect(await home.ok(['get', 'stuck', '-o', 'name'])).toMatch(/stuck/);
    await home.ok(['delete', 'stuck', '--wait']);
    await home.ok(['template', 'delete', 'stuck']);
  });

  it('creates keys that are shown once, and narrows, rotates and deletes them', async () => {
    const file = join(home.folder, 'ci.key');
    const made = await home.run([
      'access-key',
      'create',
      'ci',
      '--scope-project',
      'default',
      '--allow-cli',
      '--ttl',
      '30d',
      '--file',
      file,
    ]);
    expect(made).toMatchObject({ code: 0, stdout: '' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const key = readFileSync(file, 'utf8').trim();
    const asCi = {
      FLOTILLA_URL: flotilla.url,
      FLOTILLA_ACCESS_KEY: key,
      FLOTILLA_CA_FILE: ca(),
      FLOTILLA_CONFIG: '/nowhere/x',
    };
    expect(await home.ok(['whoami'], { env: asCi })).toMatch(/access key: ci User\nscope: .*"project":"default"/);
    expect(await home.ok(['list'], { env: asCi })).toBe('');
    expect((await home.run(['user', 'list'], { env: asCi })).code).toBe(3);
    // For a project outside the scope, the server responds with an empty list in every format.
    await home.ok(['project', 'create', 'payments']);
    for (const format of [[], ['-o', 'json'], ['--watch']]) {
      const elsewhere = await home.run(['list', '-p', 'payments', ...format], { env: asCi });
      expect(elsewhere).toEqual({
        code: 3,
        stdout: '',
        stderr:
          'flotilla: access key "ci" has no access to project "payments"; its scope is project default; show it with: flotilla whoami\n',
      });
    }
    await home.ok(['project', 'delete', 'payments']);
    expect(await home.ok(['access-key', 'list'])).toMatch(/^ci .* Active /m);
    expect(await home.ok(['access-key', 'get', 'ci', '-o', 'yaml'])).not.toContain(key);
    const rotated = (await home.ok(['access-key', 'rotate', 'ci'])).trim();
    expect(rotated).toMatch(/^flk_[0-9A-Za-z]{46}$/);
    expect((await home.run(['list'], { env: asCi })).code).toBe(3);
    expect((await home.run(['list'], { env: { ...asCi, FLOTILLA_ACCESS_KEY: rotated } })).code).toBe(0);
    // The file changes only if the server accepts the new value.
    expect((await home.run(['access-key', 'rotate', 'unknown', '--file', file])).code).toBe(4);
    expect(readFileSync(file, 'utf8').trim()).toBe(key);
    await home.ok(['access-key', 'disable', 'ci']);
    expect((await home.run(['list'], { env: { ...asCi, FLOTILLA_ACCESS_KEY: rotated } })).code).toBe(3);
    await home.ok(['access-key', 'delete', 'ci']);
    expect((await home.run(['access-key', 'get', 'ci'])).code).toBe(4);
    // If the key cannot be written to its file, the key is deleted again.
    expect((await home.run(['access-key', 'create', 'lost', '--file', '/nowhere/key'])).code).toBe(1);
    expect((await home.run(['access-key', 'get', 'lost'])).code).toBe(4);
  });

  it('logs in with a password, and logs out everywhere', async () => {
    await home.ok(['user', 'create', 'anna', '--password-stdin'], { input: 'correct horse\n' });
    const env = { FLOTILLA_CONFIG: join(home.folder, 'anna.json') };
    const login = ['login', flotilla.url, '--ca-file', ca(), '--username', 'anna', '--password-stdin'];
    const wrong = await home.run(login, { input: 'battery\n', env });
    expect(wrong).toMatchObject({ code: 3, stderr: 'flotilla: wrong username or password\n' });
    expect(await home.ok(login, { input: 'correct horse\n', env })).toMatch(/as anna/);
    const { contexts } = JSON.parse(readFileSync(env.FLOTILLA_CONFIG, 'utf8'));
    const { accessKey } = Object.values(contexts)[0] as { accessKey: string };
    expect(await home.ok(['whoami'], { env })).toMatch(/access key: login-\S+ Login/);
    await home.ok(['logout'], { env });
    const asAnna = { FLOTILLA_URL: flotilla.url, FLOTILLA_CA_FILE: ca(), FLOTILLA_ACCESS_KEY: accessKey };
    expect((await home.run(['whoami'], { env: asAnna })).code).toBe(3);
  });

  it('is kubectl’s exec plugin, caches tokens, and puts none into the kubeconfig', async () => {
    await home.ok(['create', 'plugged', '--wait']);
    await home.ok(['connect', 'plugged', '--exec']);
    const kubeconfig = readFileSync(home.env.KUBECONFIG ?? '', 'utf8');
    expect(kubeconfig).not.toMatch(/token: /);
    expect(await kubectl('get', 'ns', '-o', 'name')).toContain('namespace/default');
    const credential = async () =>
      JSON.parse(await home.ok(['token', '--exec-credential', '--virtual-cluster', 'plugged']));
    const first = await credential();
    expect(first).toMatchObject({ kind: 'ExecCredential', status: { expirationTimestamp: expect.any(String) } });
    expect((await credential()).status.token).toBe(first.status.token);
    expect(await home.ok(['token', '--direct', '--ttl', '10m'])).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    expect(await kubectl('flotilla', 'get', 'plugged', '-o', 'name')).toMatch(/plugged/);
    expect(await kubectl('__complete', 'flotilla', 'get', 'plu')).toMatch(/^plugged\n:4$/m);
    await home.ok(['disconnect', 'plugged']);
    await home.ok(['delete', 'plugged']);
  });

  it('applies files, shares, and manages projects and their members', async () => {
    expect(await home.ok(['apply', '-f', example('virtual-cluster.yaml')])).toBe(
      'virtualclusterinstance.management.platform.sh/demo created\n',
    );
    expect(await home.ok(['apply', '-f', example('virtual-cluster.yaml')])).toMatch(/ unchanged\n$/);
    await home.ok(['user', 'create', 'bert']);
    expect(await home.ok(['share', 'demo', '--user', 'bert', '--role', 'view'])).toBe(
      'virtual cluster "demo" shared with bert, with the cluster role view\n',
    );
    expect(await home.ok(['share', 'demo'])).toMatch(/bert +get, use\nbert +cluster role view\n$/);
    await home.ok(['share', 'demo', '--user', 'bert', '--remove']);
    expect(await home.ok(['share', 'demo'])).not.toContain('bert');
    const others = ['cleo', 'dora', 'emil', 'fred'];
    await Promise.all(others.map((name) => home.ok(['user', 'create', name])));
    await Promise.all(others.map((name) => home.ok(['share', 'demo', '--user', name])));
    const [line = ''] = (await home.ok(['share', 'demo'])).split('\n').filter((one) => one.includes('get, use'));
    expect(line.split(/,? +/).slice(0, others.length).sort()).toEqual(others);
    await home.ok(['project', 'create', 'red', '--display-name', 'Red']);
    await home.ok(['member', 'add', 'bert', '--project', 'red']);
    expect((await home.run(['member', 'add', 'bert', '--project', 'red'])).code).toBe(5);
    expect((await home.run(['project', 'create', 'red'])).code).toBe(5);
    await home.ok(['member', 'edit', 'bert', '--project', 'red', '--role', 'admin']);
    expect(await home.ok(['member', 'list', '--project', 'red'])).toMatch(/^bert +User +admin/m);
    await home.ok(['member', 'remove', 'bert', '--project', 'red']);
    await home.ok(['project', 'edit', 'red', '--patch', '{spec: {displayName: Scarlet}}']);
    expect(await home.ok(['project', 'get', 'red', '-o', 'jsonpath={.spec.displayName}'])).toBe('Scarlet');
    expect(await home.ok(['create', 'inside', '--wait'], { env: { FLOTILLA_PROJECT: 'red' } })).toMatch(
      /project "red"/,
    );
    await home.ok(['project', 'delete', 'red']);
    await home.ok(['team', 'create', 'testers', '--user', 'bert']);
    expect(await home.ok(['team', 'list'])).toMatch(/^testers /m);
    await home.ok(['team', 'delete', 'testers']);
    await home.ok(['user', 'delete', 'bert']);
    await home.ok(['delete', 'demo', '--wait']);
  });

  it('renders templates, and imports a virtual cluster created by hand', async () => {
    const rendered = await home.ok(['template', 'test', example('template.yaml'), '--set', 'env=test', '--server']);
    expect(rendered).toMatch(/name: test\n +labels:\n +project: default/);
    const wrong = await home.run(['template', 'test', example('template.yaml'), '--set', 'env=prod']);
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toMatch(/spec\.parameters\.env: .*supported values: "dev", "test"/);
    expect((await home.run(['template', 'get', 'small'])).code).toBe(4);
    await home.ok(['template', 'create', '-f', example('template.yaml')]);
    await home.ok(['create', 'small', '--template', 'small@1.x.x', '--set', 'env=dev', '--wait']);
    expect(await home.ok(['connect', 'small', '--', 'kubectl', 'get', 'ns', 'dev', '-o', 'name'])).toBe(
      'namespace/dev\n',
    );
    await home.ok(['delete', 'small', '--wait']);
    await home.ok(['template', 'delete', 'small']);

    const byHand = readFileSync(example('built-in-virtual-cluster.yaml'), 'utf8');
    await promisify(execFile)('kubectl', [
      '--kubeconfig',
      flotilla.kubeconfig,
      '--context',
      'local',
      'apply',
      '-f',
      example('built-in-virtual-cluster.yaml'),
    ]);
    expect(byHand).toContain('name: demo');
    expect(await home.ok(['importable', 'local'])).toMatch(/^local\/default\/demo /m);
    expect(await home.ok(['import', 'local/default/demo', '--as', 'imported', '--dry-run'])).toMatch(
      /would be imported/,
    );
    expect(await home.ok(['import', 'local/default/demo', '--as', 'imported'])).toMatch(/as "imported"\n$/);
    expect((await home.run(['importable', 'local'])).stdout).toBe('');
    expect(await home.ok(['delete', 'imported', '--wait'])).toMatch(/deleted/);
  });

  it('connects a cluster with one context of a kubeconfig, including referenced files', async () => {
    const file = join(home.folder, 'paris.yaml');
    writeFileSync(join(home.folder, 'ca.pem'), readFileSync(ca()));
    writeFileSync(join(home.folder, 'token'), 'secret-token\n');
    writeFileSync(file, parisKubeconfig(flotilla.url));
    const exec = await home.run(['cluster', 'add', 'paris', '--kubeconfig', file, '--context', 'cloud']);
    expect(exec.code).toBe(1);
    expect(exec.stderr).toMatch(/gets its credentials from a program \(exec\).*kubectl create serviceaccount/);
    expect((await home.run(['cluster', 'add', 'paris', '--kubeconfig', file, '--context', 'x'])).stderr).toMatch(
      /context "x" not found in .*; available: admin, cloud/,
    );
    expect(await home.ok(['cluster', 'add', 'paris', '--kubeconfig', file, '--context', 'admin'])).toBe(
      'cluster "paris" created\n',
    );
    expect(await home.ok(['cluster', 'get', 'paris'])).toMatch(/^paris .*kubeconfig/m);
    await home.ok(['cluster', 'edit', 'paris', '--kubeconfig', file, '--context', 'admin']);
    await home.ok(['cluster', 'delete', 'paris']);
  });

  it('stops when the reader of its output closes the pipe', async () => {
    await home.ok(['create', 'one']);
    const script = 'set -o pipefail; flotilla list -o json | head -1';
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env: { ...process.env, ...home.env } });
    expect(stdout).toBe('{\n');
    await home.ok(['delete', 'one']);
  });

  it('takes little more CPU time than Node itself', () => {
    const [node = 0, version, list] = processorSeconds(['node -e 0', 'flotilla --version', 'flotilla list']);
    // The limits are relative, because absolute times depend on the machine and its load.
    expect(version).toBeLessThan(2.5 * node);
    expect(list).toBeLessThan(8 * node);
  });

  /**
   * Returns the lowest CPU time of a few alternating runs of each command. Other programs on the machine can only
   * increase the time.
   */
  function processorSeconds(commands: readonly string[]): number[] {
    // If NODE_EXTRA_CA_CERTS is set, loading these CAs costs more time than a command.
    const env = { ...process.env, ...home.env, NODE_EXTRA_CA_CERTS: '' };
    const rounds = Array.from({ length: 7 }, () =>
      commands.map((command) => {
        const script = `TIMEFORMAT='%U %S'; time ${command} >/dev/null 2>&1`;
        const { stderr } = spawnSync('bash', ['-c', script], { env, encoding: 'utf8' });
        const [user = 0, system = 0] = stderr.trim().split(' ').map(Number);
        return user + system;
      }),
    );
    return commands.map((_, at) => Math.min(...rounds.map((times) => times[at] ?? 0)));
  }
});

const stuckTemplate = JSON.stringify({
  apiVersion: 'management.platform.sh/v1',
  kind: 'VirtualClusterTemplate',
  metadata: { name: 'stuck' },
  spec: { template: { objects: 'apiVersion: example.com/v1\nkind: Nowhere\nmetadata:\n  name: x\n' } },
});

function parisKubeconfig(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'paris', cluster: { server: `${server}/paris`, 'certificate-authority': 'ca.pem' } }],
    users: [
      { name: 'admin', user: { tokenFile: 'token' } },
      { name: 'cloud', user: { exec: { command: 'cloud', apiVersion: 'client.authentication.k8s.io/v1' } } },
    ],
    contexts: [
      { name: 'admin', context: { cluster: 'paris', user: 'admin' } },
      { name: 'cloud', context: { cluster: 'paris', user: 'cloud' } },
    ],
  });
}
