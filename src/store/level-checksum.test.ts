import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { levelChecksum } from './level-checksum.ts';

/** By the definition, bit by bit. */
function slowly(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  const whole = ~crc >>> 0;
  return (((whole >>> 15) | (whole << 17)) + 0xa282ead8) >>> 0;
}

describe('the checksum of LevelDB', () => {
  it('is the masked CRC-32C of any part of any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(20), fc.nat(20), (bytes, skipped, left) => {
        const from = Math.min(skipped, bytes.length);
        const to = Math.max(from, bytes.length - left);
        expect(levelChecksum(Buffer.from(bytes), from, to)).toBe(slowly(bytes.subarray(from, to)));
      }),
    );
  });

  it('is what everybody has for the digits one to nine', () => {
    const crc = 0xe3069283;
    const masked = (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
    expect(levelChecksum(Buffer.from('123456789'), 0, 9)).toBe(masked);
  });
});
