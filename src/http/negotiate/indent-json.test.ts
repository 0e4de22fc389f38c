import fc from 'fast-check';
import { expect, it } from 'vitest';
import { indentJson } from './indent-json.ts';

it('the indentation is that of JSON.stringify, whatever the strings contain (NEG-19)', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, undefined, 2));
    }),
  );
});

it('numbers are kept as they are written', () => {
  expect(indentJson('{"a":9223372036854775807,"b":[1.0]}')).toBe(
    '{\n  "a": 9223372036854775807,\n  "b": [\n    1.0\n  ]\n}',
  );
});

it('a text whose indentation would be much longer than the text stays compact', () => {
  const nested = (levels: number, values: number) =>
    `${'['.repeat(levels)}${'1,'.repeat(values)}1${']'.repeat(levels)}`;
  expect(indentJson(nested(500, 100)).length).toBeGreaterThan(500_000);
  const long = nested(900, 50_000);
  expect(indentJson(long)).toBe(long);
});
