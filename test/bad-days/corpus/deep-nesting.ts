import { type BadRequest, dryRunQuery, sending, withQuery } from './bad-request.ts';
import { bodyTargets, objectPath, patchTypes, type ServedApi } from './served-api.ts';

const family = 'deep nesting';

const depths = [200, 1_001, 9_990, 10_001, 100_000];
const nests: readonly ((levels: number) => string)[] = [
  (levels) => '['.repeat(levels) + ']'.repeat(levels),
  (levels) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`,
  (levels) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`,
  // The brackets are never closed, because abandoning a deeply nested document must be cheap too.
  (levels) => '['.repeat(levels),
  (levels) => '{"a":'.repeat(levels),
];

export function* deepNesting(servedApi: ServedApi): Generator<BadRequest> {
  for (const kind of servedApi.kinds) {
    const places = [
      (inner: string) => inner,
      (inner: string) => `{"metadata":{"name":"x","labels":${inner}}}`,
      (inner: string) => `{"metadata":{"name":"x","managedFields":[{"fieldsV1":${inner}}]}}`,
      (inner: string) => `{"metadata":{"name":"x"},"spec":${inner}}`,
      (inner: string) => `{"metadata":{"name":"x"},"unknown":${inner}}`,
    ];
    for (const [index, { method, path, type }] of bodyTargets(servedApi, kind).entries()) {
      for (const [turn, depth] of depths.entries()) {
        const nest = nests[(index + turn) % nests.length] ?? String;
        const place = places[(index + 2 * turn) % places.length] ?? String;
        yield sending(family, method, withQuery(path, dryRunQuery), place(nest(depth)), { type });
        if (type === 'application/json') {
          const yaml = 'application/yaml';
          yield sending(family, method, withQuery(path, dryRunQuery), place(nest(depth)), { type: yaml });
        }
      }
    }
    if (!kind.objectMethods.includes('patch')) continue;
    const target = withQuery(objectPath(servedApi, kind), dryRunQuery);
    for (const depth of depths) {
      const operations = `[{"op":"add","path":"/spec","value":${nests[depth % 2]?.(depth)}}]`;
      yield sending(family, 'PATCH', target, operations, { type: patchTypes.json });
      const pointer = `[{"op":"add","path":"${'/a'.repeat(depth)}","value":1}]`;
      yield sending(family, 'PATCH', target, pointer, { type: patchTypes.json, refused: true });
    }
  }
}
