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
 * The same for content that consists of two texts. They are put together once, by whoever writes the row: to do so
 * for the checksum too would copy every value another time.
 */
export function withChecksumOf(row: string, head: string, rest: string): string {
  return digitsOf(crc32(rest, crc32(head, crc32(row)))) + head + rest;
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

function digitsOf(sum: number): string {
  return sum.toString(16).padStart(digits, '0');
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
