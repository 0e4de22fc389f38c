const mebibyte = 1024 * 1024;

const defaultBuffer = 16 * mebibyte;
const smallBuffer = 4 * mebibyte;
const smallDisk = 1024 * mebibyte;
/** The number of bytes that LevelDB needs to merge tables. */
const mergeBytes = 8 * mebibyte;
/** The maximum share of the disk that is reserved. It limits the reserve on very small disks. */
const maxReserveShare = 1 / 4;

/**
 * Returns the size of LevelDB's write buffer: the number of bytes that it collects in memory and in its log before it
 * writes a table. A large buffer is faster, because it leads to fewer tables: writes wait while a table is written, and
 * tables must be merged later. On a small disk the buffer must be small, because reopening after a failure converts up
 * to two logs of this size to tables, which needs free space.
 */
export function writeBufferBytes(diskBytes: number): number {
  return diskBytes < smallDisk ? smallBuffer : defaultBuffer;
}

/** Returns the number of bytes that must stay free on a disk of the given size. */
export function diskReserveBytes(diskBytes: number): number {
  return Math.floor(Math.min(2 * writeBufferBytes(diskBytes) + mergeBytes, diskBytes * maxReserveShare));
}
