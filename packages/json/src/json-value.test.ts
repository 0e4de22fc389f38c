import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cloneJson,
  deepFreeze,
  equalJson,
  getMember,
  type JsonObject,
  type JsonValue,
  setMember,
} from './json-value.ts';

const document = fc.jsonValue({ maxDepth: 5 }).map((value) => value as JsonValue);

function nested(levels: number, wrap: (inner: JsonValue) => JsonValue): JsonValue {
  let value: JsonValue = 1;
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
}

describe('JSON values', () => {
  it('equal their clones, which share nothing with them', () => {
    fc.assert(
      fc.property(document, (value) => {
        const copy = cloneJson(value);
        expect(copy).toEqual(value);
        expect(equalJson(copy, value)).toBe(true);
        deepFreeze(value);
        if (typeof copy === 'object' && copy !== null) expect(Object.isFrozen(copy)).toBe(false);
      }),
    );
  });

  it('differ if one member differs, is missing or has another type', () => {
    expect(equalJson({ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] })).toBe(false);
    expect(equalJson({ a: 1 }, { a: 1, b: 2 })).toBe(false);
    expect(equalJson({ a: null }, { b: null })).toBe(false);
    expect(equalJson([], {})).toBe(false);
    expect(equalJson(9007199254740993n, 9007199254740993n)).toBe(true);
    expect(equalJson(undefined, null)).toBe(false);
  });

  it('may be 10,000 levels deep (REQ-21)', () => {
    for (const wrap of [(inner: JsonValue) => [inner], (inner: JsonValue) => ({ a: inner })]) {
      const value = nested(10_000, wrap);
      expect(equalJson(deepFreeze(cloneJson(value)), value)).toBe(true);
    }
  });

  it('keep a member named __proto__ as an ordinary member', () => {
    const source = JSON.parse('{"__proto__":{"polluted":{"x":1}}}') as JsonObject;
    const copy = cloneJson(source);
    expect(Object.hasOwn(copy, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(getMember(copy, '__proto__')).toEqual({ polluted: { x: 1 } });
    setMember(copy, '__proto__', 1);
    expect(Object.keys(copy)).toEqual(['__proto__']);
    expect(getMember({}, 'toString')).toBeUndefined();
  });
});
