import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sealedHeaderLength, sealedMarker } from '../../sealed-text.ts';
import { sealedBytes, sealedText } from './value-bytes.ts';

const header = 'h'.repeat(sealedHeaderLength);
const sealed = (body: Uint8Array) => sealedMarker + header + Buffer.from(body).toString('base64');

describe('the bytes of encrypted values in etcd', () => {
  it('an encrypted value is stored in as many bytes as it has, and read back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom('', '\u0001', '\u007f'), (body, index) => {
        const bytes = sealedBytes(index + sealed(body));
        expect(bytes?.length).toBe(index.length + 1 + sealedHeaderLength + body.length);
        expect(sealedText(bytes as Buffer)).toBe(index + sealed(body));
      }),
    );
  });

  it('every other value stays UTF-8, even if it looks like an encrypted one', () => {
    for (const value of [
      '',
      '{}',
      'ÿ',
      sealedMarker,
      `${sealedMarker}${header}`,
      `${sealedMarker}${header}a-_b`,
      `${sealedMarker}${header}AAA`,
      `ab${sealed(new Uint8Array(3))}`,
      'ÿ€',
      `${sealedMarker}€`,
    ])
      expect(sealedBytes(value) === undefined || sealedText(sealedBytes(value) as Buffer) === value, value).toBe(true);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const bytes = sealedBytes(value);
        if (bytes !== undefined) expect(sealedText(bytes)).toBe(value);
        expect(sealedText(Buffer.from(value, 'utf8'))).toBeUndefined();
      }),
    );
  });
});
