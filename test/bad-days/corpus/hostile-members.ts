import { type BadRequest, dryRunQuery, sending, withQuery } from './bad-request.ts';
import { bodyTargets, objectPath, patchTypes, type ServedApi } from './served-api.ts';

const family = 'hostile members';

const names = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'toJSON', 'then', 'length'],
  ...['__defineGetter__', '__lookupSetter__', '', ' ', '\\u0000', '\\ud800', '0', '-1', '4294967295', '~0', '/', '.'],
  ...['a'.repeat(70_000), '$ref', '$patch', '$setElementOrder/x', 'f:x', 'k:{}', 'v:1', 'i:0'],
];
const contents = [
  '{"polluted":true}',
  '"x"',
  '5',
  'null',
  '[]',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{}}',
];

/** Locations where a client may choose member names, and where it may not. */
const places: readonly ((member: string) => string)[] = [
  (member) => `{${member}}`,
  (member) => `{"metadata":{"name":"x",${member}}}`,
  (member) => `{"metadata":{"name":"x","labels":{${member}}}}`,
  (member) => `{"metadata":{"name":"x","annotations":{${member}}}}`,
  (member) => `{"metadata":{"name":"x"},"spec":{${member}}}`,
  (member) => `{"metadata":{"name":"x","ownerReferences":[{${member}}]}}`,
  (member) => `{"metadata":{"name":"x","managedFields":[{"manager":"m","fieldsV1":{"f:spec":{${member}}}}]}}`,
  (member) => `{"metadata":{"name":"x"},${member},${member}}`,
  (member) => `{"spec":{${member},${member}},"spec":{},"kind":"A","kind":"B"}`,
];

export function* hostileMembers(servedApi: ServedApi): Generator<BadRequest> {
  let turn = 0;
  for (const kind of servedApi.kinds) {
    const targets = bodyTargets(servedApi, kind);
    for (const name of names) {
      turn++;
      for (const [offset, { method, path, type }] of targets.entries()) {
        const content = contents[(turn + offset) % contents.length] ?? '';
        const place = places[(turn * 2 + offset) % places.length] ?? String;
        const strict = turn % 3 === 0 ? ['fieldValidation=Strict'] : [];
        yield sending(family, method, withQuery(path, dryRunQuery, ...strict), place(`"${name}":${content}`), { type });
      }
      if (!kind.objectMethods.includes('patch') || turn % 2 === 0) continue;
      const pointer = `/${name}/polluted`;
      const operations = ['add', 'replace', 'test', 'remove', 'copy', 'move'].map(
        (op) => `[{"op":"${op}","path":"${pointer}","from":"/${name}","value":{"polluted":true}}]`,
      );
      const target = withQuery(objectPath(servedApi, kind), dryRunQuery);
      const body = operations[turn % operations.length] ?? '';
      yield sending(family, 'PATCH', target, body, { type: patchTypes.json });
    }
  }
}
