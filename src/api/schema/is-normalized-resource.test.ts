import { cloneJson, isJsonObject, isNestedDeeper, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecodeError } from '../decode/decode-error.ts';
import { normalizeEmbeddedResources } from '../decode/normalize-embedded-resources.ts';
import { applyDefaults } from './default.ts';
import { isNormalizedResource } from './is-normalized-resource.ts';
import { prune } from './prune.ts';
import type { Schema } from './schema.ts';
import { orderedText, resources, scalars, schemaOf } from './schema-arbitraries.fixture.ts';

/** Returns the object and the findings after the separate passes. `undefined` if the passes reject the object. */
function walked(by: Schema, object: JsonObject): { object: JsonObject; findings: string[] } | undefined {
  const copy = cloneJson(object);
  try {
    const findings = [...prune(by, copy, { isResource: true }), ...normalizeEmbeddedResources(by, copy)];
    applyDefaults(by, copy);
    return { object: copy, findings };
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

describe('isNormalizedResource', () => {
  it('is true only if pruning, embedded resources and defaults change and report nothing', () => {
    let normalized = 0;
    fc.assert(
      fc.property(schemaOf(2), resources, (by, object) => {
        const before = orderedText(object);
        if (!isNormalizedResource(by, object)) return;
        normalized++;
        expect(orderedText(object)).toBe(before);
        const after = walked(by, object);
        expect(after?.findings).toEqual([]);
        expect(orderedText(after?.object ?? null)).toBe(before);
      }),
      { numRuns: 1_500 },
    );
    expect(normalized).toBeGreaterThan(50);
  });

  it('skips members shared with an object that those passes leave unchanged', () => {
    let normalized = 0;
    fc.assert(
      fc.property(schemaOf(2), resources, resources, (by, given, change) => {
        const before = walked(by, given)?.object;
        // Skip objects that a second run would change again, because such objects are never stored.
        if (before === undefined || orderedText(walked(by, before)?.object ?? null) !== orderedText(before)) return;
        const after: JsonObject = { ...before };
        for (const [name, member] of Object.entries(change)) {
          const old = Object.hasOwn(before, name) ? before[name] : undefined;
          const merged = isJsonObject(old) && isJsonObject(member) ? { ...old, ...member } : member;
          if (name !== 'metadata') setMember(after, name, merged);
        }
        if (!isNormalizedResource(by, after, before)) return;
        normalized++;
        const found = walked(by, after);
        expect(found?.findings).toEqual([]);
        expect(orderedText(found?.object ?? null)).toBe(orderedText(after));
      }),
      { numRuns: 1_500 },
    );
    expect(normalized).toBeGreaterThan(50);
  });

  const typed: Schema = {
    type: 'object',
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          size: { type: 'integer', default: 1 },
          note: { type: 'string', nullable: true },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          list: { type: 'array', items: { type: 'object', properties: { port: { type: 'integer' } } } },
          map: { type: 'object', additionalProperties: { type: 'object', properties: { x: { type: 'string' } } } },
        },
      },
    },
  };
  const thing = (spec: JsonValue): JsonObject => ({ apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' }, spec });

  it('is true for every result of those passes with an ordinary schema', () => {
    const members = fc.constantFrom('name', 'size', 'note', 'free', 'list', 'map', 'port', 'x', 'other');
    const plain = fc.oneof(scalars, fc.dictionary(members, scalars) as fc.Arbitrary<JsonValue>);
    const spec = fc
      .tuple(fc.dictionary(members, plain, { maxKeys: 6 }), fc.array(plain))
      .map(([some, list]) => ({ ...some, list }));
    fc.assert(
      fc.property(spec, (sent) => {
        const made = walked(typed, thing(sent))?.object ?? {};
        // Skip objects with null, because the fast path leaves null items to the separate passes.
        fc.pre(!orderedText(made).includes('null'));
        expect(isNormalizedResource(typed, made)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it.each<[string, JsonValue, boolean]>([
    ['known members', { name: 'a', size: 2, note: null, list: [{ port: 1 }], map: { k: { x: '' } } }, true],
    ['a wrong type, which validation reports', { name: { is: 'no text' }, size: 'many' }, false],
    ['a string instead of an object', 'none', true],
    ['a missing default', { name: 'a' }, false],
    ['a null that is dropped', { name: null, size: 2 }, false],
    ['an unknown member', { size: 2, other: 1 }, false],
    ['an unknown member of an item', { size: 2, list: [{ port: 1 }, { prot: 1 }] }, false],
    ['an unknown member of a member of a map', { size: 2, map: { k: { x: '', y: '' } } }, false],
    ['any value where unknown members are kept', { size: 2, free: { any: [null, { thing: null }] } }, true],
    ['the name of an inherited property', { size: 2, constructor: 1 }, false],
  ])('checks %s', (_, spec, expected) => {
    expect(isNormalizedResource(typed, thing(spec))).toBe(expected);
  });

  it('is never true for objects that are nested too deeply', () => {
    const nested = (levels: number) => {
      let inner: JsonValue = {};
      for (let level = 1; level < levels; level++) inner = { a: inner };
      return inner;
    };
    expect(isNormalizedResource(typed, thing({ size: 2, free: nested(300) }))).toBe(true);
    for (const levels of [500, 5_000])
      expect(isNormalizedResource(typed, thing({ size: 2, free: nested(levels) }))).toBe(false);
    let deep: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    for (let level = 0; level < 2_000; level++) deep = { type: 'object', properties: { a: deep } };
    for (const levels of [10, 399, 401, 950, 1_050, 2_500]) {
      const object = nested(levels) as JsonObject;
      if (isNormalizedResource(deep, object)) expect(isNestedDeeper(object, 1_000)).toBe(false);
    }
    expect(isNormalizedResource(deep, nested(300) as JsonObject)).toBe(true);
    expect(isNormalizedResource(deep, nested(1_050) as JsonObject)).toBe(false);
  });
});
