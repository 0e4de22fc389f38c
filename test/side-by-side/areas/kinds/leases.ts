import { describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import { jsonPatch, mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';
import type { KeptObject } from '../../side.ts';
import { instanceNamespace } from '../management/instances.ts';

const apiVersion = 'coordination.k8s.io/v1';
const path = `/apis/${apiVersion}/namespaces/${instanceNamespace}/leases`;

function lease(name: string, spec: object = {}, metadata: object = {}): object {
  const held = { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: '2026-01-02T03:04:05.678901Z' };
  return { apiVersion, kind: 'Lease', metadata: { name, ...metadata }, spec: { ...held, ...spec } };
}

/**
 * Compares leases, a built-in Kubernetes kind. Built-in kinds differ from custom resources in how they are written and
 * in their error messages.
 */
export function leases(pair: Pair): void {
  describe('Leases', () => {
    const compared = comparedTests(pair);
    const post = (json: unknown, query = '') => pair.send({ method: 'POST', path: path + query, json });
    const put = (change: (object: KeptObject) => void, query = '') =>
      pair.send(
        (side) => {
          const json = side.kept('lease');
          change(json);
          return { method: 'PUT', path: `${path}/one${query}`, json };
        },
        { keepAs: 'lease' },
      );
    const patch = (type: string, body: unknown) =>
      pair.send({
        method: 'PATCH',
        path: `${path}/one`,
        body: JSON.stringify(body),
        headers: { 'content-type': type },
      });

    compared('are created and refused (CREATE-01, CREATE-17, META-01, NEG-06)', async () => {
      await post(lease('one'));
      await post(lease('one'));
      await post(lease('dry'), '?dryRun=All');
      await post({ ...lease('x'), metadata: { generateName: 'generated-' } });
      await post(lease('UPPER'));
      await post(lease('labels', {}, { labels: { 'a b': 'c' } }));
      await post(lease('x', {}, { namespace: 'other' }));
    });

    compared('are read (GET-01, LIST-01, NEG-25, DEC-25)', async () => {
      await pair.send({ path: `${path}/one` }, { keepAs: 'lease' });
      await pair.send({ path: `${path}/nope` });
      await pair.send({ path: `${path}/one`, headers: { accept: 'application/yaml' } });
      for (const query of ['', '?limit=1', '?fieldSelector=metadata.name%3Done', '?labelSelector=x']) {
        await pair.send({ path: path + query });
      }
    });

    compared('are replaced (UPDATE-05 to UPDATE-07, UPDATE-15)', async () => {
      await put(() => undefined);
      await put(({ spec }) => Object.assign(spec, { holderIdentity: 'b', leaseTransitions: 1 }));
      await put(({ metadata }) => Object.assign(metadata, { resourceVersion: '1' }));
      await put(({ metadata }) => Object.assign(metadata, { uid: '11111111-2222-3333-4444-555555555555' }));
      await put(({ metadata }) => delete metadata.resourceVersion);
      await put(({ metadata }) => delete metadata.name);
    });

    compared('are patched (PATCH-10, PATCH-13)', async () => {
      await patch(mergePatch, { spec: { holderIdentity: 'c' } });
      await patch(mergePatch, { metadata: { labels: { a: 'b' } } });
      await patch(jsonPatch, [{ op: 'replace', path: '/spec/holderIdentity', value: 'd' }]);
      await patch(jsonPatch, [{ op: 'test', path: '/spec/holderIdentity', value: 'x' }]);
    });

    compared('are watched and deleted (WATCH-06, DELETE-06)', async () => {
      const query = '?watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
      await pair.sendAll([{ path: `${path}${query}&allowWatchBookmarks=true` }], { isStream: true });
      await pair.send({ method: 'DELETE', path: `${path}/one` });
      await pair.send({ method: 'DELETE', path: `${path}/one` });
      await pair.send({ method: 'DELETE', path });
    });
  });
}
