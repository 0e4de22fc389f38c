import { describe, expect, it } from 'vitest';
import { diskReserveBytes, writeBufferBytes } from './write-buffer.ts';

const mebibytes = (count: number) => count * 1024 * 1024;

describe('the write buffer', () => {
  it('is smaller on a small disk', () => {
    expect(writeBufferBytes(mebibytes(300))).toBe(mebibytes(2));
    expect(writeBufferBytes(mebibytes(1024))).toBe(mebibytes(4));
    expect(writeBufferBytes(mebibytes(100_000))).toBe(mebibytes(16));
  });

  it('fits fourteen times into the reserve, with space for merging, on every disk that is not small', () => {
    for (const size of [400, 1024, 1100, 100_000]) {
      expect(diskReserveBytes(mebibytes(size))).toBe(14 * writeBufferBytes(mebibytes(size)) + mebibytes(64));
    }
  });

  it('fits twice into half of the reserve, which no write may use', () => {
    for (const size of [64, 300, 1024, 4096, 100_000]) {
      expect(diskReserveBytes(mebibytes(size)) / 2).toBeGreaterThanOrEqual(2 * writeBufferBytes(mebibytes(size)));
    }
  });

  it('has a reserve of a quarter of a small disk', () => {
    expect(diskReserveBytes(mebibytes(300))).toBe(mebibytes(75));
  });
});
