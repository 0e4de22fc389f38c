import { describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import { jsonPatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

export const strategicMerge = 'application/strategic-merge-patch+json';

/** Compares strategic merge patches of built-in Kubernetes kinds. */
export function strategicMerges(pair: Pair): void {
  describe('Strategic merges', () => {
    const compared = comparedTests(pair);
    const namespace = '/api/v1/namespaces/merges';
    const patch = (path: string, body: unknown, type = strategicMerge) =>
      pair.send({
        method: 'PATCH',
        path: namespace + path,
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': type },
      });
    const map = (body: unknown, query = '') => patch(`/configmaps/one${query}`, body);
    const account = (body: unknown) => patch('/serviceaccounts/one', body);

    compared('start from objects (CREATE-01, DEC-25)', async () => {
      await pair.send({ method: 'POST', path: '/api/v1/namespaces', json: { metadata: { name: 'merges' } } });
      const post = (path: string, json: unknown) => pair.send({ method: 'POST', path: namespace + path, json });
      await post('/configmaps', { data: { b: '2', a: '1' }, metadata: { name: 'one', labels: { z: '1', y: '2' } } });
      await post('/serviceaccounts', { secrets: [{ name: 'a' }, { name: 'b' }], metadata: { name: 'one' } });
    });

    compared('merge maps, drop nulls and replace on request (PATCH-01, PATCH-13, PATCH-22)', async () => {
      await map({ data: { a: null, c: '3' }, metadata: { labels: { y: null }, annotations: { n: 'm' } } });
      await map({ data: { $patch: 'replace', only: '1' } });
      await map({ data: { $patch: 'delete' } });
      await map({ data: { a: '1' }, immutable: false });
      await map({});
      await map('null');
    });

    compared('merge finalizers as a set (PATCH-01)', async () => {
      await map({ metadata: { finalizers: ['x.y/a', 'x.y/b'] } });
      await map({ metadata: { finalizers: ['x.y/c'], '$setElementOrder/finalizers': ['x.y/c', 'x.y/b'] } });
      await map({ metadata: { '$deleteFromPrimitiveList/finalizers': ['x.y/a', 'x.y/none'] } });
      await map({ metadata: { '$deleteFromPrimitiveList/finalizers': ['x.y/b', 'x.y/c'] } });
    });

    compared('merge lists by key, others as a whole (PATCH-01)', async () => {
      await account({ secrets: [{ name: 'c' }, { name: 'a', $patch: 'delete' }] });
      await account({ secrets: [{ name: 'd' }], '$setElementOrder/secrets': [{ name: 'd' }, { name: 'b' }] });
      await account({ secrets: [{ $patch: 'replace' }, { name: 'e' }] });
      await account({ imagePullSecrets: [{ name: 'x' }] });
      await account({ imagePullSecrets: [{ name: 'y' }] });
      await patch('/status', { status: { conditions: [{ type: 'A', status: 'True' }] } });
      await patch('/status', {
        status: {
          conditions: [
            { type: 'A', reason: 'R' },
            { type: 'B', status: 'False' },
          ],
        },
      });
      await patch('/status', { status: { conditions: [{ type: 'A', $patch: 'delete' }] } });
    });

    compared('are refused if invalid (PATCH-04, PATCH-10, PATCH-11, PATCH-12, PATCH-16)', async () => {
      for (const body of ['[1]', '"x"', '{', '5']) await map(body);
      await map({ data: { $patch: 'merge' } });
      await map({ data: { $patch: 'nonsense' } });
      await map({ metadata: { finalizers: [{ $patch: 'replace' }] } });
      await map({ '$setElementOrder/nothing': ['a'] });
      await map({ metadata: { '$setElementOrder/nothing': ['a'] } });
      await map({ $setElementOrder: ['a'] });
      await map({ $deleteFromPrimitiveList: ['a'] });
      await map({ $retainKeys: ['data'], data: { k: 'v' } });
      await map({ $retainKeys: ['data'], immutable: false });
      await map({ $patch: 'delete' });
      await account({ secrets: [{ kind: 'x' }] });
      await patch('/configmaps/nothing', {});
      await map({ metadata: { name: 'two' } });
      await map({ metadata: { resourceVersion: '1' } });
    });

    compared('are refused if the result has the wrong type (PATCH-11, DEC-15)', async () => {
      for (const data of [5, 'x', ['x'], { a: 5 }, { a: true }, { a: {} }, { a: 1.5 }]) await map({ data });
      await map({ immutable: 'x' });
      await map({ metadata: { labels: { a: 5 } } });
      await map({ metadata: { finalizers: 'x' } });
      await map({ metadata: 'x' });
      await map({ unknown: 1 });
      await map({ unknown: 1, data: { a: 'b' } }, '?fieldValidation=Strict');
      await map({ unknown: 1 }, '?fieldValidation=Ignore');
    });

    compared('and JSON patches work on the serialized form (PATCH-09)', async () => {
      await patch('/configmaps/one', [{ op: 'add', path: '/data/zz', value: '1' }], jsonPatch);
      await patch('/configmaps/one', [{ op: 'test', path: '/kind', value: 'ConfigMap' }], jsonPatch);
      await patch('', [{ op: 'test', path: '/status/phase', value: 'Active' }], jsonPatch);
    });
  });
}
