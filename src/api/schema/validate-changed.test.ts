import { cloneJson, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Schema } from './schema.ts';
import { validateSchema } from './validate.ts';
import { validateChanged } from './validate-changed.ts';

const schema: Schema = {
  type: 'object',
  properties: {
    name: { type: 'string', pattern: '^[A-Z]+$' },
    box: { type: 'object', required: ['b'], properties: { a: { type: 'integer', minimum: 5 }, b: { type: 'string' } } },
    map: { type: 'object', maxProperties: 1, additionalProperties: { type: 'integer', minimum: 5 } },
    list: { type: 'array', items: { type: 'integer', minimum: 5 } },
    crew: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['age'],
        properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 18 } },
      },
    },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
  },
};

const fields = (value: JsonValue, old: JsonValue) => validateChanged(schema, value, old, '').map(({ field }) => field);

describe('a value that replaces another (META-23)', () => {
  it.each<[string, JsonValue, JsonValue, string[]]>([
    ['ignores errors that were present before', { name: 'a', set: ['x'] }, { name: 'a' }, []],
    ['reports errors in changed members', { name: 'b' }, { name: 'a' }, ['name']],
    ['may still lack a required member in an unchanged object', { name: 'A', box: { a: 1 } }, { box: { a: 1 } }, []],
    ['must have the required member in a changed object', { box: { a: 2 } }, { box: { a: 1 } }, ['box.b', 'box.a']],
    ['may keep an invalid sibling', { box: { a: 1, b: 'x' } }, { box: { a: 1, b: 'y' } }, []],
    [
      'may exceed the number of members only in an unchanged map',
      { map: { a: 5, b: 6 } },
      { map: { a: 5, b: 7 } },
      ['map'],
    ],
    ['compares the values of a map by name', { map: { a: 1 } }, { map: { a: 1, b: 2 } }, []],
    ['compares plain lists as a whole', { list: [1, 7] }, { list: [1] }, ['list[0]']],
    [
      'compares items of a map list by their keys',
      {
        crew: [
          { name: 'b', age: 20 },
          { name: 'a', age: 4 },
        ],
      },
      { crew: [{ name: 'a', age: 4 }] },
      [],
    ],
    [
      'reports errors in a new item',
      {
        crew: [
          { name: 'a', age: 4 },
          { name: 'b', age: 4 },
        ],
      },
      { crew: [{ name: 'a', age: 4 }] },
      ['crew[1].age'],
    ],
    [
      'reports errors in a changed item',
      { crew: [{ name: 'a', age: 5 }] },
      { crew: [{ name: 'a', age: 4 }] },
      ['crew[0].age'],
    ],
    ['must not add a duplicate to a set', { set: ['a', 'a'] }, { set: ['a'] }, ['set[1]']],
    ['may keep a duplicate in a set', { set: ['a', 'a', 'b'] }, { set: ['a', 'a'] }, []],
  ])('%s', (_title, value, old, expected) => {
    expect(fields(value, old)).toEqual(expected);
  });

  const value = fc.oneof(fc.constant('a'), fc.constant('A'), fc.integer({ min: 0, max: 20 }), fc.constant(null));
  const object = fc.record(
    {
      name: value,
      box: fc.dictionary(fc.constantFrom('a', 'b'), value),
      map: fc.dictionary(fc.constantFrom('x', 'y'), value),
      list: fc.array(value, { maxLength: 3 }),
      crew: fc.array(fc.record({ name: fc.constantFrom('n', 'm'), age: value }), { maxLength: 3 }),
      set: fc.array(value, { maxLength: 3 }),
    },
    { requiredKeys: [] },
  );

  it('is never rejected if it is unchanged or valid', () => {
    fc.assert(
      fc.property(object, object, (one, other) => {
        const [value, old] = [one as JsonValue, other as JsonValue];
        expect(validateChanged(schema, value, cloneJson(value), '')).toEqual([]);
        if (validateSchema(schema, value).length === 0) expect(validateChanged(schema, value, old, '')).toEqual([]);
      }),
    );
  });

  it('gets the same errors whether or not it shares unchanged parts with the old value', () => {
    let excused = 0;
    fc.assert(
      fc.property(
        object,
        object,
        fc.constantFrom('name', 'box', 'map', 'list', 'crew', 'set'),
        fc.boolean(),
        (one, change, name, isOpen) => {
          const by = isOpen ? schema : { ...schema, additionalProperties: false };
          const old: JsonObject = { ...(one as JsonObject), other: { a: 1 } };
          const changed = (change as JsonObject)[name] ?? null;
          const before = old[name];
          const value = {
            ...old,
            [name]: isJsonObject(before) && isJsonObject(changed) ? { ...before, ...changed } : changed,
          };
          const expected = validateChanged(by, cloneJson(value), old, '');
          expect(validateChanged(by, value, old, '')).toEqual(expected);
          if (expected.length === 0 && validateSchema(by, value).length > 0) excused++;
        },
      ),
      { numRuns: 1_000 },
    );
    expect(excused).toBeGreaterThan(20);
  });

  it('gets no errors that the full validation does not report', () => {
    fc.assert(
      fc.property(object, object, (one, other) => {
        const all = new Set(
          validateSchema(schema, one as JsonValue).map(({ field, message }) => `${field} ${message}`),
        );
        for (const { field, message } of validateChanged(schema, one as JsonValue, other as JsonValue, '')) {
          expect(all).toContain(`${field} ${message}`);
        }
      }),
    );
  });
});
