import { area } from '../../area.ts';
import { age, applyPatch, asTable, gadget, jsonPatch, mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const mergePatches = [
  {},
  { metadata: { labels: { n: 'm' } } },
  { metadata: { labels: { n: null } } },
  { spec: { color: 'blue' } },
  { spec: { parts: ['z'] } },
  { spec: { size: null } },
  { spec: { nested: null } },
  { metadata: { name: 'q' } },
  { metadata: { name: null } },
  { metadata: { namespace: 'q' } },
  { metadata: { uid: 'q' } },
  { metadata: { uid: null } },
  { metadata: { resourceVersion: '1' } },
  { metadata: { resourceVersion: null } },
  { metadata: { resourceVersion: 'abc' } },
  { metadata: { resourceVersion: 5 } },
  { metadata: { resourceVersion: '' } },
  { metadata: { resourceVersion: '0' } },
  { kind: 'Gizmo' },
  { apiVersion: 'workshop.test/v2' },
  { apiVersion: 'v1' },
  { kind: null },
  { metadata: null },
  { metadata: 'x' },
  { metadata: { labels: { a: 5 } } },
  { metadata: { labels: [] } },
  { metadata: { labels: { 'a b': 'c' } } },
  { spec: { size: 0 } },
  { spec: { size: 'x' } },
  { spec: { foo: 1 }, bar: 2, metadata: { zip: 1 } },
  { metadata: { generation: 50 } },
  { metadata: { creationTimestamp: '2001-01-01T00:00:00Z' } },
  { metadata: { creationTimestamp: null } },
  { metadata: { deletionTimestamp: '2001-01-01T00:00:00Z' } },
  { metadata: { deletionGracePeriodSeconds: 5 } },
  { status: { phase: 'Up' } },
  { metadata: { managedFields: [] } },
  { spec: 'x' },
  { spec: null },
  {
    spec: {
      color: 'red',
      size: 3,
      tags: ['a', 'b'],
      parts: ['p', 'q'],
      raw: { k: [1, 2, { z: 1 }], 'a/b': 1, 'm~n': 2 },
    },
  },
];

const jsonPatches = [
  [{ op: 'add', path: '/metadata/labels/k', value: 'v' }],
  [{ op: 'add', path: '/metadata/annotations/a~1b', value: 'v' }],
  [{ op: 'add', path: '/spec/raw/t~0t', value: 1 }],
  [{ op: 'replace', path: '/spec/color', value: 'green' }],
  [{ op: 'replace', path: '/spec/code', value: 'ab-1' }],
  [{ op: 'remove', path: '/metadata/labels/k' }],
  [{ op: 'remove', path: '/metadata/labels/k' }],
  [{ op: 'test', path: '/spec/color', value: 'green' }],
  [{ op: 'test', path: '/spec/color', value: 'x' }],
  [{ op: 'test', path: '/spec/nope', value: null }],
  [{ op: 'test', path: '/spec/size', value: 3 }],
  [{ op: 'move', from: '/spec/raw/k', path: '/spec/raw/k2' }],
  [{ op: 'move', from: '/spec/raw/k2', path: '/spec/raw/k' }],
  [{ op: 'copy', from: '/spec/color', path: '/metadata/annotations/c' }],
  [{ op: 'copy', from: '/spec/zip', path: '/metadata/annotations/c' }],
  [{ op: 'add', path: '/spec/tags/-', value: 'c' }],
  [{ op: 'add', path: '/spec/tags/0', value: 'zero' }],
  [{ op: 'add', path: '/spec/tags/99', value: 'x' }],
  [{ op: 'replace', path: '/spec/tags/-1', value: 'x' }],
  [{ op: 'replace', path: '/spec/tags/01', value: 'x1' }],
  [{ op: 'replace', path: '/spec/tags/a', value: 'x' }],
  [{ op: 'replace', path: '/spec/tags/+1', value: 'xp' }],
  [{ op: 'remove', path: '/spec/tags/-' }],
  [{ op: 'remove', path: '/spec/tags/-1' }],
  [{ op: 'foo', path: '/spec/color', value: 'x' }],
  [{ path: '/spec/color', value: 'x' }],
  [{ op: 'add', value: 'x' }],
  [{ op: 'add', path: '/spec/color' }],
  [{ op: 'replace', path: '', value: {} }],
  [{ op: 'add', path: '', value: { a: 1 } }],
  [{ op: 'remove', path: '' }],
  [{ op: 'add', path: '/', value: 1 }],
  [{ op: 'add', path: 'spec/color', value: 'x' }],
  [{ op: 'add', path: '/spec/color', value: 'q', foo: 1 }],
  [{ op: 'add', path: '/spec/color', value: null }],
  [{ op: 'replace', path: '/spec/raw', value: null }],
  [{ op: 'add', path: '/spec/raw', value: { k: [1, 2] } }],
  [{ op: 'add', path: '/spec/raw/a/b/c', value: 1 }],
  [{ op: 'add', path: '/spec/color/x', value: 1 }],
  [{ op: 'replace', path: '/kind', value: 'X' }],
  [{ op: 'replace', path: '/metadata/name', value: 'zz' }],
  [{ op: 'replace', path: '/metadata/resourceVersion', value: '1' }],
  [{ op: 'test', path: '/metadata/resourceVersion', value: '1' }],
  [{ op: 'add', path: '/metadata/labels/five', value: 5 }],
  [{ op: 'replace', path: '/spec/size', value: 0 }],
  [{ op: 'replace', path: '/spec/size', value: 'a' }],
  [{ op: 'add', path: '/spec/foo', value: 1 }],
  [{ op: 'remove', path: '/metadata' }],
  [{ op: 'remove', path: '/kind' }],
  [],
  [5],
  [null],
  [{}],
  [{ op: 'add', path: 5, value: 1 }],
  [{ op: 'Add', path: '/spec/color', value: 'Z' }],
  [{ op: 'move', from: '/spec', path: '/spec/x' }],
  [{ op: 'move', from: '/spec/color', path: '/spec/color' }],
  [{ op: 'test', path: '/metadata/labels', value: { a: 'b' } }],
  [
    { op: 'test', path: '/spec/size', value: 3 },
    { op: 'replace', path: '/spec/size', value: 4 },
    { op: 'add', path: '/metadata/annotations/multi', value: 'y' },
  ],
  [{ op: 'move', path: '/spec/a' }],
  [{ op: 'add', path: '/spec/raw/~2', value: 1 }],
  [{ op: 'add', path: '/spec/raw/x~', value: 1 }],
];

const texts = [
  '[]',
  '"x"',
  '5',
  'null',
  '{',
  '',
  '{"spec":{"color":"a","color":"b"}}',
  '{} x',
  'spec: {color: x}',
  '{}{}',
];

const contentTypes = [
  'application/strategic-merge-patch+json',
  'application/json',
  'text/plain',
  '',
  'application/merge-patch+json; charset=utf-8',
  'application/merge-patch+json;x',
  'Application/Merge-Patch+JSON',
  'application/apply-patch+cbor',
  'application/yaml',
];

/** Compares JSON patches and merge patches. */
export function patches(pair: Pair): void {
  area(pair, 'Patches', (compared, gadgets) => {
    let made = 0;
    /** Creates an object for a patch on both servers. Returns its name. */
    async function fresh(): Promise<string> {
      const name = `x${made++}`;
      const raw = { k: [1, 2, { z: 1 }], 'a/b': 1, 'm~n': 2 };
      const spec = { color: 'red', size: 3, tags: ['a', 'b'], parts: ['p', 'q'], raw };
      const parts = { metadata: { labels: { a: 'b' }, annotations: { x: 'y' } }, spec };
      const json = JSON.stringify(gadget(name, parts)).replace('"size":3', '"size":3,"big":9007199254740993');
      const headers = { 'content-type': 'application/json' };
      await pair.prepare({ method: 'POST', path: gadgets.path, body: json, headers });
      return name;
    }
    const inBothModes = async (type: string, patch: unknown) => {
      await gadgets.patch(await fresh(), type, patch);
      await gadgets.patch(await fresh(), type, patch, { query: '?fieldValidation=Strict' });
    };

    compared('the type of a patch (PATCH-01 to PATCH-03)', async () => {
      const name = await fresh();
      for (const type of contentTypes) await gadgets.patch(name, type, { metadata: { labels: { ct: 'x' } } });
      await gadgets.patch('nope', 'application/strategic-merge-patch+json', '{}');
      await gadgets.send({ method: 'PATCH', path: `${gadgets.path}/${name}`, body: '{}' });
    });

    compared(
      'merge patches, in both modes (PATCH-10, PATCH-11, PATCH-15 to PATCH-17, PATCH-22, PATCH-27)',
      async () => {
        for (const patch of mergePatches) await inBothModes(mergePatch, patch);
      },
    );

    compared('JSON patches, in both modes (PATCH-07, PATCH-09, PATCH-11, PATCH-15, PATCH-22)', async () => {
      for (const patch of jsonPatches) await inBothModes(jsonPatch, patch);
      const twice = '[{"op":"add","op":"add","path":"/spec/color","value":"r","value":"s"}]';
      await inBothModes(jsonPatch, twice);
    });

    compared('texts that are not patches, for each type (PATCH-04, PATCH-05, SSA-04)', async () => {
      for (const text of texts) {
        await inBothModes(mergePatch, text);
        await gadgets.patch(await fresh(), jsonPatch, text);
        await gadgets.patch(await fresh(), applyPatch, text, { query: '?fieldManager=z' });
      }
    });

    compared('the maximum number of operations, and one more (PATCH-06)', async () => {
      const name = await fresh();
      for (const count of [10_000, 10_001]) {
        const operations = Array.from({ length: count }, () => ({ op: 'test', path: '/kind', value: 'Gadget' }));
        await gadgets.patch(name, jsonPatch, operations);
      }
    });

    compared('a missing object (PATCH-12, REQ-28)', async () => {
      for (const patch of ['[]', '{']) await gadgets.patch('nope', jsonPatch, patch);
      for (const patch of ['{}', '{']) await gadgets.patch('nope', mergePatch, patch);
    });

    compared('options (PATCH-19, PATCH-21)', async () => {
      const name = await fresh();
      const queries = [
        '?force=true',
        '?force=false',
        '?force=x',
        '?force',
        '?dryRun=All',
        '?dryRun=x',
        '?fieldManager=mm',
        `?fieldManager=${'x'.repeat(129)}`,
        '?fieldValidation=x',
        '?timeout=abc',
        '?pretty=true',
      ];
      for (const [at, query] of queries.entries()) {
        await gadgets.patch(name, mergePatch, { metadata: { annotations: { option: String(at) } } }, { query });
      }
      for (const accept of ['text/plain', asTable, 'application/yaml']) {
        await gadgets.patch(name, mergePatch, {}, { headers: { accept }, ignoredFields: age });
      }
    });

    compared(
      'large bodies, duplicate owners, added and removed finalizers (REQ-20, CREATE-27, CREATE-28)',
      async () => {
        const name = await fresh();
        await gadgets.patch(name, mergePatch, { metadata: { annotations: { a: 'x'.repeat(3_200_000) } } });
        const owner = { apiVersion: 'v1', kind: 'A', name: 'n', uid: '1' };
        await gadgets.patch(name, mergePatch, { metadata: { ownerReferences: [owner, owner] } });
        await gadgets.patch(name, mergePatch, { metadata: { finalizers: ['foo'] } });
        await gadgets.patch(name, mergePatch, { metadata: { finalizers: null, ownerReferences: null } });
        await gadgets.get(`/${name}`);
      },
    );

    compared('missing maps (PATCH-09, PATCH-10)', async () => {
      await gadgets.post({ ...gadget('bare'), spec: undefined });
      await gadgets.patch('bare', mergePatch, { spec: { raw: { a: null, b: { c: null, d: 1 } } } });
      await gadgets.patch('bare', jsonPatch, [{ op: 'add', path: '/spec/labels/x', value: '1' }]);
      await gadgets.patch('bare', jsonPatch, [{ op: 'add', path: '/metadata/annotations/x', value: '1' }]);
    });
  });
}
