import { describe, expect, it } from 'vitest';
import type { ResourceKind } from '../../api/resource.ts';
import type { Schema } from '../../api/schema/schema.ts';
import { kindComponents } from './kind-components.ts';
import { toSwaggerSchema } from './swagger-schema.ts';

const text = { type: 'string' };
const open = { 'x-kubernetes-preserve-unknown-fields': true };

function componentOf(schema: Schema, openApi: 'v2' | 'v3'): unknown {
  const kind: ResourceKind = {
    group: 'example.com',
    version: 'v1',
    kind: 'Box',
    plural: 'boxes',
    singular: 'box',
    namespaced: true,
    schema,
  };
  return kindComponents(kind, openApi)['com.example.v1.Box'];
}

describe('the OpenAPI v2 schema of a custom resource (OAPI-14)', () => {
  it('has no properties if unknown fields are preserved at the root', () => {
    const schema = { type: 'object', ...open, properties: { spec: text } } as Schema;
    expect(componentOf(schema, 'v2')).toEqual({
      type: 'object',
      'x-kubernetes-group-version-kind': [{ group: 'example.com', version: 'v1', kind: 'Box' }],
    });
    expect(componentOf(schema, 'v3')).toMatchObject({ ...open, properties: { spec: text } });
  });

  it('has neither type nor properties where unknown fields are preserved', () => {
    const inner = { type: 'object', ...open, description: 'Any.', properties: { a: text } };
    expect(toSwaggerSchema({ type: 'object', properties: { inner, list: { type: 'array', items: inner } } })).toEqual({
      type: 'object',
      properties: {
        inner: { ...open, description: 'Any.' },
        list: { type: 'array', items: { ...open, description: 'Any.' } },
      },
    });
    expect(toSwaggerSchema({ type: 'array', ...open, items: text })).toEqual(open);
  });

  it('has no type for a value that may be null, and does not require it', () => {
    const schema = {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { type: 'string', nullable: true, description: 'A.' }, b: text },
    };
    expect(toSwaggerSchema(schema)).toEqual({
      type: 'object',
      required: ['b'],
      properties: { a: { description: 'A.' }, b: text },
    });
  });

  it('has none of the keywords that OpenAPI v2 does not have', () => {
    expect(toSwaggerSchema({ ...text, anyOf: [text], oneOf: [text], allOf: [text], not: text, maxLength: 3 })).toEqual({
      ...text,
      maxLength: 3,
    });
  });
});
