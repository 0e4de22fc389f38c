import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type JsonObject, textAt } from '@flotilla/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { groupPath, mergePatch } from '../../src/server/server.fixture.ts';
import { type Kubectl, kubectlWith } from '../harness/kubectl.ts';
import { type Helm, helmWith } from '../harness/run-helm.ts';
import { writeKubeconfig } from '../kubernetes/harness/kubeconfig-file.ts';
import { type Flotilla, instancesPath, openFlotilla } from '../kubernetes/harness/open-flotilla.ts';

const repository = 'https://charts.loft.sh';
/** Includes the time to pull images and create volumes. */
const timeoutSeconds = 600;

export interface VclusterLifeOptions {
  /** The path of a cluster-admin kubeconfig for the cluster under test. */
  readonly kubeconfig: string;
  readonly helm: string;
  /** A path; `''` for the repository that the server is configured with. */
  readonly chart: string;
  /** An image that contains a shell. */
  readonly image: string;
}

/**
 * The complete lifecycle of a virtual cluster on a real cluster. The suite removes everything it creates there.
 * `options` is called when the suite starts.
 */
export function vclusterLife(options: () => VclusterLifeOptions): void {
  let folder = '';
  let given: VclusterLifeOptions;
  const byHand = { namespace: 'flotilla-test-by-hand', name: 'by-hand' };
  let host: Kubectl;
  let helm: Helm;
  let flotilla: Flotilla | undefined;
  let inside: Kubectl;

  beforeAll(async () => {
    given = options();
    folder = mkdtempSync(join(tmpdir(), 'vcluster-life-'));
    host = kubectlWith(given.kubeconfig);
    helm = helmWith(given.helm, given.kubeconfig, folder);
    await host.ok(['apply', '-f', 'examples/cluster-account.yaml']);
    flotilla = await openFlotilla({ programs: given });
    await flotilla.connect('real', { kubeconfig: await accountKubeconfig() });
  });
  afterAll(async () => {
    await flotilla?.close();
    await helm('uninstall', byHand.name, '--namespace', byHand.namespace).catch(() => undefined);
    await host.run(['delete', 'namespace', byHand.namespace, '--ignore-not-found', '--wait=false']);
    await host.run(['delete', '-f', 'examples/cluster-account.yaml', '--wait=false']);
    rmSync(folder, { recursive: true, force: true });
  });

  /**
   * The account that the guide creates: the caller's own credentials may come from an exec plugin, which no server
   * runs.
   */
  async function accountKubeconfig(): Promise<string> {
    const secret = async (key: string) => {
      const data = await host.ok(['get', 'secret/flotilla', '-n', 'flotilla', '-o', `jsonpath={.data.${key}}`]);
      return Buffer.from(data, 'base64').toString('utf8');
    };
    while ((await secret('token')) === '') await delay(500);
    const server = await host.ok(['config', 'view', '--minify', '-o', 'jsonpath={.clusters[0].cluster.server}']);
    const parts = { server, ca: await secret('ca\\.crt'), token: await secret('token') };
    return writeKubeconfig(join(folder, 'account.kubeconfig'), parts);
  }

  function server(): Flotilla {
    if (flotilla === undefined) throw new Error('the server did not start');
    return flotilla;
  }
  const labelled = (tier: string): JsonObject => ({
    helmRelease: { values: `controlPlane: {statefulSet: {pods: {labels: {tier: ${tier}}}}}` },
  });
  async function location(name: string): Promise<string> {
    return textAt(await server().instance(name), 'spec', 'clusterRef', 'namespace');
  }

  it('is installed, becomes ready, and runs a pod that exec, logs and a watch reach', async () => {
    await server().createInstance('life', { clusterRef: { cluster: 'real' }, template: labelled('silver') });
    await server().wait('life', 'condition=Ready', timeoutSeconds);
    inside = await server().kubectlInside('life');
    const watch = inside.follow(['get', 'pods', '-w', '-o', 'name']);
    const command = ['sh', '-c', 'echo has started; sleep 3600'];
    await inside.ok(['run', 'web', `--image=${given.image}`, '--', ...command]);
    await watch.waitForOutput(/pod\/web/);
    await watch.stop();
    await inside.ok(['wait', '--for=condition=Ready', 'pod/web', `--timeout=${timeoutSeconds}s`]);
    expect(await inside.ok(['exec', 'web', '--', 'echo', 'from inside'])).toBe('from inside\n');
    expect(await inside.ok(['logs', 'web'])).toMatch(/has started/);
  });

  it('is upgraded and keeps its contents', async () => {
    await server().ask(`${instancesPath}/life`, mergePatch({ spec: { template: labelled('gold') } }));
    const labels = ['get', 'pods', '-n', await location('life'), '-l', 'app=vcluster,tier=gold', '-o', 'name'];
    while ((await host.ok(labels)) === '') await delay(1_000);
    await host.ok(['rollout', 'status', 'statefulset', '-n', await location('life'), '-l', 'app=vcluster']);
    await server().wait('life', 'condition=Ready', timeoutSeconds);
    expect(await inside.ok(['get', 'pod/web', '-o', 'name'])).toBe('pod/web\n');
  });

  it('sleeps without pods, and wakes with its contents', async () => {
    await server().admin.ok(['annotate', 'vci/life', 'sleepmode.platform.sh/force=true']);
    await server().wait('life', 'jsonpath={.status.phase}=Sleeping', timeoutSeconds);
    const pods = ['get', 'pods', '-n', await location('life'), '-l', 'app=vcluster', '-o', 'name'];
    while ((await host.ok(pods)) !== '') await delay(1_000);
    await server().admin.ok(['annotate', 'vci/life', 'sleepmode.platform.sh/force-']);
    await server().wait('life', 'condition=Ready', timeoutSeconds);
    expect(await inside.ok(['get', 'namespace/default', '-o', 'name'])).toBe('namespace/default\n');
  });

  it('is imported without a change if it was created by hand', async () => {
    const where = given.chart === '' ? ['vcluster', '--repo', repository] : [given.chart];
    const { namespace, name } = byHand;
    await helm('install', name, ...where, '--namespace', namespace, '--create-namespace', '--wait', '--timeout=10m');
    const body = { sourceVirtualCluster: { ...byHand, cluster: 'real' }, skipHelmDeploy: true };
    const path = `${groupPath}/projects/default/importvirtualcluster`;
    const imported = await server().ask(path, { method: 'POST', body });
    expect(imported.code, imported.text).toBe(201);
    await server().wait(name, 'condition=Ready', timeoutSeconds);
    await (await server().kubectlInside(name)).ok(['get', 'namespaces']);
    await server().admin.ok(['delete', `vci/${name}`, '--timeout=60s']);
    expect(await helm('list', '--short', '--namespace', namespace)).toBe(`${name}\n`);
  });

  it('is removed from the cluster when its instance is deleted', async () => {
    const namespace = await location('life');
    await server().admin.ok(['delete', 'vci/life', `--timeout=${timeoutSeconds}s`]);
    expect((await host.run(['get', 'namespace', namespace])).stderr).toMatch(/NotFound/);
    expect(await helm('list', '--all-namespaces', '--short', '--filter', '^life$')).toBe('');
  });
}
