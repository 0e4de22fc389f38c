import { crc32 } from 'node:zlib';

const digits = 8;

/**
 * A row carries its own checksum, over its key too. That of the file it lies in is looked at when the store is opened
 * and lost when LevelDB merges files; this one holds from the moment of writing to every read.
 */
export function withChecksum(row: string, content: string): string {
  return checksum(row, content) + content;
}

/**
 * The same for content that consists of several texts. They are put together once, by whoever writes the row: to do so
 * for the checksum too would copy every value another time.
 */
export function withChecksumOf(row: string, head: string, value: string, more = ''): string {
  const sum = crc32(value, crc32(row + head));
  if (more === '') return digitsOf(sum) + head + value;
  return digitsOf(crc32(more, sum)) + head + value + more;
}

/** What the row holds. Throws RowDamaged. */
export function checkedRow(row: string, stored: string): string {
  const content = stored.slice(digits);
  if (stored.slice(0, digits) !== checksum(row, content)) throw new RowDamaged(row);
  return content;
}

function checksum(row: string, content: string): string {
  return digitsOf(crc32(content, crc32(row)));
}

let pairs: readonly string[] | undefined;

/** By pairs of digits: of a number this large `toString(16)` takes ten times as long. */
function digitsOf(sum: number): string {
  pairs ??= Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
  return `${pairs[sum >>> 24]}${pairs[(sum >>> 16) & 0xff]}${pairs[(sum >>> 8) & 0xff]}${pairs[sum & 0xff]}`;
}

/** A row that this program cannot have written. */
export class RowDamaged extends Error {
  /** Absent: it is known which row only to those who asked for it. */
  constructor(row?: string) {
    const which = row === undefined ? 'a row' : `the row ${JSON.stringify(row.replaceAll('\u0000', '/'))}`;
    super(`${which} of the store is damaged`);
    this.name = 'RowDamaged';
  }
}
