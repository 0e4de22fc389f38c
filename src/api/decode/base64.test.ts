import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base64ByteLength, base64Fault, canonicalBase64, decodeBase64, encodeBase64 } from './base64.ts';

describe('base64', () => {
  /** The second element of each case is the position at which Go's decoder fails. */
  it.each([
    ['%%', 0],
    ['a', 0],
    ['ab', 0],
    ['abc', 0],
    ['abcde', 4],
    ['ab=', 3],
    ['ab==x', 4],
    ['ab=x', 2],
    ['a===', 1],
    ['=', 0],
    ['abc=\nx', 5],
    ['abcd\nab', 5],
    ['ab\n', 1],
  ])('%j is invalid at byte %d', (text, at) => {
    expect(base64Fault(text)).toBe(`illegal base64 data at input byte ${at}`);
  });

  it.each(['', 'abcd', 'ab==', 'abc=', 'ab\n==', 'ab==\n', '\r\nabcd', 'YR=='])('%j is valid', (text) => {
    expect(base64Fault(text)).toBeUndefined();
  });

  it('accepts the output of an encoder for any bytes, and computes their number', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(), (bytes, at) => {
        const text = Buffer.from(bytes).toString('base64');
        expect(base64Fault(text)).toBeUndefined();
        expect(base64ByteLength(text)).toBe(bytes.length);
        const place = at % (text.length + 1);
        const broken = `${text.slice(0, place)}\r\n${text.slice(place)}`;
        expect(base64Fault(broken)).toBeUndefined();
        expect(canonicalBase64(broken)).toBe(text);
      }),
    );
  });

  it('encodes and decodes any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20_000 }), (text) => {
        expect(encodeBase64(text)).toBe(Buffer.from(text).toString('base64'));
        expect(decodeBase64(encodeBase64(text))).toBe(new TextDecoder().decode(Buffer.from(text)));
      }),
      { numRuns: 30 },
    );
  });
});
