import { runOnFastPaths } from '@flotilla/fast-paths/fast-paths.fixture.ts';
import { cloneJson, deepFreeze, type JsonObject } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldSet } from './field-set.ts';
import { fromFieldsV1, toFieldsV1 } from './fields-v1.ts';
import {
  type FieldPath,
  fieldElement,
  indexElement,
  keyElement,
  type PathElement,
  printPath,
  valueElement,
} from './path-element.ts';

const scalar = fc.oneof(
  fc.constantFrom<string | number | bigint | boolean>('a', '<b>&"\u2028', 1, 1.5, 9007199254740993n, true),
  fc.string(),
);

const element: fc.Arbitrary<PathElement> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'c', '__proto__', '.', '').map(fieldElement) },
  fc.string().map(fieldElement),
  fc
    .array(fc.tuple(fc.constantFrom('name', 'port', '__proto__'), scalar), { minLength: 1 })
    .map((keys) => keyElement([...new Map(keys)])),
  scalar.map(valueElement),
  fc.nat(3).map(indexElement),
);

const paths: fc.Arbitrary<FieldPath[]> = fc.array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 12 });

/** A set of paths as plain strings: the reference for the tree. */
function texts(set: FieldSet): Set<string> {
  return new Set(set.paths().map(key));
}

function key(path: FieldPath): string {
  return JSON.stringify(path.map(({ text }) => text));
}

describe('FieldSet', () => {
  runOnFastPaths();

  it('behaves like a set of paths', () => {
    fc.assert(
      fc.property(paths, paths, (a, b) => {
        const [left, right] = [FieldSet.of(...a), FieldSet.of(...b)];
        const [inLeft, inRight] = [new Set(a.map(key)), new Set(b.map(key))];
        expect(texts(left)).toEqual(inLeft);
        expect(texts(left.union(right))).toEqual(new Set([...inLeft, ...inRight]));
        expect(texts(left.intersection(right))).toEqual(new Set([...inLeft].filter((path) => inRight.has(path))));
        expect(texts(left.difference(right))).toEqual(new Set([...inLeft].filter((path) => !inRight.has(path))));
        const below = (path: FieldPath): boolean => path.some((_, at) => inRight.has(key(path.slice(0, at + 1))));
        expect(texts(left.recursiveDifference(right))).toEqual(new Set(a.filter((path) => !below(path)).map(key)));
        expect(left.difference(left).isEmpty).toBe(true);
        expect(left.includes(right)).toBe([...inRight].every((path) => inLeft.has(path)));
        expect(left.meets(right)).toBe([...inRight].some((path) => inLeft.has(path)));
        expect(left.union(right).includes(left)).toBe(true);
        for (const path of b) expect(left.has(path)).toBe(inLeft.has(key(path)));
      }),
    );
  });

  it('survives its wire form (SSA-20)', () => {
    fc.assert(
      fc.property(paths, (all) => {
        const set = FieldSet.of(...all);
        const wire = JSON.parse(JSON.stringify(toFieldsV1(set))) as JsonObject;
        expect(texts(fromFieldsV1(wire))).toEqual(texts(set));
        expect(toFieldsV1(fromFieldsV1(wire))).toEqual(wire);
        const frozen = deepFreeze(wire);
        expect(toFieldsV1(fromFieldsV1(frozen))).toBe(frozen);
      }),
    );
  });
});

describe('the wire form', () => {
  it('has the order of Go: fields, keys, values, indices (SSA-20)', () => {
    const set = FieldSet.of(
      [indexElement(10)],
      [indexElement(2)],
      [valueElement('b')],
      [valueElement(10)],
      [valueElement(9)],
      [
        keyElement([
          ['z', 1],
          ['a', 'x'],
        ]),
      ],
      [fieldElement('b')],
      [fieldElement('a'), fieldElement('x')],
      [fieldElement('a')],
    );
    expect(JSON.stringify(toFieldsV1(set))).toBe(
      '{"f:a":{".":{},"f:x":{}},"f:b":{},"k:{\\"a\\":\\"x\\",\\"z\\":1}":{},"v:9":{},"v:10":{},"v:\\"b\\"":{},"i:2":{},"i:10":{}}',
    );
  });

  it('accepts keys in any order and spacing, and skips unknown elements (SSA-20)', () => {
    const odd = { 'k:{ "z":1, "a":"x" }': {}, 'q:future': {}, 'f:a': { 'q:future': {} } };
    for (const fields of [odd, deepFreeze(cloneJson(odd))]) {
      expect(toFieldsV1(fromFieldsV1(fields))).toEqual({ 'f:a': {}, 'k:{"a":"x","z":1}': {} });
    }
    for (const fields of [{ 'f:a': { '.': {} } }, { 'f:a': { 'q:b': {} } }, { '.': {}, 'f:a': {} }]) {
      expect(toFieldsV1(fromFieldsV1(deepFreeze<JsonObject>(fields)))).toEqual({ 'f:a': {} });
    }
  });

  it.each([{ spec: {} }, { 'k:1': {} }, { 'v:{': {} }, { 'i:x': {} }, { f: {} }, { 'f:a': 1 }] as JsonObject[])(
    'rejects %j',
    (fields) => {
      expect(() => fromFieldsV1(fields)).toThrow();
    },
  );

  it('rejects sets that are nested deeper than any object', () => {
    let fields: JsonObject = {};
    for (let level = 0; level < 501; level++) fields = { 'f:a': fields };
    expect(() => fromFieldsV1(fields)).toThrow('too deep');
  });

  it('is printed as a human-readable path (SSA-13)', () => {
    const path = [
      fieldElement('spec'),
      fieldElement('l'),
      keyElement([
        ['b', 2],
        ['a', 'x'],
      ]),
      valueElement('v'),
      indexElement(0),
    ];
    expect(printPath(path)).toBe('.spec.l[a="x",b=2][="v"][0]');
  });
});
