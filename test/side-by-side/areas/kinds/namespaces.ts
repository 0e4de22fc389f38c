import { describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import { jsonPatch, mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';
import type { KeptObject } from '../../side.ts';

const path = '/api/v1/namespaces';
const applied = 'application/apply-patch+yaml';

/**
 * kube-apiserver runs without the controller that empties namespaces. So that a deleted namespace can still be read,
 * the test adds a finalizer, and ignores the changes that this server itself makes to the namespace.
 */
const emptying = /spec\.finalizers|status\.conditions|managedFields|resourceVersion/;

function namespace(name: string, rest: object = {}, metadata: object = {}): object {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, ...metadata }, ...rest };
}

/** Compares the namespaces of a Kubernetes control plane. */
export function namespaces(pair: Pair): void {
  describe('Namespaces', () => {
    const compared = comparedTests(pair);
    const post = (json: unknown, query = '') => pair.send({ method: 'POST', path: path + query, json });
    const put = (below: string, change: (object: KeptObject) => void, query = '?fieldManager=put') =>
      pair.send(
        (side) => {
          const json = side.kept('namespace');
          change(json);
          return { method: 'PUT', path: `${path}/one${below}${query}`, json };
        },
        { keepAs: 'namespace' },
      );
    const patch = (name: string, type: string, body: unknown, below = '') =>
      pair.send({
        method: 'PATCH',
        path: `${path}/${name}${below}?fieldManager=patch`,
        body: JSON.stringify(body),
        headers: { 'content-type': type },
      });

    compared('exist from the start, and cannot be deleted (CREATE-22)', async () => {
      for (const name of ['default', 'kube-public', 'kube-system']) {
        // This server writes its three initial namespaces together. kube-apiserver writes them one after another.
        await pair.send({ path: `${path}/${name}` }, { ignoredFields: /resourceVersion/ });
        await pair.send({ method: 'DELETE', path: `${path}/${name}` });
        await pair.send({ method: 'DELETE', path: `${path}/${name}?dryRun=All` });
      }
      await pair.send({ method: 'DELETE', path });
      await pair.send({ path: `${path}/default/finalize` });
      await pair.send({ path: `${path}/default/status` }, { ignoredFields: /resourceVersion/ });
    });

    compared('are created and refused (CREATE-01, CREATE-17, META-01)', async () => {
      await post(namespace('one'), '?fieldManager=create');
      await post(namespace('one'));
      await post(namespace('dry'), '?dryRun=All');
      await post(namespace('labelled', {}, { labels: { z: '1', a: '2', 'kubernetes.io/metadata.name': 'x' } }));
      await post(namespace('own', { spec: { finalizers: ['test.example/own'] }, status: { phase: 'Terminating' } }));
      await post(namespace('x', { spec: { finalizers: ['mine'] } }));
      await post(namespace('x', { spec: { finalizers: ['a b', 'kubernetes', 'orphan', '/x'] } }));
      await post(namespace('dots.in.it'));
      await post(namespace('UPPER'));
      await post(namespace('a'.repeat(64)));
      await post(namespace('x', {}, { namespace: 'other' }));
      await post({ apiVersion: 'v1', kind: 'Namespace', metadata: {} });
    });

    compared('are read and selected (GET-01, LIST-01)', async () => {
      await pair.send({ path: `${path}/one` }, { keepAs: 'namespace' });
      await pair.send({ path: `${path}/nope` });
      for (const field of [
        'status.phase%3DActive,metadata.name%3Done',
        'metadata.name%3Done',
        'spec.x%3D1',
        'name%3Done',
      ]) {
        await pair.send({ path: `${path}?fieldSelector=${field}` });
      }
      await pair.send({ path: `${path}?labelSelector=kubernetes.io/metadata.name%3Dlabelled` });
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
      await pair.send({ path: `${path}/one`, headers: { accept } }, { ignoredFields: /cells\[2\]|columnDefinitions/ });
    });

    compared('are replaced and patched (UPDATE-05, PATCH-10)', async () => {
      await put('', () => undefined);
      await put('', ({ metadata }) => Object.assign(metadata, { labels: { a: 'b' } }));
      await put('', ({ metadata }) => delete metadata.resourceVersion);
      await patch('one', mergePatch, { metadata: { labels: { c: 'd', 'kubernetes.io/metadata.name': null } } });
      await patch('one', jsonPatch, [{ op: 'add', path: '/metadata/annotations', value: { e: 'f' } }]);
      await patch('applied', applied, namespace('applied', {}, { labels: { g: 'h' } }));
      await patch('applied', applied, namespace('applied', {}, {}));
      await pair.send({ path: `${path}/one` }, { keepAs: 'namespace' });
    });

    compared('have a status whose phase is set by the server (STATUS-05)', async () => {
      await put('/status', (object) => Object.assign(object, { status: { phase: 'Terminating' } }));
      await put('/status', (object) => Object.assign(object, { status: {} }));
      const lastTransitionTime = '2026-01-02T03:04:05Z';
      const conditions = [{ type: 'Seen', status: 'True', lastTransitionTime, reason: 'r', message: 'm' }];
      await put('/status', (object) => Object.assign(object, { status: { phase: 'Active', conditions } }));
    });

    compared('keep labels and annotations that are written through the status (STATUS-02, STATUS-06)', async () => {
      await put('/status', ({ metadata, spec }) => {
        Object.assign(metadata, { labels: { by: 'status' }, annotations: { by: 'status' }, finalizers: ['a.b/c'] });
        Object.assign(spec, { finalizers: [] });
      });
      await put('/status', ({ metadata }) => Object.assign(metadata, { labels: { 'a b': 'c' } }));
      await put('/status', ({ metadata }) => delete metadata.finalizers);
      const labels = { more: 'labels', 'kubernetes.io/metadata.name': null };
      await patch('one', mergePatch, { metadata: { labels }, status: { phase: 'Active' } }, '/status');
      await patch('one', jsonPatch, [{ op: 'add', path: '/metadata/annotations/too', value: 'yes' }], '/status');
      await patch(
        'one',
        applied,
        namespace('one', { spec: { finalizers: [] } }, { labels: { app: 'lied' } }),
        '/status',
      );
      await patch('one', applied, namespace('one', {}, {}), '/status');
      await put('', () => undefined);
      await pair.send({ path: `${path}/one` }, { keepAs: 'namespace' });
    });

    compared('are finalized', async () => {
      await put('/finalize', (object) => Object.assign(object, { spec: { finalizers: ['kubernetes', 'x'] } }));
      await put('/finalize', (object) => Object.assign(object, { spec: { finalizers: ['kubernetes', 'a.b/c'] } }));
      await put('/finalize', (object) => Object.assign(object, { spec: {} }));
      await put('/finalize', (object) => Object.assign(object, { spec: { finalizers: ['kubernetes'] } }));
      await patch('one', mergePatch, {}, '/finalize');
    });

    compared('are deleted, and accept nothing new from then on (CREATE-20, DELETE-06)', async () => {
      await pair.send({ method: 'DELETE', path: `${path}/nope` });
      for (const preconditions of [{ uid: 'another' }, { resourceVersion: '1' }]) {
        await pair.send({ method: 'DELETE', path: `${path}/one`, json: { preconditions } });
      }
      await pair.send({ method: 'DELETE', path: `${path}/one?dryRun=All` });
      await pair.send({ method: 'DELETE', path: `${path}/one` });
      await pair.send({ method: 'DELETE', path: `${path}/own` });
      await pair.send({ method: 'DELETE', path: `${path}/own` }, { ignoredFields: emptying });
      await pair.send(
        { method: 'DELETE', path: `${path}/own?propagationPolicy=Foreground` },
        { ignoredFields: emptying },
      );
      const json = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'late' } };
      await pair.send({ method: 'POST', path: `${path}/own/configmaps`, json });
      await pair.send({ method: 'POST', path: `${path}/nope/configmaps`, json });
      await post(namespace('own'));
      await patch('own', mergePatch, { metadata: { finalizers: ['test.example/late'] } });
      await pair.send(
        { method: 'PUT', path: `${path}/own/finalize`, json: namespace('own') },
        { ignoredFields: emptying },
      );
      await pair.send({ path: `${path}/own` });
    });
  });
}
