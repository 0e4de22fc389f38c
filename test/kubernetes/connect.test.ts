import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { flagAt, type JsonObject, listAt, textAt } from '@flotilla/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { groupPath, mergePatch, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';
import { type Kubectl, kubectlWith } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { shellBlocks } from '../harness/walk-guide.ts';
import { findKubernetes } from './harness/programs.ts';
import { type Kubernetes, startKubernetes } from './harness/start-kubernetes.ts';

const programs = findKubernetes();

function condition(cluster: JsonObject, type: string): string {
  const found = listAt(cluster, 'status', 'conditions').find((each) => textAt(each, 'type') === type);
  return `${textAt(found, 'status')} ${textAt(found, 'reason')}`;
}

describeIfAvailable(typeof programs === 'string' ? programs : undefined, 'a connected real Kubernetes cluster', () => {
  let kubernetes: Kubernetes;
  let bench: ServerTestEnv;
  let server: RunningServer;

  beforeAll(async () => {
    if (typeof programs === 'string') return;
    kubernetes = await startKubernetes({ programs, standIns: false });
    bench = await ServerTestEnv.open();
    server = await bench.start({ store: 'memory' });
  });
  afterAll(async () => {
    await bench.close();
    await kubernetes.stop();
  });

  const path = (name: string) => `${groupPath}/clusters/${name}`;
  const post = async (name: string, kubeconfig: string, spec: JsonObject = {}) =>
    bench.send(server, `${groupPath}/clusters`, {
      method: 'POST',
      body: { metadata: { name }, spec: { kubeconfig, ...spec } },
    });

  async function until(name: string, holds: (cluster: JsonObject) => boolean): Promise<JsonObject> {
    const { body } = await bench.request(
      server,
      `${groupPath}/clusters?watch=true&fieldSelector=metadata.name%3D${name}`,
    );
    let rest = '';
    for await (const chunk of body) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const { object } = JSON.parse(line) as { object: JsonObject };
        if (holds(object)) return object;
      }
    }
    throw new Error('the watch ended');
  }

  /** True if the server has probed the cluster. */
  const looked = (cluster: JsonObject) => !['', 'Pending'].includes(textAt(cluster, 'status', 'phase'));

  /**
   * Connects the cluster, waits for the first probe, and disconnects it again, because one physical cluster can be
   * connected only once.
   */
  async function looking(name: string, kubeconfig: string): Promise<JsonObject> {
    const made = await post(name, kubeconfig);
    expect(made.code, made.text).toBe(201);
    const cluster = await until(name, looked);
    await bench.send(server, path(name), { method: 'DELETE' });
    return cluster;
  }

  async function kubeconfigOf(name: string, groups: readonly string[] = [], lifetime?: number): Promise<string> {
    const subject = { name, groups, ...(lifetime === undefined ? {} : { lifetime }) };
    return await readFile(await kubernetes.kubeconfigOf(subject), 'utf8');
  }

  /** kubectl of a user who accesses the cluster through the gateway. */
  async function through(cluster: string, token: string): Promise<Kubectl> {
    const file = join(bench.root, `${cluster}-${token.slice(-6)}.kubeconfig`);
    const context = { name: 'c', context: { cluster: 'c', user: 'u' } };
    const ca = Buffer.from(await bench.read('ca.crt')).toString('base64');
    const to = { server: `${server.url}/kubernetes/cluster/${cluster}`, 'certificate-authority-data': ca };
    const document = {
      'current-context': 'c',
      contexts: [context],
      clusters: [{ name: 'c', cluster: to }],
      users: [{ name: 'u', user: { token } }],
    };
    await writeFile(file, JSON.stringify(document));
    return kubectlWith(file);
  }

  it('is online with a token and with a client certificate, and is refused a second time with either', async () => {
    const admin = await readFile(kubernetes.kubeconfig, 'utf8');
    const cluster = await looking('by-token', admin);
    expect(cluster).toMatchObject({
      status: { phase: 'Initialized', reason: 'Online', online: true, kubernetesVersion: 'v1.36.3' },
    });
    const namespace = await kubernetes.api.ok('GET', '/api/v1/namespaces/kube-system');
    expect(textAt(cluster, 'status', 'clusterUID')).toBe(textAt(namespace, 'metadata', 'uid'));

    const certificate = await kubeconfigOf('server', ['system:masters']);
    expect((await post('first', certificate)).code).toBe(201);
    const second = await post('second', admin);
    expect([second.code, textAt(second.json, 'message')]).toEqual([
      409,
      expect.stringContaining('the same cluster as "first"'),
    ]);
    expect(condition(await until('first', looked), 'Ready')).toBe('True ExpiringSoon');
    await bench.send(server, path('first'), { method: 'DELETE' });
  });

  it('has all permissions with the account of examples/cluster-account.yaml', async () => {
    await kubernetes.kubectl.ok(['apply', '-f', 'examples/cluster-account.yaml']);
    const token = () =>
      kubernetes.kubectl.ok(['get', 'secret', 'flotilla', '-n', 'flotilla', '-o', 'jsonpath={.data.token}']);
    await kubernetes.kubectl.ok([
      ...['wait', 'secret/flotilla', '-n', 'flotilla'],
      '--for=jsonpath={.metadata.uid}',
      '--timeout=30s',
    ]);
    let encoded = '';
    while (encoded === '') encoded = await token();
    const kubeconfig = JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [
        {
          name: 'c',
          cluster: {
            server: kubernetes.url,
            'certificate-authority-data': Buffer.from(kubernetes.ca).toString('base64'),
          },
        },
      ],
      users: [{ name: 'u', user: { token: Buffer.from(encoded, 'base64').toString('utf8') } }],
    });
    const cluster = await looking('by-account', kubeconfig);
    expect([condition(cluster, 'RightsSufficient'), condition(cluster, 'Ready')]).toEqual([
      'True Sufficient',
      'True Online',
    ]);
  });

  it('reports the missing permissions of weak credentials until better ones are set', async () => {
    expect((await post('weak', await kubeconfigOf('weak'))).code).toBe(201);
    const weak = await until('weak', looked);
    expect(condition(weak, 'Ready')).toBe('False MissingRights');
    expect(textAt(weak, 'status', 'message')).toContain('lack permissions: get namespaces, list namespaces');
    expect(flagAt(weak, 'status', 'online')).toBe(true);
    const better = mergePatch({ spec: { kubeconfig: await kubeconfigOf('strong', ['system:masters']) } });
    expect((await bench.send(server, path('weak'), better)).code).toBe(200);
    const strong = await until('weak', (cluster) => condition(cluster, 'RightsSufficient') === 'True Sufficient');
    expect(textAt(strong, 'status', 'clusterUID')).not.toBe('');
    await bench.send(server, path('weak'), { method: 'DELETE' });
  });

  it('reports that a client certificate expires soon, and then that it has expired', async () => {
    expect((await post('brief', await kubeconfigOf('brief', ['system:masters'], 6_000))).code).toBe(201);
    const brief = await until('brief', looked);
    expect(condition(brief, 'CredentialsValid')).toBe('True ExpiringSoon');
    expect(textAt(brief, 'status', 'message')).toMatch(
      /^The client certificate expires at 20.*spec\.kubeconfig before then\.$/,
    );
    const over = await until('brief', (cluster) => condition(cluster, 'CredentialsValid').startsWith('False'));
    expect(condition(over, 'CredentialsValid')).toBe('False CredentialsExpired');
    expect(over).toMatchObject({ status: { phase: 'Failed', online: false } });
    await bench.send(server, path('brief'), { method: 'DELETE' });
  });

  it('reports unusable credentials and addresses', async () => {
    const admin = await readFile(kubernetes.kubeconfig, 'utf8');
    const unknown = await looking('unknown', admin.replaceAll(kubernetes.token, 'not-the-token'));
    expect(condition(unknown, 'CredentialsValid')).toBe('False CredentialsRefused');
    const { port } = new URL(kubernetes.url);
    const nowhere = await looking('nowhere', admin.replaceAll(`:${port}`, ':1'));
    expect(condition(nowhere, 'Reachable')).toBe('False Unreachable');
    const stranger = await bench.read('ca.crt');
    const encoded = (pem: string) => Buffer.from(pem).toString('base64');
    const distrusted = await looking('distrusted', admin.replaceAll(encoded(kubernetes.ca), encoded(stranger)));
    expect(condition(distrusted, 'Reachable')).toBe('False Unreachable');
    expect(textAt(distrusted, 'status', 'message')).toMatch(/certificate/i);
    expect(JSON.stringify([unknown, nowhere, distrusted])).not.toContain(kubernetes.token);
  });

  it('is used with kubectl by authorized users, each under their own name', async () => {
    const admin = await readFile(kubernetes.kubeconfig, 'utf8');
    for (const user of ['anna', 'bert']) await bench.createObject(server, 'users', user);
    const made = await post('used', admin, { access: [{ verbs: ['use'], users: ['anna'] }] });
    expect(made.code, made.text).toBe(201);
    const keyOf = async (user: string) => await bench.createKey(server, `${user}-key`, { user });
    const [anna, bert] = [await through('used', await keyOf('anna')), await through('used', await keyOf('bert'))];
    expect((await bert.run(['get', 'pods'])).stderr).toContain('(Forbidden)');
    expect(await anna.ok(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'])).toBe('anna');
    expect((await anna.run(['get', 'pods'])).stderr).toContain('User "anna" cannot list resource "pods"');

    await kubernetes.kubectl.ok(['create', 'clusterrolebinding', 'anna', '--clusterrole=edit', '--user=anna']);
    await anna.ok(['run', 'web', '--image=web', '--port=80']);
    await anna.ok(['wait', '--for=condition=Ready', 'pod/web', '--timeout=30s']);
    expect(await anna.ok(['exec', 'web', '--', 'sh', '-c', 'echo "$POD"'])).toBe('default/web\n');
    expect(await anna.ok(['exec', '-i', 'web', '--', 'cat'], { input: 'to and fro' })).toBe('to and fro');
    expect((await anna.run(['exec', 'web', '--', 'sh', '-c', 'exit 7'])).code).toBe(7);
    const logs = anna.follow(['logs', '-f', 'web']);
    await logs.waitForOutput(/has started/);
    await anna.ok(['attach', '-i', 'web'], { input: 'said to it\n' });
    await logs.waitForOutput(/said to it/);
    await logs.stop();

    const inPod = createServer((_, response) => response.end('from the pod')).listen(0, '127.0.0.1');
    await once(inPod, 'listening');
    kubernetes.route({ namespace: 'default', pod: 'web' }, 80, `127.0.0.1:${(inPod.address() as AddressInfo).port}`);
    const forward = anna.follow(['port-forward', 'pod/web', ':80']);
    const [, port] = /127\.0\.0\.1:(\d+)/.exec(await forward.waitForOutput(/127\.0\.0\.1:\d+/)) ?? [];
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('from the pod');
    await forward.stop();
    await once(inPod.close(), 'close');

    const watch = anna.follow(['get', 'configmaps', '-w', '-o', 'name']);
    await watch.waitForOutput(/kube-root-ca/);
    await anna.ok(['create', 'configmap', 'seen']);
    await watch.waitForOutput(/configmap\/seen/);
    await watch.stop();
    expect((await anna.run(['get', 'nodes'])).stderr).toContain('User "anna" cannot list resource "nodes"');

    const owner = await through('used', await bench.adminKey());
    expect(await owner.ok(['get', 'nodes', '-o', 'name'])).toMatch(/^node\//);
    const acts = kubernetes.audited().filter(({ impersonatedUser }) => impersonatedUser?.username === 'anna');
    expect(acts.length).toBeGreaterThan(5);
    expect(acts.flatMap(({ impersonatedUser }) => impersonatedUser?.groups ?? [])).not.toContain('system:masters');
    await bench.send(server, path('used'), { method: 'DELETE' });
    expect((await anna.run(['get', 'pods'])).code).not.toBe(0);
  });

  it('is connected, used and disconnected as docs/guides/clusters.md describes', async () => {
    const home = join(bench.root, 'home');
    await mkdir(join(home, '.kube'), { recursive: true });
    await copyFile(kubernetes.kubeconfig, join(home, '.kube', 'config'));
    await symlink(join(process.cwd(), 'examples'), join(home, 'examples'));
    const blocks = [
      ...shellBlocks('clusters.md', 'Create credentials for the server'),
      ...shellBlocks('clusters.md', 'Connect the cluster'),
      ...shellBlocks('clusters.md', 'Replace the credentials'),
      ...shellBlocks('clusters.md', 'Run virtual clusters on it'),
      ...shellBlocks('clusters.md', 'Use the API of the cluster itself'),
      ...shellBlocks('clusters.md', 'Disconnect the cluster'),
    ];
    const env = { ...process.env, HOME: home, KUBECONFIG: bench.file('admin.kubeconfig') };
    const run = promisify(execFile)('bash', ['-euo', 'pipefail', '-c', blocks.join('\n')], { cwd: home, env });
    const { stdout } = await run;
    expect(stdout.match(/cluster.management.platform.sh\/europe condition met/g)).toHaveLength(2);
    expect(stdout).toMatch(/europe +Initialized +true +kubeconfig +v1\.36\.3/);
    expect(stdout).toMatch(/"kind": ?"ClusterVirtualClusters"/);
    expect(stdout).toMatch(/kube-system +Active/);
    expect(stdout).toContain('"europe" deleted');
  });
});
