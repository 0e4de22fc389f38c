import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxValues, parseJson } from '../json-parse.ts';
import type { JsonObject, JsonValue } from '../json-value.ts';
import { writeJson } from '../json-write.ts';
import { SortedJsonText } from './json-sorted-text.ts';

type Part = JsonObject | JsonValue[];

/** Names in any order, including ones that need escaping, sort differently by bytes, or look like numbers. */
const names = fc.oneof(
  fc.constantFrom('metadata', 'spec', 'a', 'ab', 'b', '10', '9', '', '"', '\\', '\n', '\u{1f600}', '\uff5e', 'ä'),
  fc.string({ unit: 'binary', maxLength: 3 }),
);
const scalars = fc.oneof(
  fc.constantFrom(null, true, false, 0, -0, -1, 1.5, 1e21, 123456789012345, 2 ** 53 - 1, '\\', '/', '"', '\u2028'),
  fc.integer(),
  fc.string({ unit: 'binary' }),
);
const { document } = fc.letrec<{ value: JsonValue; object: JsonObject; document: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalars as fc.Arbitrary<JsonValue>,
    tie('object'),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
  object: fc.dictionary(names, tie('value'), { maxKeys: 5 }),
  document: fc
    .tuple(tie('object'), fc.option(tie('object'), { nil: undefined }), tie('object'))
    .map(([spec, metadata, rest]) => ({ spec, ...rest, ...(metadata === undefined ? {} : { metadata }) })),
}));

function partsOf(value: JsonObject): Part[] {
  const inner = typeof value.metadata === 'object' && value.metadata !== null ? Object.values(value.metadata) : [];
  return [...Object.values(value), ...inner].filter((part): part is Part => typeof part === 'object' && part !== null);
}

describe('SortedJsonText', () => {
  it('returns the text that writeJson writes, or nothing, for any document and formatting', () => {
    fc.assert(
      fc.property(document, fc.constantFrom(0, 1), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const texts = new SortedJsonText(text, 'metadata');
        const parsed = parseJson(text, texts.members);
        expect(parsed).toEqual(parseJson(text));
        for (const part of partsOf(parsed.value as JsonObject)) {
          expect([undefined, writeJson(part)]).toContain(texts.of(parsed.value as JsonObject, part));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('returns the members of a document and of its metadata, but not the metadata itself', () => {
    const text =
      '{"kind":"A","metadata":{"name":"x","labels":{"b":"1","a":"say \\"hi\\"\\n"},"none":{}},"spec":{"b":[{"z":-1,"ä":null},{}],"a":true},"list":[]}';
    const value = JSON.parse(text) as JsonObject;
    const metadata = value.metadata as JsonObject;
    const texts = new SortedJsonText(text, 'metadata');
    expect(texts.members).toBe(13);
    expect(texts.of(value, metadata.labels as Part)).toBe('{"a":"say \\"hi\\"\\n","b":"1"}');
    expect(texts.of(value, metadata.none as Part)).toBe('{}');
    expect(texts.of(value, value.spec as Part)).toBe('{"a":true,"b":[{"z":-1,"ä":null},{}]}');
    expect(texts.of(value, value.list as Part)).toBe('[]');
    expect(texts.of(value, metadata)).toBeUndefined();
    expect(texts.of(value, { ...(value.spec as JsonObject) })).toBeUndefined();
    expect(texts.of(structuredClone(value), value.spec as Part)).toBeUndefined();
  });

  it.each([
    ['spaces', '{"spec":{"a": 1}}'],
    ['unnecessary escapes', '{"spec":{"a":"\\u0041"}}'],
    ['an escaped slash', '{"spec":{"a":"\\/"}}'],
    ['fractions', '{"spec":{"a":1.0}}'],
    ['exponents', '{"spec":{"a":1e3}}'],
    ['a negative zero', '{"spec":{"a":-0}}'],
    ['long integers', '{"spec":{"a":1234567890123456}}'],
    ['escapes in names', '{"spec":{"\\t":1,"\\n":2}}'],
    ['quotes in names', '{"spec":{"a\\"":1,"b":2}}'],
    ['names beyond the basic plane', '{"spec":{"\uff5e":1,"\u{1f600}":2}}'],
    ['deep nesting', `{"spec":${'['.repeat(300)}${']'.repeat(300)}}`],
    ['too many values', `{"spec":[${'0,'.repeat(maxValues)}0]}`],
    ['documents that are not objects', '[{"spec":{}}]'],
    ['truncated documents', '{"spec":{"a":"b'],
    ['empty text', ''],
  ])('gives up on %s', (_, text) => {
    expect(new SortedJsonText(text, 'metadata').members).toBeUndefined();
  });

  it('counts members so that duplicates are detected', () => {
    const text = '{"spec":{"b":1,"a":2,"b":3}}';
    expect(parseJson(text, new SortedJsonText(text, 'metadata').members).duplicates).toEqual(['spec.b']);
  });

  it('sorts objects with many members, and finds many parts', () => {
    const count = 10_000;
    const data: JsonObject = {};
    for (let at = count; at > 0; at--) data[`k${at}`] = 'v';
    const value: JsonObject = { data, spec: {} };
    for (let at = 0; at < count; at++) value[`part${at}`] = [at];
    const sorted = new SortedJsonText(JSON.stringify(value), 'metadata');
    const { user: before } = process.cpuUsage();
    expect(sorted.of(value, data) === writeJson(data)).toBe(true);
    for (let at = 0; at < count; at++) expect(sorted.of(value, value[`part${at}`] as Part)).toBe(`[${at}]`);
    // A linear search per part takes many times as long.
    expect((process.cpuUsage().user - before) / 1000).toBeLessThan(5_000);
  });

  it('takes little time for members in descending order', () => {
    const members = Array.from({ length: 50_000 }, (_, at) => `"k${100_000 - at}":1`);
    const { user: before } = process.cpuUsage();
    expect(new SortedJsonText(`{"data":{${members.join(',')}}}`, 'metadata').members).toBe(50_001);
    expect((process.cpuUsage().user - before) / 1000).toBeLessThan(2_000);
  });
});
