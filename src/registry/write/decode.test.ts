import { cloneJson, deepFreeze, type JsonValue, parseJson } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ResourceKind } from '../../api/resource.ts';
import { asSchema, t } from '../../api/schema/schema-builder.ts';
import { StatusError } from '../../api/status.ts';
import { applyFieldValidation, type DecodeDocumentOptions, decodeDocument } from './decode.ts';

const widget: ResourceKind = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  singular: 'widget',
  namespaced: true,
  schema: asSchema(
    t.object({
      spec: t.optional(
        t.object({
          size: t.optional(t.integer({ default: 3 })),
          ports: t.optional(t.array(t.object({ x: t.optional(t.integer()) }))),
          template: t.optional(t.object({ spec: t.optional(t.preserved()) })),
          values: t.optional(t.preserved()),
        }),
      ),
    }),
  ),
};
const embedding: ResourceKind = {
  ...widget,
  schema: {
    type: 'object',
    properties: {
      inner: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } },
    },
  },
};
const cluster: ResourceKind = { ...widget, namespaced: false };

const shape = (value: JsonValue, options: Partial<DecodeDocumentOptions> = {}, kind = widget) =>
  decodeDocument(kind, deepFreeze(value), { findings: [], ...options });

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(StatusError);
    expect((error as StatusError).code).toBe(400);
    return (error as StatusError).message;
  }
  throw new Error('accepted');
}

describe('shapeObject', () => {
  it('kind and apiVersion default to those of the endpoint, and defaults are applied', () => {
    expect(shape({ metadata: { name: 'a' }, spec: {} }).object).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'a' },
      spec: { size: 3 },
    });
  });

  it('findings are ordered: duplicates, metadata, pruned fields, embedded metadata (DEC-10, DEC-11, DEC-21)', () => {
    const sent = {
      zz: 1,
      spec: { unknown: 1, ports: [{ x: 1, unknownNested: 2 }] },
      metadata: {
        name: 'a',
        unknownMeta: 1,
        ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: 'n', uid: 'u', more: 1 }],
      },
    };
    const { object, findings } = shape(sent, { findings: ['duplicate field "spec.size"'] });
    expect(findings).toEqual([
      'duplicate field "spec.size"',
      'unknown field "metadata.unknownMeta"',
      'unknown field "metadata.ownerReferences[0].more"',
      'unknown field "spec.ports[0].unknownNested"',
      'unknown field "spec.unknown"',
      'unknown field "zz"',
    ]);
    expect(object.spec).toEqual({ size: 3, ports: [{ x: 1 }] });
    expect(object).not.toHaveProperty('zz');

    const nested = shape({ inner: { kind: 'X', metadata: { name: 'i', labels: {}, odd: 1 }, odd: 2 } }, {}, embedding);
    expect(nested.findings).toEqual(['unknown field "inner.odd"', 'unknown field "inner.metadata.odd"']);
    expect(nested.object.inner).toEqual({ kind: 'X', metadata: { name: 'i' } });
  });

  it('unknown fields stay where the schema preserves them, including the root (DEC-19)', () => {
    expect(shape({ spec: { values: { any: { thing: null } } } }).object.spec).toEqual({
      size: 3,
      values: { any: { thing: null } },
    });
    const open: ResourceKind = { ...widget, schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const { object, findings } = shape({ data: { x: 1 }, more: [1] }, {}, open);
    expect(findings).toEqual([]);
    expect(object).toMatchObject({ data: { x: 1 }, more: [1] });
  });

  it('a body that is not an object is rejected (DEC-01)', () => {
    const body = new TextEncoder().encode('[1]');
    expect(refusal(() => shape([1], { body }))).toBe(
      'the object provided is unrecognized (must be of type Widget): couldn\'t get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (5b315d)',
    );
    expect(refusal(() => shape(null))).toContain("Object 'Kind' is missing in '' (<empty>)");
    expect(refusal(() => shape({ apiVersion: 'a/b/c' }))).toContain('unexpected GroupVersion string: a/b/c');
    expect(refusal(() => shape({ kind: 5 }))).toContain(
      'json: cannot unmarshal number into Go struct field .kind of type string',
    );
  });

  it('another apiVersion (DEC-04) or kind (DEC-05) is rejected', () => {
    expect(refusal(() => shape({ apiVersion: 'v1', kind: 'Widget' }))).toBe(
      'the API version in the data (v1) does not match the expected API version (example.com/v1)',
    );
    expect(refusal(() => shape({ apiVersion: 'example.com/v1', kind: 'Gadget' }))).toBe(
      'Gadget in version "v1" cannot be handled as a Widget: no kind "Gadget" is registered for version "example.com/v1"',
    );
  });

  it.each<[string, JsonValue, string]>([
    [
      'a label that is a number',
      { labels: { a: 5 } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    ],
    [
      'an annotation that is a boolean',
      { annotations: { a: true } },
      'json: cannot unmarshal bool into Go struct field ObjectMeta.annotations of type string',
    ],
    [
      'a name that is a number',
      { name: 5 },
      'json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
    ],
    [
      'labels that are a list',
      { labels: [] },
      'json: cannot unmarshal array into Go struct field ObjectMeta.labels of type map[string]string',
    ],
    [
      'finalizers that are an object',
      { finalizers: {} },
      'json: cannot unmarshal object into Go struct field ObjectMeta.finalizers of type []string',
    ],
    [
      'a generation with a fraction',
      { generation: 1.5 },
      'json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.generation of type int64',
    ],
    [
      'a generation beyond int64',
      { generation: 1e300 },
      'json: cannot unmarshal number 1e+300 into Go struct field ObjectMeta.generation of type int64',
    ],
    [
      'an owner whose name is a number',
      { ownerReferences: [{ name: 1 }] },
      'json: cannot unmarshal number into Go struct field OwnerReference.ownerReferences.name of type string',
    ],
    [
      'an invalid time',
      { creationTimestamp: 'x' },
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    ['metadata that is a string', 'x', 'json: cannot unmarshal string into Go value of type v1.ObjectMeta'],
  ])('refuses %s (DEC-02, META-10)', (_name, metadata, detail) => {
    expect(refusal(() => shape({ metadata }))).toBe(`Widget in version "v1" cannot be handled as a Widget: ${detail}`);
  });

  it('null counts as absent, and a null value in a map as empty (META-10, META-20)', () => {
    const metadata = {
      name: 'a',
      creationTimestamp: null,
      labels: { a: null, b: 'c' },
      finalizers: null,
      managedFields: null,
    };
    expect(shape({ metadata }).object.metadata).toEqual({ name: 'a', labels: { a: '', b: 'c' } });
    expect(shape({ metadata: null }).object.metadata).toEqual({});
  });

  it('empty members and selfLink are dropped, and times are printed in UTC (META-14, META-18, META-19)', () => {
    const metadata = {
      name: 'a',
      generateName: '',
      selfLink: '/x',
      labels: {},
      annotations: {},
      finalizers: [],
      ownerReferences: [],
      managedFields: [],
      deletionTimestamp: '2026-01-01T02:00:00.5+02:00',
    };
    const { object, findings } = shape({ metadata });
    expect(object.metadata).toEqual({ name: 'a', managedFields: [], deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(findings).toEqual([]);
  });

  it('names are case-sensitive, and __proto__ is an ordinary member (DEC-06)', () => {
    expect(shape({ Metadata: { name: 'a' } }).findings).toEqual(['unknown field "Metadata"']);
    const { value } = parseJson('{"metadata":{"labels":{"__proto__":"x"},"__proto__":1},"__proto__":{"polluted":1}}');
    const { object, findings } = shape(value);
    expect(findings).toEqual(['unknown field "metadata.__proto__"', 'unknown field "__proto__"']);
    expect(Object.keys(object.metadata.labels ?? {})).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('the object gets the namespace of the path (CREATE-11, UPDATE-04)', () => {
    expect(shape({}, { namespace: 'here' }).object.metadata.namespace).toBe('here');
    expect(shape({ metadata: { namespace: 'here' } }, { namespace: 'here' }).object.metadata.namespace).toBe('here');
    expect(refusal(() => shape({ metadata: { namespace: 'there' } }, { namespace: 'here' }))).toBe(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
    expect(shape({ metadata: { namespace: 'there' } }, { namespace: '' }, cluster).object.metadata).toEqual({});
    expect(shape({ metadata: { namespace: 'there' } }).object.metadata.namespace).toBe('there');
  });

  it('shaping is idempotent and never changes the document', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (spec, extra) => {
        const sent = { metadata: { name: 'a' }, spec, extra } as JsonValue;
        const before = cloneJson(sent);
        const once = shape(sent);
        expect(sent).toEqual(before);
        const { object, findings } = shape(cloneJson(once.object as JsonValue));
        expect({ object, findings }).toEqual({ object: once.object, findings: [] });
      }),
    );
  });
});

describe('applyFieldValidation', () => {
  const findings = [
    'yaml: unmarshal errors:\n  line 6: key "name" already set in map\n  line 7: key "x" already set in map',
    'unknown field "spec.foo"',
    'duplicate field "spec.bar"',
  ];
  const warningsIn = (mode: 'Ignore' | 'Warn' | 'Strict') => {
    const warnings: string[] = [];
    applyFieldValidation(widget, findings, mode, (text) => warnings.push(text));
    return warnings;
  };

  it('Strict rejects the findings (DEC-09)', () => {
    expect(refusal(() => applyFieldValidation(widget, findings.slice(1), 'Strict', () => {}))).toBe(
      'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.foo", duplicate field "spec.bar"',
    );
    expect(() => applyFieldValidation(widget, [], 'Strict', () => {})).not.toThrow();
  });

  it('Warn adds one warning per line (DEC-12, DEC-13), Ignore adds none (DEC-14)', () => {
    expect(warningsIn('Warn')).toEqual([
      'line 6: key "name" already set in map',
      'line 7: key "x" already set in map',
      'unknown field "spec.foo"',
      'duplicate field "spec.bar"',
    ]);
    expect(warningsIn('Ignore')).toEqual([]);
  });
});

it('the findings of a document are at most one MiB long', () => {
  const long = 'x'.repeat(100_000);
  const members = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`unknown-${at}`, 1]));
  const kind: ResourceKind = {
    ...widget,
    schema: { type: 'object', properties: { [long]: { type: 'object', properties: { known: {} } } } },
  };
  const { findings } = decodeDocument(kind, { metadata: { name: 'a' }, [long]: members }, { findings: [] });
  expect(findings).toHaveLength(10);
  expect(findings[0]).toBe(`unknown field "${long}.unknown-0"`);
});

it('an object whose defaults would be too large is rejected with 413', () => {
  const text = t.optional(t.string({ default: 'x'.repeat(100_000) }));
  const kind: ResourceKind = {
    ...widget,
    schema: asSchema(t.object({ spec: t.optional(t.object({ items: t.array(t.object({ text })) })) })),
  };
  const decode = (items: number) => shape({ spec: { items: Array.from({ length: items }, () => ({})) } }, {}, kind);
  expect(decode(10).findings).toEqual([]);
  expect(() => decode(10_000)).toThrow(
    expect.objectContaining({
      code: 413,
      message: expect.stringContaining('the defaults of the schema would add more'),
    }),
  );
});
