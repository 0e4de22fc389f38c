import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from './json-parse.ts';
import { equalJson, type JsonValue } from './json-value.ts';
import { writeJson } from './json-write.ts';

/** A reference implementation that sorts keys by their bytes, as Go's map encoder does. */
function sortedModel(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedModel).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${sortedModel(member)}`).join(',')}}`;
}

const document = fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }).map((value) => value as JsonValue);

describe('writeJson', () => {
  it('writes sorted members at every level, by bytes (DEC-25)', () => {
    fc.assert(
      fc.property(document, (value) => {
        expect(writeJson(value)).toBe(sortedModel(value));
      }),
    );
    expect(writeJson({ '\u{1f600}': 1, '\uff5e': 2, a: 3, 10: 4, 9: 5 })).toBe(
      '{"10":4,"9":5,"a":3,"\uff5e":2,"\u{1f600}":1}',
    );
  });

  it('writes the same as JSON.stringify if the order does not matter', () => {
    fc.assert(
      fc.property(document, fc.constantFrom(0, 2), (value, indent) => {
        expect(writeJson(value, { sorted: false, indent })).toBe(JSON.stringify(value, undefined, indent));
        expect(JSON.parse(writeJson(value, { indent }))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('indents sorted text like unsorted text', () => {
    const unsorted = { b: { d: [], c: [1, { y: {}, x: 9007199254740993n }] }, a: 'x' };
    expect(writeJson(unsorted, { indent: 2 })).toBe(
      '{\n  "a": "x",\n  "b": {\n    "c": [\n      1,\n      {\n        "x": 9007199254740993,\n        "y": {}\n      }\n    ],\n    "d": []\n  }\n}',
    );
  });

  it('keeps int64 exactly through a round trip (DEC-07)', () => {
    const text = '{"a":9223372036854775807,"b":[-9223372036854775808,9007199254740993,1.5]}';
    expect(writeJson(parseJson(text).value)).toBe(text);
  });

  it('omits undefined members', () => {
    const value = { b: undefined, a: 1, c: { z: 1n, y: undefined } } as unknown as JsonValue;
    expect(writeJson(value)).toBe('{"a":1,"c":{"z":1}}');
    expect(writeJson(value, { indent: 1 })).toBe('{\n "a": 1,\n "c": {\n  "z": 1\n }\n}');
  });

  it('writes 10,000 levels (REQ-21)', () => {
    const text = `${'{"b":1,"a":['.repeat(5000)}${']}'.repeat(5000)}`;
    const value = parseJson(text).value;
    expect(equalJson(parseJson(writeJson(value)).value, value)).toBe(true);
    expect(writeJson(value, { sorted: false })).toBe(text);
  });
});
