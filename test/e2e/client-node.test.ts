import { CustomObjectsApi, KubeConfig, type KubernetesObject, makeInformer } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buoyKind, buoys, defineBuoys } from '../harness/churn/buoys.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';

const { group, version, namespace, plural } = buoys;

describe('@kubernetes/client-node', () => {
  let flotilla: FlotillaProcess;
  let config: KubeConfig;
  let api: CustomObjectsApi;

  beforeAll(async () => {
    flotilla = await startFlotilla();
    config = new KubeConfig();
    config.loadFromFile(flotilla.kubeconfig);
    config.setCurrentContext('local');
    await defineBuoys(config);
    api = config.makeApiClient(CustomObjectsApi);
  });
  afterAll(() => flotilla.remove());

  const body = (name: string) => ({
    apiVersion: `${group}/${version}`,
    kind: buoyKind,
    metadata: { name, namespace },
    spec: { displayName: name },
  });

  it('creates, reads, replaces with a conflict on a stale version, and deletes (CLIENT-13)', async () => {
    const made = (await api.createNamespacedCustomObject({
      group,
      version,
      namespace,
      plural,
      body: body('typed'),
    })) as {
      metadata: { resourceVersion: string };
      spec: { displayName: string };
    };
    const changed = { ...made, spec: { ...made.spec, displayName: 'changed' } };
    await api.replaceNamespacedCustomObject({ group, version, namespace, plural, name: 'typed', body: changed });
    await expect(
      api.replaceNamespacedCustomObject({ group, version, namespace, plural, name: 'typed', body: changed }),
    ).rejects.toMatchObject({ code: 409 });
    await api.deleteNamespacedCustomObject({ group, version, namespace, plural, name: 'typed' });
    await expect(
      api.getNamespacedCustomObject({ group, version, namespace, plural, name: 'typed' }),
    ).rejects.toMatchObject({ code: 404 });
  });

  it('keeps an informer consistent through creates, changes and deletes, each seen once (CLIENT-03)', async () => {
    await api.createNamespacedCustomObject({ group, version, namespace, plural, body: body('before') });
    const seen: string[] = [];
    const waiting = new Map<string, () => void>();
    const note = (entry: string) => {
      seen.push(entry);
      waiting.get(entry)?.();
    };
    const until = (entry: string) =>
      seen.includes(entry) ? Promise.resolve() : new Promise<void>((resolve) => waiting.set(entry, resolve));
    const informer = makeInformer(config, `/apis/${group}/${version}/namespaces/${namespace}/${plural}`, async () => {
      return (await api.listNamespacedCustomObject({ group, version, namespace, plural })) as {
        items: KubernetesObject[];
      };
    });
    informer.on('add', (object) => note(`add ${object.metadata?.name}`));
    informer.on('update', (object) => note(`update ${object.metadata?.name}`));
    informer.on('delete', (object) => note(`delete ${object.metadata?.name}`));
    await informer.start();
    try {
      await until('add before');
      for (const name of ['one', 'two', 'three']) {
        await api.createNamespacedCustomObject({ group, version, namespace, plural, body: body(name) });
        await until(`add ${name}`);
      }
      await api.patchNamespacedCustomObject({
        group,
        version,
        namespace,
        plural,
        name: 'two',
        body: [{ op: 'replace', path: '/spec/displayName', value: 'zwei' }],
      });
      await until('update two');
      await api.deleteNamespacedCustomObject({ group, version, namespace, plural, name: 'one' });
      await until('delete one');
      const names = informer.list(namespace).map((object) => object.metadata?.name);
      expect(names.sort()).toEqual(['before', 'three', 'two']);
      const expected = ['add before', 'add one', 'add two', 'add three', 'update two', 'delete one'];
      expect(seen.sort()).toEqual(expected.sort());
    } finally {
      await informer.stop();
    }
  });
});
