import { runOnFastPaths } from '@flotilla/fast-paths/fast-paths.fixture.ts';
import { internFields } from '@flotilla/field-ownership';
import { canonicalJson, cloneJson, deepFreeze, type JsonObject, type JsonValue, writeJson } from '@flotilla/json';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import { decodeRecord, encodeForCache, encodeRecord } from '../rows/record.ts';

const names = fc.constantFrom('f:spec', 'f:a', 'k:{"name":"x"}', 'v:"}],{"', 'f:\\"', 'f:ü', '.');
const fieldsV1 = fc.letrec<{ value: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant({}),
    fc.dictionary(names, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;
/** Values that look like managedFields. */
const texts = fc.constantFrom('', '0', '"managedFields":[{"fieldsV1":{}}]', '"fieldsV1":0', '\\', '}],', 'ü\u2028');
const entries = fc.array(
  fc.record<JsonObject>(
    { apiVersion: texts, fieldsType: fc.constant('FieldsV1'), fieldsV1, manager: texts, time: texts },
    { requiredKeys: ['fieldsV1'], noNullPrototype: true },
  ),
  { maxLength: 3 },
);
const labels = fc.dictionary(fc.constantFrom('fieldsV1', 'managedFields', 'a', 'z'), texts, { noNullPrototype: true });
const lookalikes = fc.constantFrom<JsonValue>(
  1,
  '"fieldsV1":0',
  { managedFields: [{}], fieldsV1: 0 },
  { managedFields: [{ fieldsV1: { 'f:a': {} } }], fieldsV1: {} },
  { managedFields: [{ fieldsV1: 'x', b: [{ c: '}' }] }, 7, { a: 9007199254740993n }] },
);
const records = fc
  .record(
    {
      labels,
      annotations: labels,
      name: texts,
      managedFields: entries,
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  .chain((metadata) =>
    fc.record(
      {
        object: fc.record({ data: lookalikes, metadata: fc.constant(metadata), spec: lookalikes }),
        hidden: lookalikes,
      },
      { requiredKeys: ['object'], noNullPrototype: true },
    ),
  )
  .map(({ object, hidden }) => ({
    object: { apiVersion: 'g/v1', kind: 'Thing', ...object } as unknown as KubeObject,
    ...(typeof hidden === 'object' ? { hidden: hidden as JsonObject } : {}),
  }));

/**
 * Returns the object with FieldsV1 as field tracking leaves them: frozen, and shared if another object has FieldsV1
 * with the same text.
 */
function withKnownFields(object: KubeObject): KubeObject {
  const copy = cloneJson(object as JsonObject) as KubeObject;
  for (const entry of copy.metadata.managedFields ?? []) entry.fieldsV1 = internFields(canonicalJson(entry.fieldsV1));
  return copy;
}

runOnFastPaths();

it('records with managedFields are encoded and decoded like any other JSON', () => {
  fc.assert(
    fc.property(records, fc.boolean(), ({ object, ...rest }, isRead) => {
      const record = { object: withKnownFields(object), ...rest };
      const plain = writeJson({ ...rest, object: object as JsonObject });
      expect(encodeRecord({}, { object, ...rest })).toBe(plain);
      const encoded = encodeForCache({}, record, { isRead });
      expect(encoded.text).toBe(plain);
      const decoded = decodeRecord(plain);
      expect(decoded).toEqual({ ...rest, object });
      if (encoded.record !== undefined) expect(encoded.record).toEqual(decoded);
      for (const entry of decoded.object.metadata.managedFields ?? [])
        expect(entry.fieldsV1).toSatisfy(Object.isFrozen);
    }),
    { numRuns: 500 },
  );
});

it('equal managedFields of two objects are decoded once', () => {
  const object = (name: string) => ({
    apiVersion: 'g/v1',
    kind: 'Thing',
    metadata: { managedFields: [{ fieldsV1: { 'f:spec': { 'f:size': {} } } }], name },
  });
  const read = (name: string) => decodeRecord(writeJson({ object: object(name) })).object.metadata.managedFields?.[0];
  expect(read('a')?.fieldsV1).toBe(read('b')?.fieldsV1);
  expect(read('a')).toEqual(deepFreeze<JsonObject>({ fieldsV1: { 'f:spec': { 'f:size': {} } } }));
});
