import { crc32 } from 'node:zlib';

const digits = 8;

/**
 * Prepends a checksum of the key and the content of a row. Every read verifies the checksum, so damage at any time
 * after the write is detected. The checksums of LevelDB are not sufficient: they are verified only when the store is
 * opened, and they are computed again when LevelDB merges files.
 */
export function withChecksum(row: string, content: string): string {
  return checksum(row, content) + content;
}

/**
 * Adds a checksum like `withChecksum`, for content in several parts. The parts are concatenated only once, together
 * with the checksum, so long values are not copied twice.
 */
export function withChecksumOfParts(row: string, head: string, value: string, more = ''): string {
  const sum = crc32(value, crc32(row + head));
  if (more === '') return digitsOf(sum) + head + value;
  return digitsOf(crc32(more, sum)) + head + value + more;
}

/** Verifies the checksum of a stored row and returns its content. Throws RowDamagedError. */
export function verifyRow(row: string, stored: string): string {
  const content = stored.slice(digits);
  if (stored.slice(0, digits) !== checksum(row, content)) throw new RowDamagedError(row);
  return content;
}

function checksum(row: string, content: string): string {
  return digitsOf(crc32(content, crc32(row)));
}

let pairs: readonly string[] | undefined;

/** Formats a checksum as eight hex digits. `toString(16)` would take ten times as long for numbers of this size. */
function digitsOf(sum: number): string {
  pairs ??= Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
  return `${pairs[sum >>> 24]}${pairs[(sum >>> 16) & 0xff]}${pairs[(sum >>> 8) & 0xff]}${pairs[sum & 0xff]}`;
}

/** Thrown for a row that does not have the form in which the store writes it. */
export class RowDamagedError extends Error {
  /** `row` is the key of the row. Absent if the function that detects the damage does not know the key. */
  constructor(row?: string) {
    const which = row === undefined ? 'a row' : `the row ${JSON.stringify(row.replaceAll('\u0000', '/'))}`;
    super(`${which} is damaged`);
    this.name = 'RowDamaged';
  }
}
