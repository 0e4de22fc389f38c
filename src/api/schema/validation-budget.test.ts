import type { JsonValue } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import type { Schema } from './schema.ts';
import { validateSchema } from './validate.ts';
import { validateChanged } from './validate-changed.ts';

/** Returns a schema with nested conditions. A single value must be checked against several thousand of them. */
function conditions(depth: number): Schema {
  if (depth === 0) return { required: ['absent'] };
  return { anyOf: Array.from({ length: 6 }, () => conditions(depth - 1)) };
}

const many: JsonValue[] = Array.from({ length: 2_000 }, () => ({}));

describe('a validation', () => {
  it('of many values against many conditions ends before it delays other requests', () => {
    const schema: Schema = { type: 'array', items: conditions(5) };
    expect(validateSchema(schema, many, 'spec')).toEqual([
      {
        type: 'FieldValueInvalid',
        field: 'spec',
        message: 'Invalid value: too complex: its conditions and patterns take too long to evaluate',
      },
    ]);
  });

  it('has one budget for all values, even if each of them is valid', () => {
    const schema: Schema = { type: 'array', items: { anyOf: [...(conditions(5).anyOf ?? []), { type: 'object' }] } };
    expect(validateSchema(schema, many)).toHaveLength(1);
    expect(validateSchema(schema, many.slice(0, 10))).toEqual([]);
  });

  it('charges matches by the length of the text and the size of the pattern', () => {
    const schema: Schema = { type: 'array', items: { type: 'string', pattern: '^([a-z]{1,40}-){1,20}$' } };
    const texts = (length: number): JsonValue =>
      Array.from({ length: 100 }, () => `${'a-'.repeat(10)}${'a'.repeat(length)}-`);
    expect(validateSchema(schema, texts(10), 'spec')).toEqual([]);
    expect(validateSchema(schema, texts(10_000), 'spec')).toHaveLength(1);
  });

  it('of a replaced value has one budget too, and accepts unchanged values', () => {
    const items: Schema = { type: 'object', properties: { key: { type: 'integer' } }, ...conditions(5) };
    const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['key'] } as const;
    const schema: Schema = { type: 'array', items, ...keyed };
    const value = many.map((_, key) => ({ key }));
    expect(validateChanged(schema, value, [], 'spec')).toHaveLength(1);
    expect(validateChanged(schema, value, value, 'spec')).toEqual([]);
  });

  it('of long strings against patterns has the same budget', () => {
    const schema: Schema = { type: 'array', items: { type: 'string', pattern: '^(a|b)*$' } };
    const text = 'ab'.repeat(50_000);
    expect(validateSchema(schema, [text])).toEqual([]);
    expect(
      validateSchema(
        schema,
        Array.from({ length: 30 }, () => text),
      ),
    ).toHaveLength(1);
  });

  it('limits the size of its error messages', () => {
    const choices = Array.from({ length: 1_000 }, (_, index) => `choice-${index}`);
    const schema: Schema = { type: 'array', items: { type: 'string', enum: choices } };
    const value = Array.from({ length: 10_000 }, (_, index) => `none-${index}`);
    expect(validateSchema(schema, value, 'spec')).toEqual([
      {
        type: 'FieldValueInvalid',
        field: 'spec',
        message: 'Invalid value: too many validation errors to report',
      },
    ]);
    expect(validateSchema(schema, value.slice(0, 10), 'spec')).toHaveLength(10);
  });
});
