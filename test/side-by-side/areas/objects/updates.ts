import { area } from '../../area.ts';
import { apiVersion, asTable, gadget } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';
import type { KeptObject } from '../../side.ts';

type Change = (object: KeptObject) => void;

const set =
  (member: string, value: unknown): Change =>
  ({ metadata }) => {
    metadata[member] = value;
  };
const unset =
  (member: string): Change =>
  ({ metadata }) => {
    delete metadata[member];
  };
const spec =
  (member: string, value: unknown): Change =>
  (object) => {
    object.spec[member] = value;
  };
const all =
  (...changes: readonly Change[]): Change =>
  (object) => {
    for (const change of changes) change(object);
  };

const otherUid = '11111111-2222-3333-4444-555555555555';
const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'n', uid: 'u' };

/** Compares updates with PUT: an object is sent back with changes. */
export function updates(pair: Pair): void {
  area(pair, 'Updates', (compared, gadgets) => {
    const put = (change: Change, query = '') => gadgets.put('u', change, { query });

    compared('changed, unchanged and read-only fields (UPDATE-01, UPDATE-10 to UPDATE-16)', async () => {
      await gadgets.post(gadget('u', { metadata: { labels: { a: 'b' } } }), { keepAs: 'u' });
      await put(() => undefined);
      await put(() => undefined, '?fieldManager=other');
      await put(spec('size', 7));
      await put(set('labels', { c: 'd' }));
      await put(unset('labels'));
      await put((object) => Object.assign(object, { status: { phase: 'Up' } }));
      await put(set('generation', 99));
      await put(set('creationTimestamp', '2001-01-01T00:00:00Z'));
      await put(unset('creationTimestamp'));
      await put(set('deletionTimestamp', '2001-01-01T00:00:00Z'));
      await put(set('deletionGracePeriodSeconds', 5));
      await put(set('selfLink', '/x'));
      await put(set('generateName', 'x-'));
      await put(unset('generateName'));
      for (const value of [{}, undefined, { color: 'x', tags: ['a'], ports: [{ name: 'p', port: 1 }] }]) {
        await put((object) => Object.assign(object, { spec: value }));
      }
      await put(set('finalizers', ['x.y/z', 'short']));
      await put(set('annotations', { a: 'b' }));
      await put(set('ownerReferences', [owner, owner]));
    });

    compared('names and namespaces (UPDATE-02 to UPDATE-04)', async () => {
      await put(unset('name'));
      await put(set('name', 'v'));
      await put(set('namespace', 'other'));
      await put(unset('namespace'));
    });

    compared('versions and uids (UPDATE-05 to UPDATE-07, UPDATE-23)', async () => {
      for (const version of ['', '0', '1', 'abc', '-1', '999999999', '01']) await put(set('resourceVersion', version));
      await put(unset('resourceVersion'));
      await put((object) => set('resourceVersion', `0${object.metadata.resourceVersion}`)(object));
      await put(set('uid', otherUid));
      await put(unset('uid'));
      await put(all(set('uid', otherUid), set('resourceVersion', '1')));
    });

    compared('a missing object (UPDATE-08, UPDATE-09)', async () => {
      const missing = (change: Change) => gadgets.put('u', all(set('name', 'nope'), change), { where: '/nope' });
      await missing(unset('uid'));
      await missing(() => undefined);
      await missing(all(unset('uid'), unset('resourceVersion')));
    });

    compared('another kind or version, or neither (UPDATE-21)', async () => {
      for (const kind of ['Gizmo', undefined]) await put((object) => Object.assign(object, { kind }));
      for (const version of ['workshop.test/v2', 'v1', undefined]) {
        await put((object) => Object.assign(object, { apiVersion: version }));
      }
    });

    compared('invalid objects, in every combination (META-21, UPDATE-05, UPDATE-06)', async () => {
      const badLabel = set('labels', { 'a b': 'c' });
      const badSize = spec('size', 0);
      await put(all(badSize, spec('mode', 'x')));
      await put(badLabel);
      await put(all(badLabel, badSize));
      await put(all(badSize, set('resourceVersion', '1')));
      await put(all(badSize, unset('resourceVersion')));
    });

    compared('options (DEC-09, DEC-13, UPDATE-20)', async () => {
      const unknown = all(spec('foo', 1), set('bar', 1));
      await put(unknown, '?fieldValidation=Strict');
      await put(unknown);
      const dry = (query: string) => gadgets.put('u', spec('size', 9), { query, keepAs: 'dry' });
      await dry('?dryRun=All');
      await dry('?dryRun=x');
      await dry(`?fieldManager=${'x'.repeat(130)}`);
      const headers = { accept: asTable };
      await gadgets.put('u', spec('size', 10), { headers, keepAs: 'table', ignoredFields: /\.cells/ });
      await gadgets.get('/u', { keepAs: 'u' });
      await gadgets.put('u', () => undefined, { headers: { 'content-type': 'application/yaml' } });
    });

    compared('field ownership sent back (SSA-29 to SSA-31)', async () => {
      const annotated = (value: string) => set('annotations', { a: value });
      const fieldsV1 = { 'f:spec': { 'f:color': {} } };
      const edited = {
        manager: 'x',
        operation: 'Update',
        apiVersion,
        time: '2020-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
      };
      await put(all(set('managedFields', null), annotated('c')));
      await put(all(set('managedFields', [{ manager: 'x', operation: 'Foo' }]), annotated('d')));
      await put(all(set('managedFields', [{ ...edited, fieldsV1 }]), annotated('e')));
      await put(annotated('f'));
    });
  });
}
