import { area } from '../../area.ts';
import { age, applyPatch, asTable, gadget, jsonPatch, mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';
import type { KeptObject } from '../../side.ts';

/** Compares the status of objects, which is written through its own subresource. */
export function status(pair: Pair): void {
  area(pair, 'Status', (compared, gadgets) => {
    const put = (change: (object: KeptObject) => void, query = '') =>
      gadgets.put('u', change, { where: '/u/status', query });
    const withStatus = (sent: unknown) => (object: KeptObject) => Object.assign(object, { status: sent });

    compared('PUT stores the status and nothing else (STATUS-02 to STATUS-05)', async () => {
      await gadgets.post(gadget('u', { metadata: { labels: { a: 'b' }, finalizers: ['x/y'] } }), { keepAs: 'u' });
      await put((object) => {
        withStatus({ phase: 'Up', conditions: [{ type: 'A', status: 'True' }] })(object);
        object.spec = { color: 'changed' };
        Object.assign(object.metadata, { labels: { changed: 'yes' }, finalizers: [] });
      });
      await put(() => undefined);
      await put(withStatus({ count: 'x' }));
      await put(withStatus({ phase: 'Bad', count: 'x' }));
      await put((object) => {
        object.spec = { size: 0 };
        withStatus({ phase: 'Down' })(object);
      });
      await put(({ metadata }) => delete metadata.resourceVersion);
      await put(({ metadata }) => Object.assign(metadata, { resourceVersion: '1' }));
      await put(withStatus({ phase: 'Up', foo: 1 }));
      await put(withStatus({ phase: 'Up', foo: 1 }), '?fieldValidation=Strict');
      const missing = (object: KeptObject) => {
        object.metadata.name = 'nope';
        delete object.metadata.uid;
      };
      await gadgets.put('u', missing, { where: '/nope/status' });
    });

    compared('GET gives the whole object (GET-07)', async () => {
      await gadgets.get('/u/status');
      await gadgets.get('/u/status', { headers: { accept: asTable }, ignoredFields: age });
      await gadgets.get('/nope/status');
    });

    compared('patches of every type (PATCH-23, SSA-32, SSA-33, STATUS-06)', async () => {
      const patch = { status: { count: 5 }, spec: { color: 'nope' }, metadata: { labels: { x: 'y' } } };
      await gadgets.patch('u/status', mergePatch, patch);
      await gadgets.patch('u/status', jsonPatch, [{ op: 'replace', path: '/status/count', value: 6 }]);
      await gadgets.patch('u/status', jsonPatch, [{ op: 'test', path: '/spec/color', value: 'no' }]);
      await gadgets.patch('u/status', mergePatch, { metadata: { resourceVersion: '1' }, status: { count: 9 } });
      await gadgets.patch('u/status', mergePatch, { status: null });
      const applied = (name: string, phase: string, more = {}) => ({ ...gadget(name, more), status: { phase } });
      const query = '?fieldManager=st';
      const labels = { metadata: { labels: { l: 'm' } }, spec: { color: 'z' } };
      await gadgets.patch('u/status', applyPatch, applied('u', 'Down', labels), { query });
      await gadgets.patch('nope/status', applyPatch, applied('nope', 'Down'), { query });
      await gadgets.patch('u', applyPatch, applied('u', 'Up'), { query });
      // If an apply with a status is repeated in a later second, kube-apiserver stores the object again with a new
      // version.
      const ignoredFields = /^body\.metadata\.resourceVersion$/;
      await gadgets.patch('u', applyPatch, applied('u', 'Up'), { query: `${query}&force=true`, ignoredFields });
    });
  });
}
