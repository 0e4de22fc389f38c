import { LevelBytes } from './level-bytes.ts';
import { levelChecksum } from './level-checksum.ts';
import { unpackSnappy } from './snappy.ts';

/** Where a block lies, without its trailer. */
interface Block {
  readonly offset: number;
  readonly size: number;
}

/** How a block is packed (1 byte) and its checksum (4). */
const trailerSize = 5;
const packedWithSnappy = 1;
/** Two blocks by their places, padded, and eight bytes that tell a table from other files. */
const footerSize = 48;
const magic = 0xdb4775248b80fb57n;

/**
 * Looks for damage in a table of LevelDB, which itself reads tables without looking at their checksums: changed values
 * would be served, and changed keys, filters and indexes would hide rows. Gives the offset of what is damaged.
 */
export function findTableDamage(table: Buffer): number | undefined {
  const footer = table.length - footerSize;
  if (footer < 0 || table.readBigUInt64LE(table.length - 8) !== magic) return Math.max(footer, 0);
  const places = tryTo(() => {
    const bytes = new LevelBytes(table.subarray(footer));
    return { metaIndex: readPlace(bytes), index: readPlace(bytes) };
  });
  if (places === undefined) return footer;
  const listed: Block[] = [];
  for (const list of [places.metaIndex, places.index]) {
    const blocks = isWhole(table, list, footer) ? tryTo(() => listedBlocks(table, list)) : undefined;
    if (blocks === undefined) return Math.min(list.offset, footer);
    listed.push(...blocks, list);
  }
  // All bytes before the footer belong to some block: what lies between two of them could be anything.
  let end = 0;
  for (const block of listed.sort((a, b) => a.offset - b.offset)) {
    if (block.offset !== end || !isWhole(table, block, footer)) return end;
    end += block.size + trailerSize;
  }
  return end === footer ? undefined : end;
}

function isWhole(table: Buffer, { offset, size }: Block, limit: number): boolean {
  const end = offset + size;
  if (end + trailerSize > limit) return false;
  return table.readUInt32LE(end + 1) === levelChecksum(table, offset, end + 1);
}

/** The values of a block are the places of others. */
function listedBlocks(table: Buffer, { offset, size }: Block): Block[] {
  const stored = table.subarray(offset, offset + size);
  const block = table.readUInt8(offset + size) === packedWithSnappy ? unpackSnappy(stored) : stored;
  const restarts = block.readUInt32LE(block.length - 4);
  const entries = new LevelBytes(block.subarray(0, block.length - 4 * (restarts + 1)));
  const blocks: Block[] = [];
  while (!entries.atEnd) {
    entries.varint();
    const keyLength = entries.varint();
    const valueLength = entries.varint();
    entries.skip(keyLength);
    const end = entries.skip(valueLength) + valueLength;
    entries.at = end - valueLength;
    blocks.push(readPlace(entries));
    if (entries.at > end) throw new RangeError('a place is longer than its value');
    entries.at = end;
  }
  return blocks;
}

function readPlace(bytes: LevelBytes): Block {
  return { offset: bytes.varint(), size: bytes.varint() };
}

function tryTo<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
