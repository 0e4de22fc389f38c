const mebibyte = 1024 * 1024;

const [minBuffer, maxBuffer] = [2 * mebibyte, 16 * mebibyte] as const;
/** The size of the buffer as a share of the disk, within the minimum and the maximum size. */
const bufferShare = 1 / 256;
/** LevelDB stops writes when it has this number of tables that are not merged, each as large as the write buffer. */
const maxUnmergedTables = 12;
/**
 * The number of bytes for the tables of the next level, which LevelDB merges with the unmerged tables, and for small
 * files. LevelDB limits a merge of older tables to 50 MiB.
 */
const mergeBytes = 64 * mebibyte;
/** The maximum share of the disk that is reserved. It limits the reserve on very small disks. */
const maxReserveShare = 1 / 4;

/**
 * Returns the size of LevelDB's write buffer: the number of bytes that it collects in memory and in its log before it
 * writes a table. A large buffer is faster, because it leads to fewer tables: writes wait while a table is written, and
 * tables must be merged later. On a small disk the buffer must be small, because the reserve grows with it.
 */
export function writeBufferBytes(diskBytes: number): number {
  return Math.floor(Math.min(Math.max(diskBytes * bufferShare, minBuffer), maxBuffer));
}

/**
 * Returns the number of bytes that must stay free on a disk of the given size. Opening a store converts up to two logs
 * to tables, each as large as the write buffer. A merge writes new tables before it removes the old ones.
 */
export function diskReserveBytes(diskBytes: number): number {
  const needed = (2 + maxUnmergedTables) * writeBufferBytes(diskBytes) + mergeBytes;
  return Math.floor(Math.min(needed, diskBytes * maxReserveShare));
}
