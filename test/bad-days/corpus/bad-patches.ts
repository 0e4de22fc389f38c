import { type BadRequest, dryRunQuery, sending, withQuery } from './bad-request.ts';
import { objectPath, patchTypes, type ServedApi } from './served-api.ts';

const family = 'bad patches';

const doubling = (times: number) => {
  const steps = Array.from({ length: times }, (_, n) => ({
    op: 'copy',
    from: '/metadata',
    path: `/metadata/annotations/a${n}`,
  }));
  return JSON.stringify([{ op: 'add', path: '/metadata/annotations', value: { x: 'x'.repeat(1_000) } }, ...steps]);
};

const jsonPatches = [
  ...[
    '{}',
    '[]',
    '[null]',
    '[5]',
    '["x"]',
    '[[]]',
    '[{}]',
    'null',
    '"x"',
    '[{"op":"add"}]',
    '[{"path":"/a"}]',
    '[{"op":5,"path":"/a"}]',
  ],
  ...[
    '[{"op":"nothing","path":"/spec"}]',
    '[{"op":"ADD","path":"/spec","value":1}]',
    '[{"op":"add","path":"spec","value":1}]',
  ],
  ...[
    '[{"op":"add","path":"/spec/~2","value":1}]',
    '[{"op":"add","path":"/spec/~","value":1}]',
    '[{"op":"add","path":5,"value":1}]',
  ],
  ...[
    '[{"op":"add","path":"","value":null}]',
    '[{"op":"add","path":"","value":5}]',
    '[{"op":"remove","path":""}]',
    '[{"op":"add","path":"/x"}]',
  ],
  ...[
    '[{"op":"remove","path":"/nothing/here"}]',
    '[{"op":"replace","path":"/nothing","value":1}]',
    '[{"op":"move","path":"/a"}]',
  ],
  ...[
    '[{"op":"move","from":"/spec","path":"/spec/inside"}]',
    '[{"op":"copy","from":"/nothing","path":"/a"}]',
    '[{"op":"copy","from":5,"path":"/a"}]',
  ],
  ...[
    '[{"op":"add","path":"/metadata/finalizers/99","value":"x"}]',
    '[{"op":"add","path":"/metadata/managedFields/-1","value":{}}]',
  ],
  ...[
    '[{"op":"add","path":"/metadata/managedFields/01","value":{}}]',
    '[{"op":"add","path":"/metadata/managedFields/1e0","value":{}}]',
  ],
  ...[
    '[{"op":"replace","path":"/metadata/managedFields/-","value":{}}]',
    '[{"op":"test","path":"/kind","value":"Other"}]',
  ],
  ...['[{"op":"replace","path":"/kind","value":"Other"}]', '[{"op":"replace","path":"/apiVersion","value":"x/y/z"}]'],
  ...['[{"op":"replace","path":"/metadata/name","value":"other"}]', '[{"op":"replace","path":"/metadata","value":[]}]'],
  ...[
    '[{"op":"remove","path":"/metadata"}]',
    '[{"op":"remove","path":"/metadata/uid"}]',
    '[{"op":"replace","path":"/metadata/uid","value":"x"}]',
  ],
  ...[
    '[{"op":"replace","path":"/metadata/resourceVersion","value":"x"}]',
    '[{"op":"add","path":"/metadata/labels","value":{"a b":"c d"}}]',
  ],
  ...[
    '[{"op":"add","op":"remove","path":"/spec","path":"/metadata"}]',
    '[{"op":"test","path":"/metadata/name","value":{"a":[]}}]',
  ],
  `[${'{"op":"test","path":"/kind","value":"x"},'.repeat(10_000)}{"op":"test","path":"/kind","value":"x"}]`,
  doubling(12),
  doubling(40),
  JSON.stringify(
    Array.from({ length: 3_000 }, (_, n) => ({
      op: 'add',
      path: `/metadata/annotations/k${n}`,
      value: 'v'.repeat(100),
    })),
  ),
];

const mergePatches = [
  ...[
    'null',
    '5',
    '"x"',
    '[]',
    'true',
    '[{}]',
    '{"metadata":null}',
    '{"metadata":[]}',
    '{"metadata":5}',
    '{"metadata":"x"}',
  ],
  ...[
    '{"kind":"Other"}',
    '{"kind":null}',
    '{"apiVersion":5}',
    '{"metadata":{"name":"other"}}',
    '{"metadata":{"uid":"x"}}',
  ],
  ...[
    '{"metadata":{"resourceVersion":"x"}}',
    '{"metadata":{"resourceVersion":"-1"}}',
    '{"metadata":{"resourceVersion":5}}',
  ],
  ...[
    '{"metadata":{"labels":{"a b":"c"}}}',
    '{"metadata":{"labels":{"a":5}}}',
    '{"metadata":{"annotations":{"a b c":"x"}}}',
  ],
  ...[
    '{"metadata":{"finalizers":["x"]}}',
    '{"metadata":{"finalizers":{"a":1}}}',
    '{"metadata":{"ownerReferences":[{}]}}',
  ],
  ...[
    '{"metadata":{"managedFields":[{"fieldsV1":5}]}}',
    '{"metadata":{"managedFields":{}}}',
    '{"metadata":{"namespace":"other"}}',
  ],
  ...[
    '{"metadata":{"deletionTimestamp":"x"}}',
    '{"metadata":{"creationTimestamp":"x"}}',
    '{"metadata":{"generation":"x"}}',
  ],
  ...[
    '{"spec":null}',
    '{"spec":[]}',
    '{"spec":"x"}',
    '{"status":5}',
    '{"$patch":"delete"}',
    '{"spec":{"$patch":"replace"}}',
  ],
  `{"metadata":{"annotations":{"a":"${'x'.repeat(300_000)}"}}}`,
  `{"metadata":{"labels":{${Array.from({ length: 5_000 }, (_, n) => `"l${n}":"v"`).join(',')}}}}`,
];

const applies = (head: string) => [
  ...[
    '{}',
    'null',
    '5',
    '[]',
    'x',
    `{${head}}`,
    `{${head},"metadata":null}`,
    `{${head},"metadata":[]}`,
    `{"apiVersion":"v1"}`,
  ],
  ...[
    `{${head},"metadata":{"managedFields":[{"manager":"x"}]}}`,
    `{${head},"metadata":{"name":"other"}}`,
    `{"kind":5,"apiVersion":5}`,
  ],
  ...[
    `{${head},"metadata":{"resourceVersion":"1"}}`,
    `{${head},"metadata":{"uid":"x"}}`,
    `{${head},"spec":{"nothing":{"a":1}}}`,
  ],
  ...[
    `{${head},"spec":[]}`,
    `{${head},"metadata":{"ownerReferences":[{"uid":"a"},{"uid":"a"}]}}`,
    `{${head},"status":5}`,
  ],
  ...[
    `{${head},"metadata":{"finalizers":["a","a"]}}`,
    `{${head},"metadata":{"finalizers":[{"a":1}]}}`,
    `{${head},"spec":{"":{}}}`,
  ],
];

const managers = [
  'fieldManager=m',
  '',
  'fieldManager=',
  `fieldManager=${'x'.repeat(129)}`,
  'fieldManager=%00',
  'fieldManager=%ff',
  'force=x',
];

/** Directives that are misplaced or contradictory. */
const strategicMerges: readonly string[] = [
  '{"$patch":"delete"}',
  '{"$patch":"replace"}',
  '{"$patch":{}}',
  '{"metadata":{"$patch":"merge"}}',
  '{"$retainKeys":5}',
  '{"$retainKeys":["__proto__"],"__proto__":{}}',
  '{"$setElementOrder":[]}',
  '{"$setElementOrder/":[]}',
  '{"$setElementOrder/__proto__":[]}',
  '{"metadata":{"$setElementOrder/finalizers":[[],{}]}}',
  '{"metadata":{"$setElementOrder/labels":["a"]}}',
  '{"metadata":{"finalizers":[[["a"]]]}}',
  '{"metadata":{"finalizers":[null]}}',
  '{"metadata":{"ownerReferences":[{"uid":{}},{"uid":[]},{"$patch":"delete"}]}}',
  '{"metadata":{"ownerReferences":[{"$patch":"replace"},5]}}',
  '{"metadata":{"$deleteFromPrimitiveList/finalizers":{"a":1}}}',
  '{"$deleteFromPrimitiveList/metadata":{"name":5}}',
  '{"$deleteFromPrimitiveList":null}',
];

export function* badPatches(servedApi: ServedApi): Generator<BadRequest> {
  for (const kind of servedApi.kinds.filter(({ objectMethods }) => objectMethods.includes('patch'))) {
    const places = [objectPath(servedApi, kind), objectPath(servedApi, kind, 'never-made')];
    for (const { name, methods } of kind.subresources) {
      if (methods.includes('patch')) places.push(`${objectPath(servedApi, kind)}/${name}`);
    }
    for (const place of places) {
      const target = withQuery(place, dryRunQuery);
      for (const body of jsonPatches) yield sending(family, 'PATCH', target, body, { type: patchTypes.json });
      for (const body of mergePatches) yield sending(family, 'PATCH', target, body, { type: patchTypes.merge });
      const head = `"apiVersion":"${kind.apiVersion}","kind":"${kind.kind}"`;
      for (const [index, body] of applies(head).entries()) {
        const manager = managers[index % managers.length] ?? '';
        yield sending(family, 'PATCH', withQuery(target, 'fieldManager=m'), body, { type: patchTypes.apply });
        yield sending(family, 'PATCH', withQuery(target, ...(manager === '' ? [] : [manager])), body, {
          type: patchTypes.apply,
        });
      }
      const type = 'application/strategic-merge-patch+json';
      // Strategic merge patches apply to typed kinds only.
      if (!/(^|\.k8s\.io\/)v1$/.test(kind.apiVersion)) {
        yield sending(family, 'PATCH', target, '{}', { type, refused: true });
        continue;
      }
      for (const body of [...mergePatches, ...strategicMerges]) yield sending(family, 'PATCH', target, body, { type });
    }
  }
}
