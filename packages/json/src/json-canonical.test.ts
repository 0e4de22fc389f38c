import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CanonicalJson, canonicalJson } from './json-canonical.ts';
import { parseTrustedJson } from './json-parse.ts';
import { deepFreeze, type JsonObject, type JsonValue } from './json-value.ts';
import { writeJson } from './json-write.ts';

const json = fc.jsonValue({ maxDepth: 4 });
const asItStands = (value: JsonValue) => writeJson(value, { sorted: false });

describe('the canonical form', () => {
  it('equals the result of parsing its own text, with members in the same order', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = writeJson(value as JsonValue);
        const canonical = canonicalJson(value as JsonValue);
        expect(asItStands(canonical)).toBe(asItStands(parseTrustedJson(text)));
        expect(writeJson(canonical)).toBe(text);
      }),
    );
  });

  it('does not change the value, is frozen, and reuses frozen parts', () => {
    const shared = deepFreeze({ x: [1] }) as JsonObject;
    const value = { b: { d: 1, c: [{ z: 1, y: undefined }] }, a: shared } as unknown as JsonObject;
    const canonical = canonicalJson(value);
    expect(JSON.stringify(canonical)).toBe('{"a":{"x":[1]},"b":{"c":[{"z":1}],"d":1}}');
    expect(canonical.a).toBe(shared);
    expect(Object.isFrozen((canonical.b as JsonObject).c)).toBe(true);
    expect(Object.keys(value)).toEqual(['b', 'a']);
    expect(Object.isFrozen(value.b)).toBe(false);
  });

  it('is not frozen if nobody shares it', () => {
    const value = { b: 1, a: [{ d: 1, c: 2 }] };
    const canonical = new CanonicalJson({ freezes: false }).of<JsonObject>(value);
    expect(JSON.stringify(canonical)).toBe('{"a":[{"c":2,"d":1}],"b":1}');
    expect([canonical, canonical.a, (canonical.a as JsonValue[])[0]].some(Object.isFrozen)).toBe(false);
    expect(canonical.a).not.toBe(value.a);
  });

  it('keeps members with names of Object.prototype', () => {
    const value = JSON.parse('{"__proto__":{"b":1,"a":2},"constructor":1}') as JsonObject;
    expect(JSON.stringify(canonicalJson(value))).toBe('{"__proto__":{"a":2,"b":1},"constructor":1}');
  });
});

describe('CanonicalJson.isPlain', () => {
  const names = fc.oneof(
    fc.string(),
    fc.nat().map(String),
    fc.constantFrom('', '-', '__proto__', '\ud800', '\u{1f600}'),
  );
  const values = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.bigInt()),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(names, tie('value'), { maxKeys: 4 }),
      fc.dictionary(names, tie('value'), { maxKeys: 4 }).map((frozen) => canonicalJson(frozen as JsonObject)),
    ),
  })).value;

  it('is true only if JSON.stringify writes the same text as writeJson', () => {
    fc.assert(
      fc.property(values, (value) => {
        const canonical = new CanonicalJson();
        const made = canonical.of(value as JsonValue);
        if (canonical.isPlain) expect(JSON.stringify({ made })).toBe(writeJson({ made: value as JsonValue }));
      }),
    );
  });

  it('is true for ordinary values, and false for long integers, deep nesting and numeric names', () => {
    const isPlain = (value: JsonValue) => {
      const canonical = new CanonicalJson();
      canonical.of(value);
      return canonical.isPlain;
    };
    expect(isPlain({ b: [1, { d: 'x', c: null }], a: deepFreeze({ x: 1, y: 2 }) })).toBe(true);
    expect(isPlain({ a: [{ b: 12345678901234567890n }] })).toBe(false);
    expect(isPlain({ 9: 'a', 10: 'b' })).toBe(false);
    expect(isPlain({ a: deepFreeze({ y: 1, x: 2 }) })).toBe(false);
    let deep: JsonValue = 1;
    for (let level = 0; level < 600; level++) deep = [deep];
    expect(isPlain(deep)).toBe(false);
  });
});
