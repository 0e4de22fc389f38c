const mebibyte = 1024 * 1024;

const usualBuffer = 16 * mebibyte;
const smallBuffer = 4 * mebibyte;
const smallDisk = 1024 * mebibyte;
/** What merging tables may need beside the rest. */
const elbowRoom = 8 * mebibyte;
/** Of a very small disk the reserve must not eat the most. */
const largestShare = 1 / 4;

/**
 * How much LevelDB gathers in memory, and in its log, before it makes a table of it. A new table has the writes beside it
 * wait for the disk, and tables have to be merged: the rarer, the better. But opening it anew after a fault turns up to
 * two such logs into tables, for which there must be room: a small disk has little to spare.
 */
export function writeBufferOn(diskBytes: number): number {
  return diskBytes < smallDisk ? smallBuffer : usualBuffer;
}

/** Bytes of such a disk that are never filled. */
export function reserveOn(diskBytes: number): number {
  return Math.floor(Math.min(2 * writeBufferOn(diskBytes) + elbowRoom, diskBytes * largestShare));
}
