import { afterAll, beforeAll, expect, it } from 'vitest';
import { kubectlMissing } from '../harness/kubectl.ts';
import { type ClusterClient, type LocalCluster, startLocalCluster } from '../harness/local-cluster.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.test.example' },
  spec: {
    group: 'test.example',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

describeIfAvailable(kubectlMissing, 'garbage collection across all kinds of a virtual cluster, with kubectl', () => {
  let local: LocalCluster;
  let virtual: ClusterClient;

  beforeAll(async () => {
    local = await startLocalCluster();
    virtual = await local.virtualCluster('one');
    await create(definition);
    await virtual.kubectl.ok(['wait', 'crd/widgets.test.example', '--for=condition=Established', '--timeout=20s']);
  });
  afterAll(() => local.remove());

  const create = (object: object) => virtual.kubectl.ok(['create', '-f', '-'], { input: JSON.stringify(object) });
  const uidOf = (what: string) => virtual.kubectl.ok(['get', what, '-o', 'jsonpath={.metadata.uid}']);

  /** Creates a widget that owns a config map that owns a secret. */
  async function makeChain(name: string): Promise<void> {
    const owned = (kind: string, apiVersion: string, uid: string) => ({
      name,
      ownerReferences: [{ apiVersion, kind, name, uid, blockOwnerDeletion: true }],
    });
    await create({ apiVersion: 'test.example/v1', kind: 'Widget', metadata: { name } });
    const widget = await uidOf(`widget/${name}`);
    await create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: owned('Widget', 'test.example/v1', widget) });
    const configMap = await uidOf(`configmap/${name}`);
    await create({ apiVersion: 'v1', kind: 'Secret', metadata: owned('ConfigMap', 'v1', configMap) });
  }

  const all = (name: string) => [`widget/${name}`, `configmap/${name}`, `secret/${name}`];

  it('deletes the dependents of a custom resource, transitively (GC-01, GC-06)', async () => {
    const { kubectl } = virtual;
    for (const cascade of ['background', 'foreground']) {
      await makeChain(cascade);
      await kubectl.ok(['delete', `widget/${cascade}`, `--cascade=${cascade}`, '--timeout=20s']);
      await kubectl.ok(['wait', ...all(cascade).slice(1), '--for=delete', '--timeout=20s']);
    }
  });

  it('orphans the dependents on request (GC-09)', async () => {
    const { kubectl } = virtual;
    await makeChain('orphan');
    await kubectl.ok(['delete', 'widget/orphan', '--cascade=orphan', '--timeout=20s']);
    const references = ['get', 'configmap/orphan', '-o', 'jsonpath={.metadata.ownerReferences}'];
    expect(await kubectl.ok(references)).toBe('');
    expect(await kubectl.ok(['get', 'secret/orphan', '-o', 'name'])).toBe('secret/orphan\n');
  });

  it('deletes the dependents of custom resources that were deleted with their definition (GC-01)', async () => {
    const { kubectl } = virtual;
    await makeChain('last');
    await kubectl.ok(['delete', 'crd/widgets.test.example', '--timeout=20s']);
    expect((await kubectl.run(['get', 'widgets'])).stderr).toContain('could not find the requested resource');
    await kubectl.ok(['wait', ...all('last').slice(1), '--for=delete', '--timeout=20s']);
  });
});
