import { describe } from 'vitest';
import { virtualClusterInstanceKind } from '../../../../src/api/management/v1/virtual-cluster-instance.ts';
import { apiVersionOf } from '../../../../src/api/meta.ts';
import { cleanupFinalizer, projectNamespace } from '../../../../src/api/naming.ts';
import { comparedTests } from '../../area.ts';
import { applyPatch, asTable, jsonPatch, mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';
import type { KeptObject } from '../../side.ts';

export const instanceNamespace = projectNamespace('default');

const apiVersion = apiVersionOf(virtualClusterInstanceKind);
const groupPath = `/apis/${apiVersion}`;
const { kind, plural } = virtualClusterInstanceKind;
const path = `${groupPath}/namespaces/${instanceNamespace}/${plural}`;

/** Returns a complete object, so the server sets no defaults. */
function instance(name: string, spec: object = {}, metadata: object = {}): KeptObject {
  const clusterRef = { cluster: 'local', namespace: `host-${name}`, virtualCluster: name };
  const whole = { displayName: 'D', owner: { user: 'admin' }, templateRef: { name: 'control-plane' }, clusterRef };
  return {
    apiVersion,
    kind,
    metadata: { name, namespace: instanceNamespace, ...metadata },
    spec: { ...whole, ...spec },
  };
}

const fieldSelectors = [
  'spec.owner.user=admin',
  'spec.owner.team=',
  'spec.clusterRef.cluster=local',
  'spec.templateRef.name=x',
  'spec.zip=x',
  'metadata.name=v1',
];

const unknown = { foo: 1, templateRef: { name: 'control-plane', zip: 1 } };

type Post = (json: unknown, query?: string, type?: string) => Promise<unknown>;

function postTo(pair: Pair): Post {
  return (json, query = '', type = 'application/json') =>
    pair.send({ method: 'POST', path: path + query, json, headers: { 'content-type': type } });
}

async function sendFaults(pair: Pair, post: Post): Promise<void> {
  await post(instance('v3', unknown), '?fieldValidation=Strict');
  await post(instance('v4', { displayName: 5, owner: 'x', extraAccessRules: {}, external: 'x', parameters: 7 }));
  await post(instance('v4', { extraAccessRules: [{ users: 'x' }] }));
  await post({ ...instance('x'), metadata: {} });
  await post(instance('v5', {}, { labels: { 'a b': 'c' } }));
  await post(instance('v7', {}, { namespace: 'foo' }));
  await post({ ...instance('v8'), kind: 'Foo' });
  await post({ ...instance('v8'), apiVersion: 'foo/v1' });
  const nowhere = `${groupPath}/namespaces/${projectNamespace('nope')}/${plural}`;
  const json = { ...instance('v7'), metadata: { name: 'v7' } };
  await pair.send({ method: 'POST', path: nowhere, json });
}

async function select(pair: Pair): Promise<void> {
  for (const selector of fieldSelectors) {
    await pair.send({ path: `${path}?fieldSelector=${encodeURIComponent(selector)}` });
  }
}

/**
 * Compares instances of the management API with a custom resource of the same schema. Covers only what the server
 * decides before it stores an object. Afterwards, a controller of this server creates virtual clusters and updates the
 * status, and kube-apiserver has no such controller.
 */
export function instanceAnswers(pair: Pair): void {
  describe('VirtualClusterInstances of the management API', () => {
    const compared = comparedTests(pair);
    const post = postTo(pair);

    compared('refused: fields, types, names, labels, namespaces, kinds', () => sendFaults(pair, post));

    compared(
      'created by dry run: complete, in YAML, with an unknown field, with a generated name, applied',
      async () => {
        const metadata = { finalizers: [cleanupFinalizer] };
        const dry = instance('dry', {}, metadata);
        await post(dry, '?dryRun=All');
        await post(dry, '?dryRun=All', 'application/yaml');
        await post(instance('dry', unknown, metadata), '?dryRun=All');
        await post({ ...dry, metadata: { ...metadata, generateName: 'generated-' } }, '?dryRun=All');
        const headers = { 'content-type': applyPatch };
        const query = '?fieldManager=a&dryRun=All';
        await pair.send({ method: 'PATCH', path: `${path}/dry${query}`, body: JSON.stringify(dry), headers });
      },
    );

    compared('read, patched, replaced and deleted while missing', async () => {
      for (const query of ['', '?limit=1', '?labelSelector=x', '?limit=100&resourceVersion=0']) {
        await pair.send({ path: path + query });
      }
      await pair.send({ path: `${groupPath}/${plural}` });
      await select(pair);
      await pair.send({ path: `${path}/nope` });
      await pair.send({ path: `${path}/nope/status` });
      await pair.send({ method: 'PUT', path: `${path}/nope`, json: instance('nope') });
      const headers = { 'content-type': mergePatch };
      await pair.send({ method: 'PATCH', path: `${path}/nope`, body: '{}', headers });
      await pair.send({ method: 'DELETE', path: `${path}/nope` });
      await pair.send({ method: 'DELETE', path });
    });
  });
}

/**
 * Compares instances that are custom resources on both servers. On this server they are in the built-in cluster, where
 * no controller writes to them.
 */
export function instances(pair: Pair): void {
  describe('VirtualClusterInstances as a custom resource', () => {
    const compared = comparedTests(pair);
    const post = postTo(pair);
    const put = (change: (object: KeptObject) => void, query = '') =>
      pair.send(
        (side) => {
          const json = side.kept('v1');
          change(json);
          return { method: 'PUT', path: `${path}/v1${query}`, json };
        },
        query === '' ? { keepAs: 'v1' } : {},
      );
    const patch = (name: string, type: string, body: unknown, query = '') =>
      pair.send({
        method: 'PATCH',
        path: `${path}/${name}${query}`,
        body: JSON.stringify(body),
        headers: { 'content-type': type },
      });

    compared('created: complete, twice, in YAML, by dry run, with a generated name', async () => {
      await post(instance('v1'));
      await post(instance('v1'));
      await post(instance('v2'), '', 'application/yaml');
      await post(instance('dry'), '?dryRun=All');
      await post({ ...instance('generated'), metadata: { generateName: 'generated-' } });
      await post({ ...instance('v6'), status: { phase: 'Ready' } });
    });

    compared('refused: fields, types, names, labels, namespaces, kinds', () => sendFaults(pair, post));

    compared('created without an unknown field', async () => {
      await post(instance('v3', unknown));
    });

    compared('read: one, all, a page, as rows, selected', async () => {
      await pair.send({ path: `${path}/v1` }, { keepAs: 'v1' });
      await pair.send({ path: `${path}/v1`, headers: { accept: 'application/yaml' } });
      for (const query of ['', '?limit=1', '?labelSelector=x', '?limit=100&resourceVersion=0']) {
        await pair.send({ path: path + query });
      }
      // This server computes the columns. A custom resource cannot express them.
      await pair.send({ path, headers: { accept: asTable } }, { ignoredFields: /columnDefinitions|cells/ });
      await pair.send({ path: `${groupPath}/${plural}` });
      await select(pair);
      await pair.send({ path: `${path}/v1/status` });
    });

    compared('replaced', async () => {
      await put(() => undefined);
      await put(({ spec }) => Object.assign(spec, { displayName: 'E' }));
      await put(({ metadata }) => delete metadata.resourceVersion);
      await put(({ metadata }) => Object.assign(metadata, { resourceVersion: '1' }));
      await put(({ metadata }) => Object.assign(metadata, { uid: '11111111-2222-3333-4444-555555555555' }));
      await put(({ metadata }) => Object.assign(metadata, { labels: { x: 'y' }, annotations: { p: 'q' } }));
      await put(({ spec }) => Object.assign(spec, { description: 'zz' }), '?dryRun=All');
      await put((object) => Object.assign(object, { status: { phase: 'Ready' } }));
      await put(({ spec }) => Object.assign(spec, { foo: 1 }));
      await put(({ spec }) => delete spec.displayName);
    });

    compared('patched', async () => {
      await patch('v1', jsonPatch, [{ op: 'add', path: '/metadata/annotations/k', value: 'v' }]);
      await patch('v1', jsonPatch, [{ op: 'test', path: '/metadata/annotations/k', value: 'no' }]);
      await patch('v1', mergePatch, { spec: { description: 'd' } });
      await patch('v1', mergePatch, { spec: { zip: 1 } });
      await patch('v1', mergePatch, { spec: { zip: 1 } }, '?fieldValidation=Strict');
      await patch('v1', mergePatch, { spec: { description: 5 } });
      await patch('v1', mergePatch, { metadata: { resourceVersion: '1' } });
      await patch('v1', mergePatch, { metadata: { name: 'q' } });
      await patch('v1', 'application/strategic-merge-patch+json', {});
    });

    compared('applied', async () => {
      const described = (spec: object) => ({ apiVersion, kind, metadata: { name: 'v1' }, spec });
      await patch('v1', applyPatch, described({ description: 'd' }), '?fieldManager=a');
      await patch('v1', applyPatch, described({ description: 'e' }), '?fieldManager=a');
      const rules = { description: 'e', extraAccessRules: [{ clusterRole: 'x', users: ['admin'] }] };
      await patch('v1', applyPatch, described(rules), '?fieldManager=a&force=true');
      await patch('v9', applyPatch, instance('v9'), '?fieldManager=a');
      await patch('v9', applyPatch, instance('v9', { foo: 1 }), '?fieldManager=a');
    });

    compared('watched', async () => {
      const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
      const queries = [initial, `${initial}&labelSelector=x`, 'fieldSelector=metadata.name%3Dv1'];
      await pair.sendAll(
        queries.map((query) => ({ path: `${path}?watch=1&timeoutSeconds=1&${query}` })),
        { isStream: true },
      );
    });

    compared('deleted', async () => {
      const remove = (where: string, json?: unknown) => pair.send({ method: 'DELETE', path: path + where, json });
      await remove('/v2');
      await remove('/v6?gracePeriodSeconds=0');
      await remove('/nope');
      await remove('/v1', { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'x' } });
      await remove('?labelSelector=x%3Dy');
      await remove('');
      await pair.send({ path });
    });
  });
}
