import type { JsonValue } from '@flotilla/json';
import { matchesFormat } from '@flotilla/kubernetes-formats';
import { describe, expect, it } from 'vitest';
import { describeFieldError } from '../field-error.ts';
import type { Schema } from './schema.ts';
import { validateSchema } from './validate.ts';

function lines(field: Schema, value: JsonValue): string[] {
  const schema: Schema = { type: 'object', properties: { spec: { type: 'object', properties: { foo: field } } } };
  return validateSchema(schema, { spec: { foo: value } }).map(describeFieldError);
}

describe('validateSchema', () => {
  it.each<[string, Schema, JsonValue, string[]]>([
    [
      'type',
      { type: 'integer' },
      'x',
      ['spec.foo: Invalid value: "string": spec.foo in body must be of type integer: "string"'],
    ],
    [
      'fraction',
      { type: 'integer' },
      1.5,
      [
        'spec.foo: Invalid value: "number": spec.foo in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.foo',
      ],
    ],
    [
      'fraction with a format',
      { type: 'integer', format: 'int64' },
      1.5,
      [
        'spec.foo: Invalid value: "float64": spec.foo in body must be of type int64: "float64"',
        '<nil>: Invalid value: "": Checked value must be of type integer with format int64 in spec.foo',
      ],
    ],
    [
      'boolean with a format',
      { type: 'integer', format: 'int64' },
      true,
      ['spec.foo: Invalid value: "": spec.foo in body must be of type int64: ""'],
    ],
    [
      'number for a string with a format',
      { type: 'string', format: 'date-time' },
      5,
      ['spec.foo: Invalid value: "int64": spec.foo in body must be of type date-time: "int64"'],
    ],
    [
      'number beyond int64',
      { 'x-kubernetes-int-or-string': true },
      1e21,
      ['spec.foo: Invalid value: "number": spec.foo in body must be of type integer,string: "number"'],
    ],
    [
      'length before pattern',
      { type: 'string', minLength: 3, pattern: '^b+$' },
      'a',
      ['spec.foo: Invalid value: "a": spec.foo in body should be at least 3 chars long'],
    ],
    [
      'null',
      { type: 'string' },
      null,
      ['spec.foo: Invalid value: "null": spec.foo in body must be of type string: "null"'],
    ],
    ['nullable', { type: 'string', nullable: true, enum: ['a'] }, null, []],
    ['integer as number', { type: 'number' }, 2, []],
    ['int64', { type: 'integer', format: 'int64' }, 9223372036854775807n, []],
    [
      'int or string',
      { 'x-kubernetes-int-or-string': true },
      true,
      ['spec.foo: Invalid value: "boolean": spec.foo in body must be of type integer,string: "boolean"'],
    ],
    [
      'enum',
      { type: 'string', enum: ['b', 'a'] },
      'x',
      ['spec.foo: Unsupported value: "x": supported values: "b", "a"'],
    ],
    [
      'minimum',
      { type: 'integer', minimum: 1 },
      0,
      ['spec.foo: Invalid value: 0: spec.foo in body should be greater than or equal to 1'],
    ],
    [
      'exclusive minimum',
      { type: 'integer', minimum: 1, exclusiveMinimum: true },
      1,
      ['spec.foo: Invalid value: 1: spec.foo in body should be greater than 1'],
    ],
    [
      'maximum',
      { type: 'integer', maximum: 5 },
      6,
      ['spec.foo: Invalid value: 6: spec.foo in body should be less than or equal to 5'],
    ],
    [
      'maximum of int64',
      { type: 'integer', maximum: 5 },
      9007199254740993n,
      ['spec.foo: Invalid value: 9007199254740993: spec.foo in body should be less than or equal to 5'],
    ],
    [
      'exclusive maximum',
      { type: 'number', maximum: 5, exclusiveMaximum: true },
      5,
      ['spec.foo: Invalid value: 5: spec.foo in body should be less than 5'],
    ],
    [
      'multipleOf',
      { type: 'integer', multipleOf: 5 },
      7,
      ['spec.foo: Invalid value: 7: spec.foo in body should be a multiple of 5'],
    ],
    [
      'int32',
      { type: 'integer', format: 'int32' },
      2147483648,
      ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.foo'],
    ],
    ['maxLength in characters', { type: 'string', maxLength: 2 }, '😀😀', []],
    ['maxLength', { type: 'string', maxLength: 2 }, 'abc', ['spec.foo: Too long: may not be more than 2 bytes']],
    [
      'minLength',
      { type: 'string', minLength: 1 },
      '',
      ['spec.foo: Invalid value: "": spec.foo in body should be at least 1 chars long'],
    ],
    [
      'pattern',
      { type: 'string', pattern: '^a+$' },
      'ab',
      ['spec.foo: Invalid value: "ab": spec.foo in body should match \'^a+$\''],
    ],
    ['pattern anywhere', { type: 'string', pattern: 'b' }, 'abc', []],
    [
      'format',
      { type: 'string', format: 'date-time' },
      'x',
      ['spec.foo: Invalid value: "x": spec.foo in body must be of type date-time: "x"'],
    ],
    ['unknown format', { type: 'string', format: 'colour' }, 'x', []],
    [
      'maxItems',
      { type: 'array', maxItems: 2, items: {} },
      [1, 2, 3],
      ['spec.foo: Too many: 3: must have at most 2 items'],
    ],
    [
      'minItems',
      { type: 'array', minItems: 1, items: {} },
      [],
      ['spec.foo: Invalid value: 0: spec.foo in body should have at least 1 items'],
    ],
    [
      'uniqueItems',
      { type: 'array', uniqueItems: true, items: {} },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      ['spec.foo: Invalid value: "": spec.foo in body shouldn\'t contain duplicates'],
    ],
    [
      'items',
      { type: 'array', items: { type: 'string' } },
      ['a', 1],
      ['spec.foo[1]: Invalid value: "integer": spec.foo[1] in body must be of type string: "integer"'],
    ],
    [
      'minProperties',
      { type: 'object', minProperties: 1 },
      {},
      ['spec.foo: Invalid value: 0: spec.foo in body should have at least 1 properties'],
    ],
    [
      'maxProperties',
      { type: 'object', maxProperties: 1 },
      { a: 1, b: 2 },
      ['spec.foo: Too many: 2: must have at most 1 item'],
    ],
    ['required', { type: 'object', required: ['bar'] }, {}, ['spec.foo.bar: Required value']],
    [
      'map values',
      { type: 'object', additionalProperties: { type: 'string' } },
      { k: 1 },
      ['spec.foo.k: Invalid value: "integer": spec.foo.k in body must be of type string: "integer"'],
    ],
    [
      'no additional properties',
      { type: 'object', additionalProperties: false },
      { k: 1 },
      ['spec.foo: Invalid value: "k": spec.foo.k in body is a forbidden property'],
    ],
    [
      'anyOf',
      { anyOf: [{ type: 'string' }, { type: 'integer', minimum: 3 }] },
      1,
      [
        '<nil>: Invalid value: "": "spec.foo" must validate at least one schema (anyOf)',
        'spec.foo: Invalid value: "integer": spec.foo in body must be of type string: "integer"',
      ],
    ],
    [
      'oneOf',
      { oneOf: [{ minimum: 0 }, { minimum: 1 }] },
      5,
      [
        '<nil>: Invalid value: "": "spec.foo" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      ],
    ],
    [
      'allOf',
      { allOf: [{ minimum: 10 }, { minimum: 1 }] },
      5,
      [
        'spec.foo: Invalid value: 5: spec.foo in body should be greater than or equal to 10',
        '<nil>: Invalid value: "": "spec.foo" must validate all the schemas (allOf)',
      ],
    ],
    ['not', { not: { enum: ['x'] } }, 'x', ['<nil>: Invalid value: "": "spec.foo" must not validate the schema (not)']],
    [
      'set',
      { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      ['a', 'b', 'a', 'a'],
      ['spec.foo[2]: Duplicate value: "a"'],
    ],
    [
      'map list',
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: { type: 'object' },
      },
      [{ name: 'a', x: 1 }, { name: 'a' }],
      ['spec.foo[1]: Duplicate value: {"name":"a"}'],
    ],
  ])('reports an error of %s with the message of kube-apiserver (META-21)', (_name, field, value, expected) => {
    expect(lines(field, value)).toEqual(expected);
  });

  it('collects all errors, with their types', () => {
    const schema: Schema = {
      type: 'object',
      required: ['a', 'b'],
      properties: { c: { type: 'string' }, d: { type: 'integer', minimum: 1 } },
    };
    expect(validateSchema(schema, { c: 1, d: 0 }).map((error) => [error.type, error.field])).toEqual([
      ['FieldValueTypeInvalid', 'c'],
      ['FieldValueInvalid', 'd'],
      ['FieldValueRequired', 'a'],
      ['FieldValueRequired', 'b'],
    ]);
  });

  it('matches malicious patterns in linear time', () => {
    const started = performance.now();
    expect(lines({ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(2000)}b`)).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe('fitsFormat', () => {
  it.each([
    [
      'date-time',
      ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.5+02:00'],
      ['2026-01-01', '2026-13-01T00:00:00Z', '2026-01-01T24:00:00Z'],
    ],
    ['date', ['2024-02-29'], ['2023-02-29', 'x']],
    ['duration', ['1h30m', '22 ns', '-1.5s'], ['1', 'h']],
    ['byte', ['aGk=', ''], ['a', 'a===']],
    ['uri', ['https://a.b/c', '/x'], ['x', 'http://']],
    ['email', ['a@b.c', 'A <a@b.c>'], ['a', '@b', 'a b@c']],
    ['hostname', ['a', 'example.com', '1'], ['-a', 'a..b', 'a.1']],
    ['ipv4', ['1.2.3.4'], ['1.2.3', '256.1.1.1', '01.2.3.4']],
    ['ipv6', ['::1', 'fe80::1', '::ffff:1.2.3.4', '1:2:3:4:5:6:7:8'], ['1:2', '1::2::3', 'g::', '1.2.3.4']],
    ['cidr', ['10.0.0.0/8', 'fe80::/64'], ['10.0.0.0', '10.0.0.0/33', '10.0.0.0/08']],
    ['mac', ['00:11:22:33:44:55', '0011.2233.4455'], ['00:11', 'zz:11:22:33:44:55']],
    ['uuid', ['2C1F3A3E-1111-2222-3333-444455556666'], ['2c1f']],
  ])('validates %s', (format, good, bad) => {
    for (const text of good) expect([text, matchesFormat(format, text)]).toEqual([text, true]);
    for (const text of bad) expect([text, matchesFormat(format, text)]).toEqual([text, false]);
  });
});
