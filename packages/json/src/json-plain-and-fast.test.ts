import { onBothPaths } from '@flotilla/fast-paths/fast-paths.fixture.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJson, parseTrustedJson } from './json-parse.ts';
import type { JsonValue } from './json-value.ts';
import { writeJson } from './json-write.ts';

const names = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', '2', '10', '', 'é', '\ud83d\ude00', '\uffff'),
  fc.string(),
);
const values = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<JsonValue>(null, true, 0, -0, 1e21, 1.5, 9007199254740993n, -(2n ** 62n), '', '"\\\n\u2028'),
    fc.string({ unit: 'binary' }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;
/**
 * Text that a client may send: valid JSON, JSON with one character replaced, or a text with a special case such as
 * duplicates.
 */
const sent = fc.oneof(
  values.map((value) => writeJson(value, { sorted: false })),
  fc.tuple(values, fc.nat(), fc.constantFrom('"', '}', ',', '1', '\\', ' ', ':')).map(([value, at, put]) => {
    const text = writeJson(value, { indent: 2, sorted: false });
    return text.slice(0, at % text.length) + put + text.slice((at % text.length) + 1);
  }),
  fc.constantFrom('{"a":1,"a":2}', '{"a":1e400}', '"\\ud800"', '[', '', '{"a":{"b":1,"b":[]}}', `${'['.repeat(300)}`),
);

it('JSON is written with the same text on the plain path and on the fast path', () => {
  fc.assert(
    fc.property(values, fc.boolean(), fc.constantFrom(0, 2), (value, sorted, indent) => {
      const { plain, fast } = onBothPaths(() => writeJson(value, { sorted, indent }));
      expect(fast).toBe(plain);
      const parsed = onBothPaths(() => parseTrustedJson(fast));
      expect(parsed.fast).toEqual(parsed.plain);
    }),
    { numRuns: 500 },
  );
});

it('JSON of a client is parsed to the same value, duplicates or error on the plain path and on the fast path', () => {
  fc.assert(
    fc.property(sent, (text) => {
      // Encode and decode the text as UTF-8, because a request body cannot contain unpaired surrogates.
      const decoded = Buffer.from(text).toString();
      const { plain, fast } = onBothPaths(() => parseJson(decoded));
      expect(fast).toEqual(plain);
    }),
    { numRuns: 1000 },
  );
});
