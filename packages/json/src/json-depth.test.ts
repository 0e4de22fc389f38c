import { describe, expect, it } from 'vitest';
import { isNestedDeeper, isTextNestedDeeper } from './json-depth.ts';
import type { JsonValue } from './json-value.ts';

function nested(levels: number, wrap: (inner: JsonValue) => JsonValue): JsonValue {
  let value: JsonValue = 1;
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
}

describe('isNestedDeeper', () => {
  it.each([
    ['lists', (inner: JsonValue) => [inner]],
    ['maps', (inner: JsonValue) => ({ a: 'text', b: inner })],
  ])('counts %s', (_, wrap) => {
    expect(isNestedDeeper(nested(3, wrap), 3)).toBe(false);
    expect(isNestedDeeper(nested(4, wrap), 3)).toBe(true);
  });

  it('ignores breadth and scalars', () => {
    expect(isNestedDeeper({ a: [1, 2, 3], b: [{}, {}], c: 'x', d: null }, 3)).toBe(false);
    expect(isNestedDeeper('x', 0)).toBe(false);
    expect(isNestedDeeper({}, 0)).toBe(true);
  });

  it('handles documents that are too deep for the stack', () => {
    expect(
      isNestedDeeper(
        nested(200_000, (inner) => [inner]),
        199_999,
      ),
    ).toBe(true);
  });
});

describe('isTextNestedDeeper', () => {
  it.each([
    ['{"a":[{"b":1},{"c":2}]}', 3],
    ['"[[[["', 0],
    ['{"a\\"[[[":"]]]\\\\","b":[]}', 2],
    ['', 0],
  ])('counts the levels of %s', (text, levels) => {
    expect(isTextNestedDeeper(text, levels)).toBe(false);
    expect(levels === 0 || isTextNestedDeeper(text, levels - 1)).toBe(true);
  });
});
