import { runOnFastPaths } from '@flotilla/fast-paths/fast-paths.fixture.ts';
import { fieldsFromText } from '@flotilla/field-ownership';
import { type JsonObject, writeJson } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import { CachedObject } from '../cache/cached-object.ts';
import { DecodedObjects } from '../cache/decoded-objects.ts';
import { decodeRecord, encodeRecord, withResourceVersion } from '../rows/record.ts';
import { readHidden, readLabels } from './stored-text.ts';

const words = fc.oneof(
  fc.constantFrom('uid', 'metadata', 'labels', 'object', 'resourceVersion', '"', '\\', '\\"uid":"', '}', '"labels":{'),
  fc.string({ unit: 'binary' }),
);
const texts = fc.dictionary(words, words);

/** Metadata contains only members that the server knows, with arbitrary content. */
const metadata = fc.record(
  {
    annotations: texts,
    finalizers: fc.array(words),
    generation: fc.nat(),
    labels: texts,
    managedFields: fc.array(fc.record({ fieldsV1: fc.dictionary(words, fc.jsonValue()), manager: words })),
    name: words,
    namespace: words,
    ownerReferences: fc.array(fc.record({ uid: words })),
    uid: words,
  },
  { requiredKeys: [] },
);
const objects = fc.record(
  { apiVersion: words, kind: words, metadata, spec: fc.dictionary(words, fc.jsonValue()) },
  { requiredKeys: ['apiVersion', 'kind', 'metadata'] },
);
const hidden = fc.option(fc.dictionary(words, fc.jsonValue()), { nil: undefined });

function cached(kind: { builtIn?: boolean }, object: KubeObject, secret: JsonObject | undefined) {
  const text = encodeRecord(kind, { object, ...(secret === undefined ? {} : { hidden: secret }) });
  const decoded = new DecodedObjects(1_000_000);
  return { text, of: (revision: number) => new CachedObject({ resource: kind, decoded }, place, text, revision) };
}
const place = { namespace: 'a', name: 'x' };

describe('JSON from stored text', () => {
  runOnFastPaths();

  it('the JSON is the same if the FieldsV1 is known', () => {
    const fields = fc.dictionary(fc.constantFrom('f:a', 'f:b', 'k:{"name":"]}"}', 'v:"}"', '.'), fc.constant({}));
    const entries = fc.array(fc.record({ fieldsType: fc.constant('FieldsV1'), fieldsV1: fields, manager: words }));
    fc.assert(
      fc.property(metadata, entries, fields, fc.nat(), (given, managedFields, latest, revision) => {
        const object = {
          apiVersion: 'v1',
          kind: 'A',
          metadata: { ...given, managedFields },
          spec: { uid: 1 },
        } as unknown as KubeObject;
        const { of } = cached({}, object, undefined);
        fieldsFromText(writeJson(latest as JsonObject));
        expect(of(revision).json()).toBe(writeJson(withResourceVersion({}, object, revision)));
      }),
    );
  });

  it('the JSON equals that of the decoded object, whatever its content (DEC-25)', () => {
    fc.assert(
      fc.property(objects, hidden, fc.nat(), (given, secret, revision) => {
        const object = given as unknown as KubeObject;
        const { text, of } = cached({}, object, secret as JsonObject | undefined);
        const expected = withResourceVersion({}, decodeRecord(text).object, revision);
        expect(of(revision).json()).toBe(writeJson(expected));
        expect(of(revision).metadataJson()).toBe(writeJson(expected.metadata));
        expect(of(revision).object).toEqual(expected);
      }),
    );
  });

  it('labels are those of the object and of no other part of the text', () => {
    fc.assert(
      fc.property(objects, hidden, (given, secret) => {
        const object = given as unknown as KubeObject;
        const { text, of } = cached({}, object, secret as JsonObject | undefined);
        expect(readLabels(text)).toEqual(decodeRecord(text).object.metadata.labels);
        expect({ ...of(1).labels }).toEqual({ ...object.metadata.labels });
      }),
    );
  });

  it('the hidden part is that of the record and of no other part of the text', () => {
    fc.assert(
      fc.property(objects, hidden, (given, secret) => {
        const { text, of } = cached({}, given as unknown as KubeObject, secret as JsonObject | undefined);
        expect(readHidden(text)).toEqual(decodeRecord(text).hidden);
        const object = of(1);
        expect(object.hidden).toEqual(object.record.hidden);
      }),
    );
  });

  it('peekWithoutManagedFields returns everything but managedFields', () => {
    fc.assert(
      fc.property(objects, hidden, (given, secret) => {
        const { text, of } = cached({}, given as unknown as KubeObject, secret as JsonObject | undefined);
        const { managedFields: _, ...rest } = withResourceVersion({}, decodeRecord(text).object, 7).metadata;
        const peeked = of(7).peekWithoutManagedFields();
        const { managedFields: __, ...seen } = peeked.metadata;
        expect(seen).toEqual(rest);
        const { resourceVersion: ___, ...stored } = rest;
        const { managedFields: ____, ...alone } = of(7).metadata();
        expect(alone).toEqual(stored);
        expect({ ...peeked, metadata: {} }).toEqual({ ...decodeRecord(text).object, metadata: {} });
      }),
    );
  });

  it('built-in kinds have struct order, decoded or not', () => {
    const object: KubeObject = { metadata: { name: 'x', uid: 'u' }, apiVersion: 'v1', kind: 'Namespace' };
    const { of } = cached({ builtIn: true }, object, undefined);
    const metadata = '{"name":"x","uid":"u","resourceVersion":"7"}';
    const json = `{"kind":"Namespace","apiVersion":"v1","metadata":${metadata},"spec":{},"status":{}}`;
    const one = of(7);
    expect(one.json()).toBe(json);
    expect(one.object.metadata.resourceVersion).toBe('7');
    expect(one.json()).toBe(json);
  });
});

describe('a cached object', () => {
  const object: KubeObject = {
    apiVersion: 'v1',
    kind: 'Widget',
    metadata: { name: 'x', labels: { a: 'b' } },
    spec: {},
  };

  it('a cached object is deeply frozen, and shared while it is cached', () => {
    const { of } = cached({}, object, { hash: 'h' });
    const one = of(7);
    expect(one.object).toBe(one.object);
    for (const part of [one.object, one.object.metadata, one.object.metadata.labels, one.record.hidden]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it('a cached object has the same content after its decoded form was evicted', () => {
    const { of } = cached({}, object, undefined);
    const one = of(7);
    const before = one.object;
    one.release();
    expect(one.object).not.toBe(before);
    expect(one.object).toEqual(before);
    expect(one.labels).toEqual({ a: 'b' });
  });
});
