import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './json-canonical.ts';
import { parseTrustedJson } from './json-parse.ts';
import { deepFreeze, type JsonObject, type JsonValue } from './json-value.ts';
import { writeJson } from './json-write.ts';

const json = fc.jsonValue({ maxDepth: 4 });
const asItStands = (value: JsonValue) => writeJson(value, { sorted: false });

describe('the canonical form', () => {
  it('is what its own text reads as, member by member in the same order', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = writeJson(value as JsonValue);
        const canonical = canonicalJson(value as JsonValue);
        expect(asItStands(canonical)).toBe(asItStands(parseTrustedJson(text)));
        expect(writeJson(canonical)).toBe(text);
      }),
    );
  });

  it('leaves the value alone, is frozen, and takes over what is', () => {
    const shared = deepFreeze({ x: [1] }) as JsonObject;
    const value = { b: { d: 1, c: [{ z: 1, y: undefined }] }, a: shared } as unknown as JsonObject;
    const canonical = canonicalJson(value);
    expect(JSON.stringify(canonical)).toBe('{"a":{"x":[1]},"b":{"c":[{"z":1}],"d":1}}');
    expect(canonical.a).toBe(shared);
    expect(Object.isFrozen((canonical.b as JsonObject).c)).toBe(true);
    expect(Object.keys(value)).toEqual(['b', 'a']);
    expect(Object.isFrozen(value.b)).toBe(false);
  });

  it('keeps members that are called like parts of every object', () => {
    const value = JSON.parse('{"__proto__":{"b":1,"a":2},"constructor":1}') as JsonObject;
    expect(JSON.stringify(canonicalJson(value))).toBe('{"__proto__":{"a":2,"b":1},"constructor":1}');
  });
});
