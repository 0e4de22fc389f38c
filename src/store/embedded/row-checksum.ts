import { crc32 } from 'node:zlib';

const digits = 8;

/**
 * Adds a checksum over the key and the content of a row. LevelDB's file checksums are verified when the store is opened
 * and recomputed when LevelDB merges files; this one covers the row from its write to every read.
 */
export function withChecksum(row: string, content: string): string {
  return checksum(row, content) + content;
}

/**
 * Like `withChecksum`, for content in several parts. The parts are concatenated only once, together with the checksum;
 * concatenating them for the checksum too would copy every value twice.
 */
export function withChecksumOfParts(row: string, head: string, value: string, more = ''): string {
  const sum = crc32(value, crc32(row + head));
  if (more === '') return digitsOf(sum) + head + value;
  return digitsOf(crc32(more, sum)) + head + value + more;
}

/** Returns the content of the row. Throws RowDamagedError. */
export function verifyRow(row: string, stored: string): string {
  const content = stored.slice(digits);
  if (stored.slice(0, digits) !== checksum(row, content)) throw new RowDamagedError(row);
  return content;
}

function checksum(row: string, content: string): string {
  return digitsOf(crc32(content, crc32(row)));
}

let pairs: readonly string[] | undefined;

/** Formats by pairs of hex digits: `toString(16)` takes ten times as long for a number of this size. */
function digitsOf(sum: number): string {
  pairs ??= Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
  return `${pairs[sum >>> 24]}${pairs[(sum >>> 16) & 0xff]}${pairs[(sum >>> 8) & 0xff]}${pairs[sum & 0xff]}`;
}

/** Reports a row that this program cannot have written. */
export class RowDamagedError extends Error {
  /** `row` is absent where only the caller knows which row it is. */
  constructor(row?: string) {
    const which = row === undefined ? 'a row' : `the row ${JSON.stringify(row.replaceAll('\u0000', '/'))}`;
    super(`${which} is damaged`);
    this.name = 'RowDamaged';
  }
}
