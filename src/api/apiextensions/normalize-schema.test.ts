import type { JsonValue } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { normalizeSchema } from './normalize-schema.ts';
import { schemaKeywords } from './schema-keywords.ts';

function shaped(schema: JsonValue) {
  const unknown: string[] = [];
  return { schema: normalizeSchema(schema, 'root', unknown), unknown };
}

describe('a schema in a request', () => {
  it('loses unknown keywords at any depth, and reports their paths', () => {
    const found = shaped({
      type: 'object',
      foo: 1,
      properties: { a: { type: 'string', bar: 2 } },
      allOf: [{ baz: 3 }],
      'x-kubernetes-validations': [{ rule: 'true', odd: 4 }],
    });
    expect(found.schema).toEqual({
      type: 'object',
      allOf: [{}],
      properties: { a: { type: 'string' } },
      'x-kubernetes-validations': [{ rule: 'true' }],
    });
    expect(found.unknown.sort()).toEqual([
      'root.allOf[0].baz',
      'root.foo',
      'root.properties.a.bar',
      'root.x-kubernetes-validations[0].odd',
    ]);
  });

  it('keeps its keywords in the order of Go, without empty ones', () => {
    const { schema } = shaped({
      nullable: false,
      title: '',
      default: null,
      enum: [],
      properties: {},
      required: [],
      minimum: 0,
      type: 'integer',
      'x-kubernetes-preserve-unknown-fields': false,
      additionalProperties: false,
    });
    expect(Object.keys(schema)).toEqual([
      'type',
      'minimum',
      'additionalProperties',
      'x-kubernetes-preserve-unknown-fields',
    ]);
  });

  it('keeps a property named __proto__', () => {
    const { schema } = shaped(JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'));
    expect(JSON.stringify(schema)).toBe('{"properties":{"__proto__":{"type":"string"}}}');
  });

  it.each([
    [
      { type: 5 },
      'cannot unmarshal number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.type of type string',
    ],
    [{ properties: { a: { minLength: 1.5 } } }, 'number 1.5 into Go struct field'],
    [{ nullable: 'yes' }, 'of type bool'],
    [{ items: 'x' }, 'of type v1.JSONSchemaProps'],
    [{ required: 'a' }, 'of type []string'],
    [{ properties: [] }, 'of type map[string]v1.JSONSchemaProps'],
  ] as const)('of another type is refused: %j', (schema, message) => {
    expect(() => shaped(schema as unknown as JsonValue)).toThrow(message);
  });

  it('has a keyword for each member of the Go struct', () => {
    expect(new Set(schemaKeywords.map(([, , goName]) => goName)).size).toBe(44);
  });
});
