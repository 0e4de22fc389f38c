import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { levelChecksum } from './level-checksum.ts';

/** The reference implementation, bit by bit. */
function slowly(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  const whole = ~crc >>> 0;
  return (((whole >>> 15) | (whole << 17)) + 0xa282ead8) >>> 0;
}

class OutOfMemory {
  constructor() {
    throw new RangeError('out of memory');
  }
}

describe('the LevelDB checksum', () => {
  it('is the masked CRC-32C of any byte range', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(20), fc.nat(20), (bytes, skipped, left) => {
        const from = Math.min(skipped, bytes.length);
        const to = Math.max(from, bytes.length - left);
        expect(levelChecksum(Buffer.from(bytes), from, to)).toBe(slowly(bytes.subarray(from, to)));
      }),
    );
  });

  it('is correct for ranges longer than the buffer', () => {
    const bytes = randomBytes(150_000);
    for (const [from, to] of [
      [0, 150_000],
      [3, 140_005],
      [70_000, 70_007],
      [1, 65_536],
      [5, 57_349],
    ] as const) {
      expect(levelChecksum(bytes, from, to)).toBe(slowly(bytes.subarray(from, to)));
    }
  });

  it.each([
    ['is not available', undefined],
    ['cannot allocate memory', { Memory: OutOfMemory }],
  ])('is the same if WebAssembly %s', async (_, present) => {
    vi.resetModules();
    vi.stubGlobal('WebAssembly', present);
    try {
      const { levelChecksum: without } = await import('./level-checksum.ts');
      const bytes = randomBytes(1000);
      expect(without(bytes, 5, 999)).toBe(levelChecksum(bytes, 5, 999));
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('matches the published check value for the digits one to nine', () => {
    const crc = 0xe3069283;
    const masked = (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
    expect(levelChecksum(Buffer.from('123456789'), 0, 9)).toBe(masked);
  });
});
