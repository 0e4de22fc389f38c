import type { JsonValue } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createQuickValidator } from './quick-validator.ts';
import type { Schema } from './schema.ts';
import { collectErrors } from './validate.ts';

const isFaultless = (schema: Schema, value: JsonValue) => collectErrors(schema, value, '').length === 0;

const names = fc.constantFrom('a', 'b', '__proto__', '7');
const scalars = fc.constantFrom<JsonValue>(null, true, 0, 3, 1.5, 2 ** 60, 12345678901234567890n, '', 'x', 'long text');

const leaf = fc.oneof(
  scalars,
  fc.array(scalars, { maxLength: 3 }),
  fc.array(fc.tuple(names, scalars), { maxLength: 3 }).map((members): JsonValue => Object.fromEntries(members)),
);
const value: fc.Arbitrary<JsonValue> = fc.oneof(
  leaf,
  fc.array(leaf, { maxLength: 3 }),
  fc.array(fc.tuple(names, leaf), { maxLength: 3 }).map((members): JsonValue => Object.fromEntries(members)),
);

const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 1 });

const rules = {
  type: some(fc.constantFrom('object', 'array', 'string', 'integer', 'number', 'boolean')),
  nullable: some(fc.boolean()),
  enum: some(fc.array(scalars, { minLength: 1, maxLength: 3 })),
  minLength: some(fc.nat(2)),
  maxLength: some(fc.nat(5)),
  minimum: some(fc.nat(3)),
  minItems: some(fc.nat(2)),
  maxItems: some(fc.nat(2)),
  uniqueItems: some(fc.boolean()),
  minProperties: some(fc.nat(2)),
  maxProperties: some(fc.nat(2)),
  required: some(fc.array(names, { maxLength: 2 })),
  'x-kubernetes-int-or-string': some(fc.boolean()),
  'x-kubernetes-list-type': some(fc.constantFrom('atomic', 'set', 'map')),
  'x-kubernetes-list-map-keys': some(fc.array(names, { maxLength: 2 })),
};

/**
 * Returns random schemas. Each rule is present with a probability of only 20%, because no value would satisfy all
 * rules.
 */
function schemaOf(members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Schema> {
  return fc
    .record({ members: fc.record(members), kept: fc.array(fc.nat(4), { minLength: 20, maxLength: 20 }) })
    .map(({ members: all, kept }) => {
      const chosen = Object.entries(all).filter(([, member], at) => member !== undefined && kept[at] === 0);
      return Object.fromEntries(chosen) as Schema;
    });
}

function schemaAbove(below: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> {
  return schemaOf({
    ...rules,
    items: below,
    properties: fc.dictionary(names, below, { maxKeys: 3 }),
    additionalProperties: fc.oneof(fc.boolean(), below),
    anyOf: fc.array(below, { minLength: 1, maxLength: 2 }),
  });
}

const schema = schemaAbove(schemaAbove(schemaOf(rules)));

describe('conforms', () => {
  const conforms = createQuickValidator(isFaultless);

  it('agrees with the full validation for every schema and value (rule META-21)', () => {
    let fitting = 0;
    fc.assert(
      fc.property(schema, value, (each, given) => {
        const expected = isFaultless(each, given);
        if (expected) fitting++;
        expect(conforms(each, given)).toBe(expected);
      }),
      { numRuns: 1500 },
    );
    expect(fitting).toBeGreaterThan(100);
  });

  it('uses the full validation only for rare schemas', () => {
    const quick = createQuickValidator(() => {
      throw new Error('asked');
    });
    const usual: Schema = {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', maxLength: 5 },
        count: { type: 'integer', minimum: 1 },
        list: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
      },
    };
    expect(quick(usual, { name: 'n', count: 2, list: ['a'], labels: { x: 'y' } })).toBe(true);
    expect(quick(usual, { name: 'too long' })).toBe(false);
    expect(quick(usual, { name: 'n', list: ['c'] })).toBe(false);
    expect(quick(usual, { name: 'n', labels: { x: 1 } })).toBe(false);
    expect(() => quick({ anyOf: [usual] }, {})).toThrow('asked');
  });
});
