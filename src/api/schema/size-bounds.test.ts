import type { JsonValue } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeFieldError } from '../field-error.ts';
import { asSchema, t } from './schema-builder.ts';
import { sizeBoundErrors } from './size-bounds.ts';
import { collectErrors } from './validate.ts';

const schema = asSchema(
  t.object({
    text: t.optional(t.string({ maxLength: 3 })),
    free: t.optional(t.string()),
    map: t.optional(t.map(t.string({ maxLength: 2 }), { maxProperties: 2 })),
    list: t.optional(t.array(t.object({ text: t.optional(t.string({ maxLength: 1 })) }), { maxItems: 2 })),
  }),
);
const errors = (value: JsonValue, old?: JsonValue) => sizeBoundErrors(schema, value, old).map(describeFieldError);

describe('size bounds', () => {
  it('report each value that is too large', () => {
    expect(errors({ text: 'four', free: 'any length', map: { a: 'abc' }, list: [{}, { text: 'ab' }] })).toEqual([
      'text: Too long: may not be more than 3 bytes',
      'map.a: Too long: may not be more than 2 bytes',
      'list[1].text: Too long: may not be more than 1 byte',
    ]);
  });

  it('report nothing inside of a value that is too large', () => {
    expect(errors({ map: { a: 'abc', b: '', c: '' }, list: [{ text: 'ab' }, {}, {}] })).toEqual([
      'map: Too many: 3: must have at most 2 items',
      'list: Too many: 3: must have at most 2 items',
    ]);
  });

  it('accept a value that is not larger than the stored one', () => {
    const old = { text: 'long text', map: { a: '', b: '', c: '' }, list: [{ text: 'ab' }, {}, {}] };
    expect(errors(old, old)).toEqual([]);
    expect(errors({ ...old, text: 'short txt', list: [{ text: 'cd' }, {}] }, old)).toEqual([]);
    expect(errors({ ...old, text: 'longer text' }, old)).toHaveLength(1);
  });

  it('ignore values of other types', () => {
    expect(errors({ text: 5, map: 'abc', list: { a: 1 } })).toEqual([]);
    expect(errors([1])).toEqual([]);
    expect(errors({ text: null, list: [null] })).toEqual([]);
  });

  it('report nothing that the validation accepts', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 5 });
    const value = fc.record(
      {
        text,
        free: text,
        map: fc.dictionary(fc.constantFrom('a', 'b', 'c'), text),
        list: fc.array(fc.record({ text }, { requiredKeys: [] }), { maxLength: 4 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(value, (each) => {
        const all = collectErrors(schema, each, '').map(describeFieldError);
        for (const error of errors(each)) expect(all).toContain(error);
        if (all.length > 0) expect(errors(each)).not.toEqual([]);
      }),
    );
  });
});
