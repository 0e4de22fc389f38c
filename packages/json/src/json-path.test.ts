import { describe, expect, it } from 'vitest';
import { flagAt, listAt, numberAt, objectAt, textAt, textsAt, valueAt } from './json-path.ts';

const document = { a: { b: ['x', 1, { c: true }], n: 12n, t: 'text' } };

describe('reading by path', () => {
  it('finds existing values', () => {
    expect(valueAt(document, 'a', 'b', 2, 'c')).toBe(true);
    expect(textAt(document, 'a', 't')).toBe('text');
    expect(flagAt(document, 'a', 'b', 2, 'c')).toBe(true);
    expect(numberAt(document, 'a', 'n')).toBe(12);
    expect(textsAt(document, 'a', 'b')).toEqual(['x']);
    expect(objectAt(document)).toBe(document);
  });

  it('treats missing, inherited and differently typed values as absent', () => {
    expect(valueAt(document, 'a', 'b', 'length')).toBeUndefined();
    expect(valueAt(document, 'constructor')).toBeUndefined();
    expect(valueAt(document, 'a', 't', 'x')).toBeUndefined();
    expect(valueAt(undefined, 'a')).toBeUndefined();
    expect(textAt(document, 'a', 'n')).toBe('');
    expect(listAt(document, 'a')).toEqual([]);
    expect(objectAt(document, 'a', 'b')).toBeUndefined();
    expect(numberAt(document, 'a', 't')).toBeUndefined();
  });
});
