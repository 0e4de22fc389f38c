import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonSyntaxError, maxValues, parseJson, parseTrustedJson } from './json-parse.ts';
import { JsonReader } from './json-reader.ts';
import type { JsonObject } from './json-value.ts';

function refusal(text: string): string {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.message;
    throw error;
  }
  throw new Error(`accepted ${text}`);
}

describe('parseJson', () => {
  it('parses ordinary documents as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const ordinary = JSON.parse(text);
        if (/\d{16}|\\u[dD]/.test(text)) return;
        expect(parseJson(text)).toEqual({ value: ordinary, duplicates: [] });
        expect(new JsonReader(text).read()).toEqual(ordinary);
      }),
    );
  });

  it('rejects too many values with both parsers; text written by this program has no limit', () => {
    const members = (count: number) => Array.from({ length: count }, (_, n) => `"${n}":0`).join(',');
    const sentence = `exceeded max number of ${maxValues} values`;
    for (const first of ['"x":0', '"x":12345678901234567890']) {
      expect(Object.keys(parseJson(`{${first},${members(maxValues - 2)}}`).value as object)).toHaveLength(
        maxValues - 1,
      );
      expect(refusal(`{${first},${members(maxValues + 1)}}`)).toBe(sentence);
      expect(parseTrustedJson(`{${first},${members(maxValues + 1)}}`)).toBeTypeOf('object');
    }
    expect(refusal(`[${'[],'.repeat(maxValues)}[]]`)).toBe(sentence);
    expect(parseJson(`["${','.repeat(maxValues * 2)}"]`).value).toHaveLength(1);
  });

  it('rejects and accepts the same corrupted texts as JSON.parse, except numbers beyond float64', () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.nat(),
        fc.constantFrom('', '"', ',', '}', '[', ':', '0', '-', 'x', '\n'),
        (text, at, extra) => {
          const cut = at % (text.length + 1);
          const broken = text.slice(0, cut) + extra + text.slice(cut + 1);
          let valid = true;
          try {
            JSON.parse(broken, (_name, value: unknown) => {
              if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) valid = false;
              return value;
            });
          } catch {
            valid = false;
          }
          if (valid) expect(() => parseJson(broken)).not.toThrow();
          else expect(() => parseJson(broken)).toThrow(JsonSyntaxError);
        },
      ),
    );
  });

  it('keeps int64 exactly and rounds larger integers (DEC-07)', () => {
    const { value } = parseJson(
      '{"max":9223372036854775807,"min":-9223372036854775808,"odd":9007199254740993,"over":9223372036854775808,"safe":42,"half":0.1234567890123456,"e":1e3,"zero":-0}',
    );
    expect(value).toEqual({
      max: 9223372036854775807n,
      min: -9223372036854775808n,
      odd: 9007199254740993n,
      over: 2 ** 63,
      safe: 42,
      half: 0.1234567890123456,
      e: 1000,
      zero: 0,
    });
    expect(parseTrustedJson('[9007199254740993, 1]')).toEqual([9007199254740993n, 1]);
  });

  it('reports the path of each duplicate member once, and the last value wins (DEC-09, DEC-10)', () => {
    const { value, duplicates } = parseJson(
      '{"spec":{"foo":1,"foo":2,"foo":3,"ports":[{"x":1},{"x":1,"x":{"y":1,"y":2}}]},"kind":"A","kind":"B"}',
    );
    expect(duplicates).toEqual(['spec.foo', 'spec.ports[1].x', 'spec.ports[1].x.y', 'kind']);
    expect(value).toEqual({ spec: { foo: 3, ports: [{ x: 1 }, { x: { y: 2 } }] }, kind: 'B' });
  });

  it.each([
    ['one key', (repeats: number) => `{${'"a":1,'.repeat(repeats)}"a":1}`],
    ['an object with a duplicate in it', (repeats: number) => `{${'"a":{"b":1,"b":1},'.repeat(repeats / 3)}"a":1}`],
  ])('takes little time for repeats of %s in a deeply nested object', (_, repeated) => {
    const depth = 9_900;
    const text = `${'{"n":'.repeat(depth)}${repeated(50_000)}${'}'.repeat(depth)}`;
    const started = process.cpuUsage();
    const { duplicates } = parseJson(text);
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(1000);
    expect(duplicates.slice(0, 1)).toEqual([expect.stringMatching(/^n\.n\.[n.]*\.a(\.b)?$/)]);
  });

  it('stops reporting duplicates when their paths become too long', () => {
    const name = 'k'.repeat(400_000);
    const { duplicates } = parseJson(`{"${name}":{${'"a":1,"b":1,"c":1,"d":1,"e":1,'.repeat(2)}"z":1}}`);
    expect(duplicates).toHaveLength(3);
  });

  it('finds duplicates that differ only in escaping', () => {
    expect(parseJson('{"a":1,"\\u0061":2}')).toEqual({ value: { a: 2 }, duplicates: ['a'] });
    expect(parseJson('[{"a:b":":","c":"\\\\"},{"a:b":"\\":","a:b":1}]').duplicates).toEqual(['[1].a:b']);
  });

  it('accepts 10,000 levels and rejects the next (REQ-21)', () => {
    const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect(() => parseJson(deep(10_000))).not.toThrow();
    expect(refusal(deep(10_001))).toContain('exceeded max depth');
    expect(refusal('{"a":'.repeat(1_000_000))).toContain('exceeded max depth');
  });

  it('keeps __proto__ as an ordinary member', () => {
    for (const text of ['{"__proto__":{"x":1}}', '{"__proto__":{"x":9007199254740993}}']) {
      const { value } = parseJson(text);
      expect(Object.keys(value as JsonObject)).toEqual(['__proto__']);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    }
  });

  it('turns unpaired surrogates into the replacement character', () => {
    expect(parseJson('["\\ud800","\\ude00x","\\ud83d\\ude00"]').value).toEqual(['\ufffd', '\ufffdx', '😀']);
  });

  it.each([
    ['', 'unexpected end of JSON input'],
    ['  ', 'unexpected end of JSON input'],
    ['{"a":', 'unexpected end of JSON input'],
    ['"abc', 'unexpected end of JSON input'],
    ['xyz', "invalid character 'x' looking for beginning of value"],
    ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
    ["'a'", "invalid character '\\'' looking for beginning of value"],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['{} {}', "invalid character '{' after top-level value"],
    ['01', "invalid character '1' after top-level value"],
    ['-', 'unexpected end of JSON input'],
    ['-x', "invalid character 'x' in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1ex', "invalid character 'x' in exponent of numeric literal"],
    ['tru3', "invalid character '3' in literal true (expecting 'e')"],
    ['nul', 'unexpected end of JSON input'],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['\u0001', "invalid character '\\x01' looking for beginning of value"],
    ['[1e400]', 'json: cannot unmarshal number 1e400 into Go value of type float64'],
  ])('reports the error of %j as Go does', (text, message) => {
    expect(refusal(text)).toBe(message);
  });
});
