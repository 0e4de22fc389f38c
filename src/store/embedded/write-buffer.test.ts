import { describe, expect, it } from 'vitest';
import { diskReserveBytes, writeBufferBytes } from './write-buffer.ts';

const mebibytes = (count: number) => count * 1024 * 1024;

describe('the write buffer', () => {
  it('is smaller on a small disk', () => {
    expect(writeBufferBytes(mebibytes(1023))).toBe(mebibytes(4));
    expect(writeBufferBytes(mebibytes(1024))).toBe(mebibytes(16));
  });

  it('fits twice into the reserve, with space for merging, on every disk that is not tiny', () => {
    for (const size of [64, 100, 1023, 1024, 100_000]) {
      expect(diskReserveBytes(mebibytes(size))).toBe(2 * writeBufferBytes(mebibytes(size)) + mebibytes(8));
    }
  });

  it('has a reserve of a quarter of a tiny disk', () => {
    expect(diskReserveBytes(mebibytes(40))).toBe(mebibytes(10));
  });
});
