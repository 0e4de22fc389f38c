import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CliHome, cliHome } from '../harness/cli.ts';
import { itExceptOnEtcd } from '../harness/etcd/it-except-on-etcd.ts';
import { workerEtcdFlags } from '../harness/etcd/worker-etcd.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { type Kubectl, kubectlMissing, kubectlWith, rawPath } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';

describeIfAvailable(kubectlMissing, 'a server with the API word loft', () => {
  let home: CliHome;
  let settings: string;
  let flotilla: FlotillaProcess;
  let kubectl: Kubectl;

  beforeAll(async () => {
    home = cliHome({ KUBECONFIG: '' });
    home.env.KUBECONFIG = join(home.folder, 'kubeconfig');
    settings = join(home.folder, 'settings.yaml');
    writeFileSync(settings, 'api: { word: loft }\n');
    flotilla = await startFlotilla({ args: ['--config', settings] });
    kubectl = kubectlWith(flotilla.kubeconfig);
  });
  afterAll(async () => {
    home.remove();
    await flotilla.remove();
  });

  const ca = () => join(flotilla.dataDirectory, 'ca.crt');

  it('has the word in groups, namespaces, categories and fields, and the default nowhere', async () => {
    const resources = await kubectl.ok(['api-resources', '-o', 'wide']);
    expect(resources).toMatch(/^virtualclusterinstances .* management\.loft\.sh\/v1 .* loft$/m);
    expect(resources).not.toContain('platform');
    expect(await kubectl.ok(['get', 'namespaces', '-o', 'name'])).toContain('namespace/loft-p-default\n');
    expect(await kubectl.ok(['explain', 'ownedaccesskeys.spec.scope'])).toMatch(/allowLoftCli/);
    for (const path of ['/openapi/v3', '/openapi/v2', '/apis/management.loft.sh/v1']) {
      expect(await kubectl.ok(['get', '--raw', rawPath(path)])).not.toContain('platform');
    }
    expect(await kubectl.ok(['explain', 'projects.spec.members'])).toMatch(/loft-management-project-admin/);
  });

  it('creates a virtual cluster with kubectl, in worker threads that have the same word', async () => {
    const manifest = `
      apiVersion: management.loft.sh/v1
      kind: VirtualClusterInstance
      metadata: { name: demo, namespace: loft-p-default }
      spec:
        template: { objects: "{apiVersion: v1, kind: ConfigMap, metadata: {name: own, namespace: default}, data: {of: '{{ .Values.loft.name }}'}}" }
    `;
    await kubectl.ok(['apply', '-f', '-'], { input: manifest });
    await kubectl.ok(['-n', 'loft-p-default', 'wait', '--for=condition=Ready', 'vci/demo', '--timeout=30s']);
    const inside = ['--server', `${flotilla.url}/kubernetes/project/default/virtualcluster/demo`];
    expect(await kubectl.ok([...inside, '-n', 'default', 'get', 'configmap', 'own', '-o', 'jsonpath={.data.of}'])).toBe(
      'demo',
    );
    const local = ['--server', `${flotilla.url}/kubernetes/cluster/local`];
    expect(await kubectl.ok([...local, 'get', 'virtualclusters.storage.loft.sh', '-A', '-o', 'name'])).toContain(
      '/demo',
    );
    expect(await kubectl.ok([...local, 'get', 'namespaces', '-o', 'name'])).toMatch(
      /^namespace\/loft-default-v-demo-/m,
    );
  });

  it('is used by the command line, which learns the word at login', async () => {
    const input = { input: flotilla.adminKey };
    expect(await home.ok(['login', flotilla.url, '--ca-file', ca(), '--access-key-stdin'], input)).toContain(
      'as admin',
    );
    const config = readFileSync(join(home.folder, '.config', 'flotilla', 'config.json'), 'utf8');
    expect(config).toContain('"apiWord": "loft"');
    await home.ok(['create', 'second', '--wait']);
    expect(await home.ok(['list', '-o', 'name'])).toBe(
      'virtualclusterinstance.management.loft.sh/demo\nvirtualclusterinstance.management.loft.sh/second\n',
    );
    expect(await home.ok(['connect', 'second', '--', 'kubectl', 'get', 'namespaces', '-o', 'name'])).toContain(
      'namespace/default',
    );
    expect(await home.ok(['connect', 'second', '--', 'env'])).not.toContain('FLOTILLA_API_WORD');
    await home.ok(['access-key', 'create', 'ci', '--cli-only', '-o', 'name']);
    expect(await kubectl.ok(['get', 'ownedaccesskey', 'ci', '-o', 'yaml'])).toContain('allowLoftCli: true');
    await home.ok(['sleep', 'second']);
    expect(await kubectl.ok(['-n', 'loft-p-default', 'get', 'vci', 'second', '-o', 'yaml'])).toContain(
      'sleepmode.loft.sh/force: "true"',
    );
    await home.ok(['delete', 'second', '--wait']);
  });

  it('is not found by a client without a login that has another word', async () => {
    const asCi = {
      FLOTILLA_URL: flotilla.url,
      FLOTILLA_ACCESS_KEY: flotilla.adminKey,
      FLOTILLA_CA_FILE: ca(),
      FLOTILLA_CONFIG: '/nowhere/x',
    };
    const { code, stderr } = await home.run(['list'], { env: asCi });
    expect([code, stderr]).toEqual([4, expect.stringContaining('this client uses the API word "platform"')]);
    expect((await home.run(['list'], { env: { ...asCi, FLOTILLA_API_WORD: 'loft' } })).code).toBe(0);
  });

  it('sends the word to the console', async () => {
    const page = await kubectl.ok(['--server', flotilla.url, 'get', '--raw', '/']);
    expect(page).toContain('<meta name="api-word" content="loft" />');
  });

  /** Runs `flotilla start`, which is expected to fail. */
  const start = async (dataDirectory: string, env: Record<string, string> = {}) => {
    const store = Object.entries(workerEtcdFlags(dataDirectory)).flatMap(([flag, value]) => [`--${flag}`, value]);
    return await home.run(['start', '--data-dir', dataDirectory, '--listen', '127.0.0.1:0', ...store], { env });
  };
  const refusal = {
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^flotilla: this installation has the API word "loft", .* to "platform": set api\.word: loft .*\n$/,
    ),
  };

  it('refuses to start with another word, and keeps its data', async () => {
    await flotilla.stop();
    expect(await start(flotilla.dataDirectory)).toEqual(refusal);
    expect(await start(flotilla.dataDirectory, { FLOTILLA_API_WORD: 'Loft' })).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^flotilla: FLOTILLA_API_WORD: "Loft" is not an API word; .*\n$/),
    });
    flotilla = await flotilla.restart();
    kubectl = kubectlWith(flotilla.kubeconfig);
    expect(await kubectl.ok(['-n', 'loft-p-default', 'get', 'vci', '-o', 'name'])).toContain('/demo');
  });

  itExceptOnEtcd('keeps its word in a backup', 'the restored store is in a data directory', async () => {
    const [backup, restored] = [join(home.folder, 'loft.backup'), join(home.folder, 'restored')];
    await home.ok(['backup', backup, '--data-dir', flotilla.dataDirectory]);
    const sealKey = join(flotilla.dataDirectory, 'seal.key');
    await home.ok(['restore', backup, '--data-dir', restored, '--seal-key-file', sealKey]);
    expect(await start(restored)).toEqual(refusal);
    const copy = await startFlotilla({ dataDirectory: restored, environment: { FLOTILLA_API_WORD: 'loft' } });
    expect(await copy.stop()).toBe(0);
  });
});
