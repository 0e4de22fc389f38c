import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareEncodedKeys, decodeKey, encodeKey, encodeRange, isKeyInRange, sortedKeyDecoder } from './key.ts';

const segment = fc.oneof(
  fc.constantFrom('', 'a', 'ab', 'a/b', 'a\u0001', '\u0001', '\uffff', '𝄞'),
  fc.string({ unit: 'grapheme', maxLength: 4 }).filter((text) => !text.includes('\u0000')),
);
const someKey = fc.record({ slice: segment, segments: fc.array(segment, { minLength: 1, maxLength: 4 }) });
const someRange = fc.record({ slice: segment, prefix: fc.array(segment, { maxLength: 3 }) });

const bytes = (text: string) => Buffer.from(text);

describe('encoded keys', () => {
  it('decode to the original key', () => {
    const property = fc.property(someKey, (key) => {
      expect(decodeKey(encodeKey(key))).toEqual(key);
    });
    fc.assert(property);
  });

  it('decode one after the other, in any order', () => {
    const near = fc.array(
      fc.record({ slice: fc.constantFrom('', 's'), segments: fc.array(segment, { minLength: 1 }) }),
    );
    const property = fc.property(near, fc.boolean(), (keys, sorted) => {
      const texts = keys.map(encodeKey);
      if (sorted) texts.sort(compareEncodedKeys);
      const keyOf = sortedKeyDecoder();
      expect(texts.map(keyOf)).toEqual(texts.map(decodeKey));
    });
    fc.assert(property);
  });

  it('are within an encoded range exactly if the key is in the range', () => {
    const property = fc.property(someKey, someRange, (key, range) => {
      const { from, to } = encodeRange(range);
      const text = bytes(encodeKey(key));
      expect(text.compare(bytes(from)) >= 0 && text.compare(bytes(to)) < 0).toBe(isKeyInRange(range, key));
      expect(encodeKey(key).startsWith(from)).toBe(isKeyInRange(range, key));
    });
    fc.assert(property, { numRuns: 2000 });
  });

  it('compare like their bytes', () => {
    const property = fc.property(segment, segment, (a, b) => {
      expect(Math.sign(compareEncodedKeys(a, b))).toBe(bytes(a).compare(bytes(b)));
    });
    fc.assert(property, { numRuns: 2000 });
  });
});
