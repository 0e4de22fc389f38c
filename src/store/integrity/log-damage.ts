import { levelChecksum } from './level-checksum.ts';

const blockSize = 32 * 1024;
/** Checksum (4 bytes), length (2), type (1). */
const headerSize = 7;
const fullRecord = 1;
const firstFragment = 2;
const lastFragment = 4;

/** A fragment of a log record. */
interface Fragment {
  readonly type: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the offset of the first damaged record in a LevelDB log, if any. LevelDB silently drops records that it
 * cannot read, including acknowledged writes.
 *
 * A log may end in arbitrary bytes: the batch that was being written when the machine stopped, which was not
 * acknowledged. But the store begins a batch only after the previous one is durable. If an unreadable part is followed
 * by the beginning of a batch, that part was durable before, and is damaged now.
 */
export function findLogDamage(log: Buffer): number | undefined {
  let unreadable: number | undefined;
  for (let block = 0; block < log.length; block += blockSize) {
    const end = Math.min(block + blockSize, log.length);
    for (let at = block; at + headerSize <= end; ) {
      const fragment = fragmentAt(log, at, end);
      if (fragment === undefined) {
        // The length of an unreadable record is not reliable either: the next record may begin anywhere.
        unreadable ??= at;
        at++;
        continue;
      }
      const begins = fragment.type === fullRecord || fragment.type === firstFragment;
      if (unreadable !== undefined && begins) return unreadable;
      at = fragment.to;
    }
  }
  return undefined;
}

/** Returns the complete records of an undamaged log. Only the last record can be incomplete; it is left out. */
export function logRecords(log: Buffer): Buffer[] {
  const records: Buffer[] = [];
  let pieces: Buffer[] = [];
  for (let block = 0; block < log.length; block += blockSize) {
    const end = Math.min(block + blockSize, log.length);
    for (let at = block; at + headerSize <= end; ) {
      const fragment = fragmentAt(log, at, end);
      if (fragment === undefined) return records;
      pieces.push(log.subarray(fragment.from, fragment.to));
      if (fragment.type === fullRecord || fragment.type === lastFragment) {
        records.push(Buffer.concat(pieces));
        pieces = [];
      }
      at = fragment.to;
    }
  }
  return records;
}

function fragmentAt(log: Buffer, at: number, end: number): Fragment | undefined {
  const from = at + headerSize;
  const to = from + log.readUInt16LE(at + 4);
  const type = log.readUInt8(at + 6);
  if (to > end || type === 0 || type > lastFragment) return undefined;
  return log.readUInt32LE(at) === levelChecksum(log, at + 6, to) ? { type, from, to } : undefined;
}
