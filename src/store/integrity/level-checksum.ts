import { type Crc32cLoop, crc32cLoop } from './crc32c-loop.ts';

/**
 * Returns the CRC-32C as LevelDB stores it: rotated and with an offset, because a CRC of data that contains CRCs is
 * weak.
 */
export function levelChecksum(bytes: Buffer, from: number, to: number): number {
  const crc = crc32c(bytes, from, to);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

/** The number of bytes per step. Each byte of a step has its own lookup table. */
const stride = 8;

interface Implementation {
  readonly table: Int32Array;
  readonly loop: Crc32cLoop | undefined;
}

let implementation: Implementation | undefined;

function crc32c(bytes: Buffer, from: number, to: number): number {
  implementation ??= createImplementation();
  const { table, loop } = implementation;
  let crc = -1;
  let at = from;
  while (loop !== undefined && to - at >= stride) {
    const length = Math.min(to - at, loop.bytes.length) & -stride;
    bytes.copy(loop.bytes, 0, at, at + length);
    crc = loop.update(crc, length);
    at += length;
  }
  for (; at < to; at++) crc = entry(table, (crc ^ (bytes[at] as number)) & 0xff) ^ (crc >>> 8);
  return ~crc;
}

function entry(table: Int32Array, at: number): number {
  return table[at] as number;
}

function createImplementation(): Implementation {
  const polynomial = 0x82f63b78;
  const table = Int32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
    return value;
  });
  const tables = [table];
  for (let last = table; tables.length < stride; tables.push(last)) {
    last = last.map((value) => entry(table, value & 0xff) ^ (value >>> 8));
  }
  return { table, loop: crc32cLoop(tables) };
}
