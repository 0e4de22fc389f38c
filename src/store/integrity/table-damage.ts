import { LevelByteReader } from './level-byte-reader.ts';
import { levelChecksum } from './level-checksum.ts';
import { decompressSnappy } from './snappy.ts';

/** The offset and size of a block in a table file, without its trailer. */
interface Block {
  readonly offset: number;
  readonly size: number;
}

/** The number of bytes after each block: its compression type (1) and its checksum (4). */
const trailerSize = 5;
const snappyCompression = 1;
/** The number of bytes at the end of a table: the handles of two blocks, padding, and an eight-byte magic number. */
const footerSize = 48;
const magic = 0xdb4775248b80fb57n;

/**
 * Returns the offset of the first damage in a LevelDB table; `undefined` if there is none. LevelDB does not verify
 * checksums when it reads tables. LevelDB would return changed values, and damaged keys, filters or indexes would hide
 * rows.
 */
export function findTableDamage(table: Buffer): number | undefined {
  const footer = table.length - footerSize;
  if (footer < 0 || table.readBigUInt64LE(table.length - 8) !== magic) return Math.max(footer, 0);
  const handles = undefinedOnRangeError(() => {
    const bytes = new LevelByteReader(table.subarray(footer));
    return { metaIndex: readBlockHandle(bytes), index: readBlockHandle(bytes) };
  });
  if (handles === undefined) return footer;
  const listed: Block[] = [];
  for (const list of [handles.metaIndex, handles.index]) {
    const blocks = isIntact(table, list, footer) ? undefinedOnRangeError(() => listedBlocks(table, list)) : undefined;
    if (blocks === undefined) return Math.min(list.offset, footer);
    listed.push(...blocks, list);
  }
  // Every byte before the footer must belong to a block. A gap between two blocks is damage.
  let end = 0;
  for (const block of listed.sort((a, b) => a.offset - b.offset)) {
    if (block.offset !== end || !isIntact(table, block, footer)) return end;
    end += block.size + trailerSize;
  }
  return end === footer ? undefined : end;
}

function isIntact(table: Buffer, { offset, size }: Block, limit: number): boolean {
  const end = offset + size;
  if (end + trailerSize > limit) return false;
  return table.readUInt32LE(end + 1) === levelChecksum(table, offset, end + 1);
}

/** Returns the blocks that an index block lists. The values in an index block are the handles of these blocks. */
function listedBlocks(table: Buffer, { offset, size }: Block): Block[] {
  const stored = table.subarray(offset, offset + size);
  const block = table.readUInt8(offset + size) === snappyCompression ? decompressSnappy(stored) : stored;
  const restarts = block.readUInt32LE(block.length - 4);
  const entries = new LevelByteReader(block.subarray(0, block.length - 4 * (restarts + 1)));
  const blocks: Block[] = [];
  while (!entries.atEnd) {
    entries.varint();
    const keyLength = entries.varint();
    const valueLength = entries.varint();
    entries.skip(keyLength);
    const end = entries.skip(valueLength) + valueLength;
    entries.offset = end - valueLength;
    blocks.push(readBlockHandle(entries));
    if (entries.offset > end) throw new RangeError('a block handle is longer than its value');
    entries.offset = end;
  }
  return blocks;
}

function readBlockHandle(bytes: LevelByteReader): Block {
  return { offset: bytes.varint(), size: bytes.varint() };
}

function undefinedOnRangeError<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
