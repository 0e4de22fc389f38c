import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject, textAt } from '@flotilla/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Kubectl, kubectlWith } from '../harness/kubectl.ts';
import { type Helm, helmWith } from '../harness/run-helm.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const { KUBECONFIG: kubeconfig = '', FLOTILLA_IMAGE: image = '', FLOTILLA_NODE_IMAGES: images = '' } = process.env;
const missing = images === '' ? 'it runs in the node of npm run test:node' : undefined;
const server = { namespace: 'flotilla-system', pod: 'pod/flotilla-0' };
const agent = { namespace: 'flotilla-agent', secret: 'agent-key', cluster: 'edge' };
const group = 'management.platform.sh/v1';
const project = { namespace: 'platform-p-default' };
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const timeout = '--timeout=120s';

describeIfAvailable(missing, 'the server and the agent in pods of their own image, installed with their charts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-charts-'));
  let host: Kubectl;
  let helm: Helm;
  /** kubectl for the management API. It runs where the DNS names of the node's services resolve. */
  let admin: Kubectl;
  /** kubectl for a space, at the agent. */
  let inside: Kubectl;

  beforeAll(() => {
    host = kubectlWith(kubeconfig);
    helm = helmWith('helm', kubeconfig, folder);
  });
  afterAll(async () => {
    for (const [release, namespace] of [
      ['flotilla-agent', agent.namespace],
      ['flotilla', server.namespace],
    ] as const) {
      await helm('uninstall', release, '--namespace', namespace).catch(() => undefined);
      await host.run(['delete', 'namespace', namespace, '--ignore-not-found', timeout]);
    }
    rmSync(folder, { recursive: true, force: true });
  });

  const atServer = (...args: readonly string[]) => host.ok([...args, '--namespace', server.namespace]);
  const serverPod = (path: string) => atServer('get', server.pod, '-o', `jsonpath={${path}}`);
  const create = async (object: JsonObject, by = admin) => {
    await by.ok(['create', '-f', '-'], { input: JSON.stringify(object) });
  };

  function kubectlFor(name: string, content: string): Kubectl {
    const file = join(folder, `${name}.kubeconfig`);
    writeFileSync(file, content, { mode: 0o600 });
    return kubectlWith(file);
  }

  /** Waits until the server's pod has a uid other than `former` and is ready. */
  async function waitForServerAfter(former: string): Promise<void> {
    const uid = async () =>
      (await host.run(['get', server.pod, '-n', server.namespace, '-o', 'jsonpath={.metadata.uid}'])).stdout;
    await expect.poll(async () => ['', former].includes(await uid()), { timeout: 120_000, interval: 500 }).toBe(false);
    await atServer('wait', server.pod, '--for=condition=Ready', timeout);
    await expect.poll(async () => (await admin.run(['get', '--raw', '/readyz'])).code, { timeout: 60_000 }).toBe(0);
  }

  it('serve the management API', async () => {
    // Sets the image tag: the node has only the current image, but the previous chart selects an older one.
    const flags = ['--create-namespace', '--set', `image.tag=${version}`, '--wait', '--timeout=3m'];
    await helm('install', 'flotilla', 'test/charts/previous/flotilla', '--namespace', server.namespace, ...flags);
    const print = ['flotilla', 'admin-key', '--data-dir', '/data', '--print', 'kubeconfig'];
    admin = kubectlFor('admin', await host.ok(['exec', server.pod, '-n', server.namespace, '--', ...print]));
    await create({
      apiVersion: group,
      kind: 'VirtualClusterInstance',
      metadata: { name: 'kept', ...project },
      spec: {},
    });
    await admin.ok(['wait', 'vci/kept', '--for=condition=Ready', timeout]);
  });

  it('keep the objects when the pod of the server is killed', async () => {
    const former = await serverPod('.metadata.uid');
    await atServer('delete', server.pod, '--grace-period=0', '--force');
    await waitForServerAfter(former);
    await admin.ok(['wait', 'vci/kept', '--for=condition=Ready', timeout]);
  });

  it('keep the objects when helm upgrades the release from the previous version of the chart', async () => {
    const former = await serverPod('.metadata.uid');
    const volume = await atServer('get', 'pvc/data-flotilla-0', '-o', 'jsonpath={.metadata.uid}');
    const flags = ['--namespace', server.namespace, '--set', 'podLabels.revision=second'];
    await helm('upgrade', 'flotilla', 'charts/flotilla', ...flags);
    await waitForServerAfter(former);
    expect(await serverPod('.metadata.labels.revision')).toBe('second');
    expect(await atServer('get', 'pvc/data-flotilla-0', '-o', 'jsonpath={.metadata.uid}')).toBe(volume);
    await admin.ok(['wait', 'vci/kept', '--for=condition=Ready', timeout]);
  });

  it('connect the cluster through the agent, which uses the account of its pod', async () => {
    await create({
      apiVersion: group,
      kind: 'Cluster',
      metadata: { name: agent.cluster },
      spec: { networkPeer: true },
    });
    const path = `/apis/${group}/clusters/${agent.cluster}/accesskey`;
    const key = textAt(JSON.parse(await admin.ok(['create', '--raw', path, '-f', '-'], { input: '{}' })), 'accessKey');
    const metadata = { name: agent.secret, namespace: agent.namespace };
    await host.ok(['create', 'namespace', agent.namespace]);
    await create({ apiVersion: 'v1', kind: 'Secret', metadata, stringData: { 'access-key': key } }, host);
    const show = ['config', 'view', '--raw', '--minify', '-o'];
    const authority = await admin.ok([...show, 'jsonpath={.clusters[0].cluster.certificate-authority-data}']);
    const values = {
      cluster: agent.cluster,
      accessKeySecret: agent.secret,
      server: {
        url: `https://flotilla.${server.namespace}.svc`,
        caCertificate: Buffer.from(authority, 'base64').toString(),
      },
    };
    const file = join(folder, 'agent-values.json');
    writeFileSync(file, JSON.stringify(values));
    const where = ['--namespace', agent.namespace, '--values', file, '--wait', '--timeout=3m'];
    await helm('install', 'flotilla-agent', 'charts/flotilla-agent', ...where);
    await admin.ok(['wait', `cluster/${agent.cluster}`, '--for=condition=Ready', timeout]);
  });

  it('run a pod in a space, which kubectl reaches at the agent', async () => {
    const spec = { clusterRef: { cluster: agent.cluster } };
    await create({ apiVersion: group, kind: 'SpaceInstance', metadata: { name: 'shop', ...project }, spec });
    await admin.ok(['wait', 'si/shop', '--for=condition=Ready', timeout]);
    const path = `/apis/${group}/namespaces/${project.namespace}/spaceinstances/shop/kubeconfig`;
    const issued = JSON.parse(await admin.ok(['create', '--raw', path, '-f', '-'], { input: '{}' }));
    inside = kubectlFor('space', textAt(issued, 'status', 'kubeConfig'));
    expect(await inside.ok(['config', 'view', '--minify'])).toContain(`flotilla-agent.${agent.namespace}.svc`);
    // The process in the pod exits on the first signal, so the space is deleted quickly.
    const command = 'trap "exit 0" TERM; echo has started; while :; do sleep 1; done';
    await inside.ok(['run', 'web', `--image=${image}`, '--', 'sh', '-c', command]);
    await inside.ok(['wait', 'pod/web', '--for=condition=Ready', timeout]);
  });

  it('serve kubectl at the agent while the server is stopped', async () => {
    await atServer('scale', 'statefulset/flotilla', '--replicas=0');
    await atServer('wait', server.pod, '--for=delete', timeout);
    expect((await admin.run(['get', 'projects'])).code).not.toBe(0);
    expect(await inside.ok(['get', 'pods', '-o', 'name'])).toBe('pod/web\n');
    expect(await inside.ok(['exec', 'web', '--', 'echo', 'without the server'])).toBe('without the server\n');
    expect(await inside.ok(['logs', 'web'])).toBe('has started\n');
    await inside.ok(['create', 'configmap', 'alone']);
    await atServer('scale', 'statefulset/flotilla', '--replicas=1');
    await atServer('rollout', 'status', 'statefulset/flotilla', timeout);
    await admin.ok(['delete', 'si/shop', timeout]);
  });
});
