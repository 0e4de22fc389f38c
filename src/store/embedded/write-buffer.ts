const mebibyte = 1024 * 1024;

const defaultBuffer = 16 * mebibyte;
const smallBuffer = 4 * mebibyte;
const smallDisk = 1024 * mebibyte;
/** Additional space for merging tables. */
const mergeBytes = 8 * mebibyte;
/** The largest share of a very small disk that the reserve may use. */
const maxReserveShare = 1 / 4;

/**
 * The number of bytes that LevelDB collects in memory and in its log before it writes a table. Writes wait while a new
 * table is flushed, and tables have to be merged, so fewer tables are better. But reopening after a failure turns up to
 * two logs of this size into tables, which needs free space, and a small disk has little.
 */
export function writeBufferBytes(diskBytes: number): number {
  return diskBytes < smallDisk ? smallBuffer : defaultBuffer;
}

/** The number of bytes of a disk of this size that are never filled. */
export function diskReserveBytes(diskBytes: number): number {
  return Math.floor(Math.min(2 * writeBufferBytes(diskBytes) + mergeBytes, diskBytes * maxReserveShare));
}
