import { cloneJson, type JsonValue } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyDefaults, applyDefaultsWithinLimit, DefaultsTooLargeError } from './default.ts';
import { prune } from './prune.ts';
import type { Schema } from './schema.ts';

const schema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer', default: 3 },
        mode: { type: 'string', nullable: true, default: 'a' },
        note: { type: 'string' },
        owner: { type: 'object', default: {}, properties: { kind: { type: 'string', default: 'User' } } },
        ports: { type: 'array', items: { type: 'object', properties: { x: { type: 'integer', default: 1 } } } },
        quotas: { type: 'object', additionalProperties: { type: 'integer', default: 7 } },
        values: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: { type: 'object', properties: { a: { type: 'string' } } } },
        },
        template: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          properties: { spec: { type: 'object', properties: { b: { type: 'string' } } } },
        },
        port: { 'x-kubernetes-int-or-string': true },
        free: { type: 'object', additionalProperties: true },
      },
    },
  },
};

/** Objects that often use the names of the schema, with values of all types. */
const names = [
  'spec',
  'size',
  'mode',
  'owner',
  'kind',
  'ports',
  'x',
  'quotas',
  'values',
  'known',
  'a',
  'template',
  'metadata',
  'zz',
];
const documents = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom<JsonValue>(null, true, 5, 'text', 9007199254740993n),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 6, noNullPrototype: true }),
  ),
})).value;

describe('applyDefaults', () => {
  function defaulted(value: JsonValue): JsonValue {
    const copy = cloneJson(value);
    applyDefaults(schema, copy);
    return copy;
  }

  it('sets absent members at every level', () => {
    expect(defaulted({ spec: { ports: [{}, { x: 5 }], quotas: { a: null } } })).toEqual({
      spec: { size: 3, mode: 'a', owner: { kind: 'User' }, ports: [{ x: 1 }, { x: 5 }], quotas: { a: 7 } },
    });
    expect(defaulted({})).toEqual({});
  });

  it('drops a null that is not allowed or replaces it with the default, and keeps an allowed one (DEC-22)', () => {
    expect(defaulted({ spec: { size: null, mode: null, note: null, owner: {} } })).toEqual({
      spec: { size: 3, mode: null, owner: { kind: 'User' } },
    });
  });

  it('does not share a default between objects', () => {
    const first = defaulted({ spec: {} }) as { spec: { owner: { kind: string } } };
    first.spec.owner.kind = 'changed';
    expect(defaulted({ spec: {} })).toMatchObject({ spec: { owner: { kind: 'User' } } });
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(documents, (value) => {
        const once = defaulted(value);
        expect(defaulted(once)).toEqual(once);
      }),
    );
  });
});

describe('defaults that make an object large', () => {
  const listOf = (item: Schema): Schema => ({ type: 'array', items: item });
  const withText: Schema = { type: 'object', properties: { text: { type: 'string', default: 'x'.repeat(100_000) } } };
  const nested: Schema = {
    type: 'object',
    properties: { inner: { type: 'object', default: {}, properties: { list: { default: Array(1_000).fill(1) } } } },
  };
  const filled: Schema = { type: 'string', default: 'x'.repeat(1_000) };

  it.each([
    ['long texts', listOf(withText), Array(10_000).fill({})],
    ['lists inside of defaults', listOf(nested), Array(1_000).fill({})],
    ['items that are null', listOf(filled), Array(10_000).fill(null)],
    ['members that are null', { type: 'object', additionalProperties: withText.properties?.text }, nulls(1_000)],
  ])('are rejected: %s', (_name, by, value) => {
    const copy = cloneJson(value as JsonValue);
    expect(() => applyDefaults(by as Schema, copy)).toThrow(DefaultsTooLargeError);
  });

  it('are omitted from stored objects beyond the limit', () => {
    const items = cloneJson(Array(10_000).fill({}) as JsonValue[]);
    applyDefaultsWithinLimit(listOf(withText), items);
    const count = items.filter((item) => Object.hasOwn(item as object, 'text')).length;
    expect(count).toBeGreaterThan(20);
    expect(count).toBeLessThan(40);
  });

  it('are accepted within the limit', () => {
    const items = cloneJson(Array(20).fill({}) as JsonValue[]);
    applyDefaults(listOf(withText), items);
    expect(items.every((item) => Object.hasOwn(item as object, 'text'))).toBe(true);
  });

  it('take work in proportion to the object, also if there are thousands of members', () => {
    const properties = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`p${at}`, { default: at }]));
    const by = listOf({ type: 'object', properties } as Schema);
    expect(() => applyDefaults(by, cloneJson(Array(1_000).fill({}) as JsonValue[]))).toThrow(DefaultsTooLargeError);
  });
});

function nulls(count: number): JsonValue {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`key-${at}`, null]));
}

describe('prune', () => {
  it('removes unknown members and returns their paths, sorted (DEC-10, DEC-11, DEC-20)', () => {
    const value = {
      zz: 1,
      spec: { foo: 1, ports: [{ x: 1 }, { unknownNested: 1 }], quotas: { any: 1 }, port: 'http' },
    };
    expect(prune(schema, value)).toEqual(['spec.foo', 'spec.ports[1].unknownNested', 'zz']);
    expect(value).toEqual({ spec: { ports: [{ x: 1 }, {}], quotas: { any: 1 }, port: 'http' } });
  });

  it('keeps preserved unknown members, but prunes known members below them (DEC-19)', () => {
    const value = { spec: { values: { any: { thing: 1 }, known: { a: '', b: '' } }, free: { x: { y: 1 } } } };
    expect(prune(schema, value)).toEqual(['spec.values.known.b']);
    expect(value).toEqual({ spec: { values: { any: { thing: 1 }, known: { a: '' } }, free: { x: { y: 1 } } } });
  });

  it('keeps apiVersion, kind and metadata only of resources (DEC-21)', () => {
    const resource = { apiVersion: 'v1', kind: 'X', metadata: { name: 'a' } };
    const value = { ...cloneJson(resource), spec: { template: { ...cloneJson(resource), spec: { b: '', c: '' } } } };
    expect(prune(schema, value, { isResource: true })).toEqual(['spec.template.spec.c']);
    expect(value).toEqual({ ...resource, spec: { template: { ...resource, spec: { b: '' } } } });
    expect(prune(schema, cloneJson(resource))).toEqual(['apiVersion', 'kind', 'metadata']);
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(documents, (value) => {
        const copy = cloneJson(value);
        prune(schema, copy);
        const once = cloneJson(copy);
        expect(prune(schema, copy)).toEqual([]);
        expect(copy).toEqual(once);
      }),
    );
  });
});
