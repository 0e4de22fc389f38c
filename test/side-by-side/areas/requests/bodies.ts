import { area } from '../../area.ts';
import { apiVersion, gadget } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const labelled = (name: string, label: string) =>
  `{"kind":"Gadget","apiVersion":"${apiVersion}","metadata":{"name":"${name}","annotations":{"a":"${label}"}}}`;

/** Texts that are not exactly one object. */
const texts = (kind: string) => [
  '',
  ' ',
  '{',
  'hello: world: x',
  '[]',
  '"x"',
  '5',
  'null',
  'true',
  '{}',
  `${JSON.stringify(gadget(`trailing-${kind}`))} x`,
  JSON.stringify(gadget(`first-${kind}`)) + JSON.stringify(gadget(`second-${kind}`)),
  `\ufeff${JSON.stringify(gadget(`marked-${kind}`))}`,
  labelled(`surrogate-${kind}`, '\\ud800'),
  `{"kind":"Gadget","apiVersion":"${apiVersion}","metadata":{"name":"x"`,
  '{"kind":"Gadget",}',
  'x'.repeat(100),
  `{"a":${'x'.repeat(100)}`,
  "{'kind':'Gadget'}",
  labelled(`control-${kind}`, '\u0001'),
];

const metadatas = [
  { name: 5 },
  { name: 'm1', labels: { a: 5 } },
  { name: 'm2', labels: { a: true } },
  { name: 'm3', labels: { a: null }, annotations: { b: null } },
  { name: 'm4', labels: [] },
  {
    name: 'm5',
    labels: null,
    annotations: null,
    finalizers: null,
    ownerReferences: null,
    managedFields: null,
    creationTimestamp: null,
    deletionTimestamp: null,
    generation: null,
    uid: null,
    namespace: null,
    generateName: null,
    resourceVersion: null,
    selfLink: null,
  },
  { name: 'm6', annotations: { a: 1 } },
  { name: 'm7', finalizers: 'x' },
  { name: 'm8', finalizers: [5] },
  { name: 'm8b', finalizers: [null] },
  { name: 'm9', ownerReferences: {} },
  { name: 'm10', ownerReferences: ['x'] },
  { name: 'm11', creationTimestamp: 'yesterday' },
  { name: 'm12', creationTimestamp: 5 },
  { name: 'm13', generation: 'x' },
  { name: 'm14', generation: 1.5 },
  { name: 'm14e', generation: 1000 },
  { name: 'm15', managedFields: 'x' },
  { name: 'm16', managedFields: [{ manager: 5 }] },
  { name: 'm17', foo: 'bar', labels: { a: 'b' } },
  { name: 'm18', namespace: 5 },
  { name: 'm19', deletionGracePeriodSeconds: 'x' },
  { name: 'm20', clusterName: 'x' },
  { name: 'm21', selfLink: '/x' },
  {
    name: 'm22',
    uid: 'abc',
    creationTimestamp: '2020-01-01T00:00:00Z',
    deletionTimestamp: '2020-01-01T00:00:00Z',
    deletionGracePeriodSeconds: 5,
    generation: 77,
  },
  { name: 'm23', creationTimestamp: '2020-01-01T00:00:00.123Z' },
  { name: 'm24', ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'n', uid: 'u', controller: 'yes' }] },
  { name: 'm25', ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'n', uid: 'u', foo: 1 }] },
];

const unknownFields = {
  foo: 1,
  spec: {
    color: 'a',
    bar: 2,
    ports: [{ name: 'a', zip: 1 }],
    raw: { anything: 1 },
    half: { more: 1, known: { k: 'x', un: 1 } },
    nested: { x: 1, deep: { y: 1 } },
    embedded: { apiVersion: 'v1', kind: 'X', metadata: { name: 'q', foo: 1 }, z: 1 },
    limits: { q: { zz: 1 } },
    things: [{ zz: 1 }, { yy: 2 }],
  },
  status: { zzz: 1 },
};

const twiceInJson = (name: string) =>
  `{"apiVersion":"${apiVersion}","kind":"Gadget","metadata":{"name":"${name}","name":"${name}",` +
  '"labels":{"a":"1","a":"2"}},"spec":{"color":"a","color":"b","raw":{"x":1,"x":2},"ports":[{"name":"p","name":"q"}],' +
  '"nope":1,"nope":2},"spec":{"color":"c","size":4}}';

const twiceInYaml = (name: string) => `apiVersion: ${apiVersion}
kind: Gadget
metadata:
  name: ${name}
  name: ${name}
  labels:
    a: "1"
    a: "2"
spec:
  color: a
  color: b
  nope: 1
`;

/** Compares how a body is decoded into an object. */
export function bodies(pair: Pair): void {
  area(pair, 'Bodies', (compared, gadgets) => {
    compared('texts that are not objects, as JSON, strictly and as YAML (DEC-01)', async () => {
      for (const text of texts('json')) await gadgets.postText(text, 'application/json');
      for (const text of texts('strict')) {
        await gadgets.postText(text, 'application/json', { query: '?fieldValidation=Strict' });
      }
      for (const text of texts('yaml')) await gadgets.postText(text, 'application/yaml');
    });

    compared('kind and apiVersion: missing, empty, of another type, of another kind (DEC-03 to DEC-06)', async () => {
      const named = (name: string) => ({ metadata: { name } });
      await gadgets.post({ apiVersion, ...named('no-kind') });
      await gadgets.post({ kind: 'Gadget', ...named('no-version') });
      await gadgets.post(named('neither'));
      await gadgets.post({ kind: '', apiVersion, ...named('empty-kind') });
      await gadgets.post({ kind: 'Gadget', apiVersion: '', ...named('empty-version') });
      await gadgets.post({ kind: 5, apiVersion, ...named('number') });
      await gadgets.post({ kind: 'Gadget', apiVersion: 5, ...named('number') });
      await gadgets.post({ kind: null, apiVersion: null, ...named('nulls') });
      for (const other of ['workshop.test/v2', 'other.test/v1', 'a/b/c', 'v1', '/v1', 'workshop.test/']) {
        await gadgets.post({ ...gadget('x'), apiVersion: other });
      }
      for (const kind of ['Gizmo', 'gadget', 'Gadgets']) await gadgets.post({ ...gadget('other-kind'), kind });
      await gadgets.post({ apiVersion, kind: 'GadgetList', items: [], metadata: {} });
      await gadgets.post({ ...gadget('with-items'), items: [] });
      await gadgets.post({ apiVersion: 'v1', kind: 'List', items: [gadget('x')] });
      await gadgets.post({ ...gadget('other-case'), Metadata: { name: 'z' }, Spec: { color: 'x' } });
    });

    compared('metadata of other types, in every mode (DEC-02, META-10)', async () => {
      for (const [at, metadata] of metadatas.entries()) {
        await gadgets.post({ ...gadget('x'), metadata });
        const strict = typeof metadata.name === 'string' ? { ...metadata, name: `strict-${at}` } : metadata;
        await gadgets.post({ ...gadget('x'), metadata: strict }, { query: '?fieldValidation=Strict' });
      }
    });

    compared('metadata, spec and status that are not objects (DEC-02, META-21)', async () => {
      let count = 0;
      for (const member of ['metadata', 'spec', 'status']) {
        for (const value of [null, 'x', [], 5, undefined]) {
          await gadgets.post({ ...gadget(`member-${count++}`), [member]: value });
        }
      }
    });

    compared('unknown fields, by ?fieldValidation (DEC-08 to DEC-14)', async () => {
      for (const [at, mode] of ['', 'Ignore', 'Warn', 'Strict', 'x', 'strict'].entries()) {
        const metadata = { name: `unknown-${at}`, unk: 1, labels: { a: 'b' } };
        await gadgets.post({ ...gadget('x'), ...unknownFields, metadata }, { query: `?fieldValidation=${mode}` });
      }
    });

    compared('duplicate fields, by ?fieldValidation (DEC-09, DEC-12, DEC-13)', async () => {
      for (const [at, mode] of ['', 'Ignore', 'Warn', 'Strict'].entries()) {
        const query = `?fieldValidation=${mode}`;
        await gadgets.postText(twiceInJson(`twice-json-${at}`), 'application/json', { query });
        await gadgets.postText(twiceInYaml(`twice-yaml-${at}`), 'application/yaml', { query });
      }
    });

    compared('bodies that are too large or too deep (REQ-20, REQ-21)', async () => {
      await gadgets.post(gadget('large', { metadata: { annotations: { a: 'x'.repeat(3_200_000) } } }));
      const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
      for (const depth of [80, 600, 2_000, 10_001]) {
        const spec = `"spec":{"raw":${nested(depth)}}`;
        const text = `{"apiVersion":"${apiVersion}","kind":"Gadget","metadata":{"name":"deep-${depth}"},${spec}}`;
        await gadgets.postText(text, 'application/json');
      }
    });
  });
}
