import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type JsonObject, textAt } from '@flotilla/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sleepAfterAnnotation } from '../../src/api/naming.ts';
import type { HostLocation } from '../../src/hosts/host.ts';
import { groupPath, mergePatch } from '../../src/server/server.fixture.ts';
import { type Kubectl, kubectlWith } from '../harness/kubectl.ts';
import { type Helm, helmWith } from '../harness/run-helm.ts';
import { type Flotilla, instancesPath, openFlotilla } from '../kubernetes/harness/open-flotilla.ts';
import { createAccount, deleteAccount } from './cluster-account.ts';
import { addedObjects, type HostObjects, readHostObjects } from './host-objects.ts';
import { workload } from './workload.suite.ts';

const repository = 'https://charts.loft.sh';
/** Includes the time to pull images and create volumes. */
const timeoutSeconds = 600;

export interface VclusterLifeOptions {
  /** The path of a cluster-admin kubeconfig for the cluster under test. */
  readonly kubeconfig: string;
  readonly helm: string;
  /** The path of the vCluster chart; `''` for the chart repository in the server's settings. */
  readonly chart: string;
  /** An image that contains a shell. */
  readonly image: string;
  /**
   * Creates the server's service account and returns the path of its kubeconfig. Defaults to the account of the guide.
   */
  readonly createAccount?: typeof createAccount;
}

/**
 * Tests the complete lifecycle of a virtual cluster on a real cluster, and removes everything that it creates there.
 * `options` is called when the suite starts. With `realPods`, pods in the virtual cluster run their images.
 */
export function vclusterLife(options: () => VclusterLifeOptions, { realPods }: { readonly realPods: boolean }): void {
  let folder = '';
  let given: VclusterLifeOptions;
  /**
   * Two virtual clusters that are created with helm alone. `byHand` stays external; the server manages `adopted` after
   * its import.
   */
  const byHand = { namespace: 'flotilla-test-by-hand', name: 'by-hand' };
  const adopted = { namespace: 'flotilla-test-adopted', name: 'adopted' };
  let host: Kubectl;
  let helm: Helm;
  let flotilla: Flotilla | undefined;
  let inside: Kubectl;
  let before: HostObjects;

  beforeAll(async () => {
    given = options();
    folder = mkdtempSync(join(tmpdir(), 'vcluster-life-'));
    host = kubectlWith(given.kubeconfig);
    helm = helmWith(given.helm, given.kubeconfig, folder);
    flotilla = await openFlotilla({ programs: given });
    await flotilla.connect('real', { kubeconfig: await (given.createAccount ?? createAccount)(host, folder) });
    before = await readHostObjects(host);
  });
  afterAll(async () => {
    await flotilla?.close();
    for (const { namespace, name } of [byHand, adopted]) {
      await helm('uninstall', name, '--namespace', namespace).catch(() => undefined);
      await host.run(['delete', 'namespace', namespace, '--ignore-not-found', '--wait=false']);
    }
    await deleteAccount(host);
    rmSync(folder, { recursive: true, force: true });
  });

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

  if (realPods) workload(() => ({ inside, folder, image: given.image }));

  it('is upgraded and keeps its contents', async () => {
    await server().ask(`${instancesPath}/life`, mergePatch({ spec: { template: labelled('gold') } }));
    const labels = ['get', 'pods', '-n', await location('life'), '-l', 'app=vcluster,tier=gold', '-o', 'name'];
    while ((await host.ok(labels)) === '') await delay(1_000);
    await host.ok(['rollout', 'status', 'statefulset', '-n', await location('life'), '-l', 'app=vcluster']);
    await server().wait('life', 'condition=Ready', timeoutSeconds);
    expect(await inside.ok(['get', 'pod/web', '-o', 'name'])).toBe('pod/web\n');
  });

  it('sleeps without pods when nobody uses it, and wakes with its contents on a request', async () => {
    await inside.ok(['create', 'configmap', 'kept']);
    await server().admin.ok(['annotate', 'vci/life', `${sleepAfterAnnotation}=3`]);
    await server().wait('life', 'jsonpath={.status.phase}=Sleeping', timeoutSeconds);
    const pods = ['get', 'pods', '-n', await location('life'), '-o', 'name'];
    while ((await host.ok(pods)) !== '') await delay(1_000);
    // The server lets a request wait for up to ten seconds. vCluster may need more time to start, so the request is
    // repeated.
    while ((await inside.run(['get', 'configmap/kept'])).code !== 0) await delay(1_000);
    await server().admin.ok(['annotate', 'vci/life', `${sleepAfterAnnotation}-`]);
    await server().wait('life', 'condition=Ready', timeoutSeconds);
    if (realPods)
      await inside.ok(['rollout', 'status', 'deployment/web', '-n', 'shop', `--timeout=${timeoutSeconds}s`]);
  });

  async function installByHand({ namespace, name }: HostLocation): Promise<void> {
    const where = given.chart === '' ? ['vcluster', '--repo', repository] : [given.chart];
    await helm('install', name, ...where, '--namespace', namespace, '--create-namespace', '--wait', '--timeout=10m');
  }
  /** Imports a virtual cluster and returns kubectl for it. */
  async function importAs(location: HostLocation, { external }: { readonly external: boolean }): Promise<Kubectl> {
    const body = { sourceVirtualCluster: { ...location, cluster: 'real' }, skipHelmDeploy: external };
    const path = `${groupPath}/projects/default/importvirtualcluster`;
    const imported = await server().ask(path, { method: 'POST', body });
    expect(imported.code, imported.text).toBe(201);
    await server().wait(location.name, 'condition=Ready', timeoutSeconds);
    return await server().kubectlInside(location.name);
  }

  it('is imported without a change if it was created by hand', async () => {
    const { namespace, name } = byHand;
    await installByHand(byHand);
    await (await importAs(byHand, { external: true })).ok(['get', 'namespaces']);
    await server().admin.ok(['delete', `vci/${name}`, '--timeout=60s']);
    expect(await helm('list', '--short', '--namespace', namespace)).toBe(`${name}\n`);
  });

  it('that was created by hand and imported is removed with its instance soon after its last pod has ended', async () => {
    const { namespace, name } = adopted;
    const withoutIt = await readHostObjects(host);
    await installByHand(adopted);
    const insideIt = await importAs(adopted, { external: false });
    if (realPods) {
      // The pod ignores SIGTERM, so it ends some seconds after the control plane.
      const spec = JSON.stringify({ spec: { terminationGracePeriodSeconds: 12 } });
      const command = ['--', 'sh', '-c', 'trap "" TERM; while :; do sleep 1; done'];
      await insideIt.ok(['run', 'slow', `--image=${given.image}`, `--overrides=${spec}`, ...command]);
      await insideIt.ok(['wait', '--for=condition=Ready', 'pod/slow', `--timeout=${timeoutSeconds}s`]);
    }
    await server().admin.ok(['delete', `vci/${name}`, '--wait=false']);
    while ((await host.ok(['get', 'pods', '-n', namespace, '-o', 'name'])) !== '') await delay(250);
    await server().wait(name, 'delete', 10);
    expect(await helm('list', '--short', '--namespace', namespace)).toBe('');
    // The namespace is kept because it existed before the import. The objects that Kubernetes creates in each namespace
    // are kept too.
    const left = async () => addedObjects(withoutIt, await readHostObjects(host)).sort();
    await expect
      .poll(left, { timeout: 60_000, interval: 1_000 })
      .toEqual([
        `ConfigMap/${namespace}/kube-root-ca.crt`,
        `Namespace//${namespace}`,
        `ServiceAccount/${namespace}/default`,
      ]);
  });

  it('is removed from the cluster when its instance is deleted', async () => {
    const namespace = await location('life');
    await server().admin.ok(['delete', 'vci/life', `--timeout=${timeoutSeconds}s`]);
    expect((await host.run(['get', 'namespace', namespace])).stderr).toMatch(/NotFound/);
    expect(await helm('list', '--all-namespaces', '--short', '--filter', '^life$')).toBe('');
    await helm('uninstall', byHand.name, '--namespace', byHand.namespace);
    await host.ok(['delete', 'namespace', byHand.namespace, adopted.namespace, `--timeout=${timeoutSeconds}s`]);
    const added = async () => addedObjects(before, await readHostObjects(host));
    // Storage classes may delete volumes later than their claims.
    await expect.poll(added, { timeout: 60_000, interval: 1_000 }).toEqual([]);
  });
}
