import { levelChecksum } from './level-checksum.ts';

const blockSize = 32 * 1024;
/** The number of bytes of a record header: checksum (4), length (2), type (1). */
const headerSize = 7;
const fullRecord = 1;
const firstFragment = 2;
const lastFragment = 4;

/** A fragment of a log record: its type and the offsets of its data. */
interface Fragment {
  readonly type: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the offset of the first damaged record in a LevelDB log; `undefined` if there is none. LevelDB silently drops
 * records that it cannot read, including acknowledged writes.
 *
 * A log may end with an unfinished batch, which was being written when the machine stopped and was not acknowledged.
 * The store starts a batch only after the previous one is durable. Unreadable bytes are therefore damage if another
 * batch starts after them.
 */
export function findLogDamage(log: Buffer): number | undefined {
  return scanLog(log).damage;
}

/**
 * Returns the offset of an unreadable or incomplete record at the end of an undamaged log, which LevelDB drops;
 * `undefined` if there is none. Such a record is a write that a crash interrupted, or damage in the last write.
 */
export function findDroppedEnd(log: Buffer): number | undefined {
  return scanLog(log).dropped;
}

interface LogScan {
  readonly damage?: number;
  readonly dropped?: number | undefined;
}

function scanLog(log: Buffer): LogScan {
  let unreadable: number | undefined;
  let begun: number | undefined;
  for (let block = 0; block < log.length; block += blockSize) {
    const end = Math.min(block + blockSize, log.length);
    for (let at = block; at + headerSize <= end; ) {
      const fragment = fragmentAt(log, at, end);
      if (fragment === undefined) {
        // The length field of an unreadable record is not reliable, so the next record is searched for at every offset.
        unreadable ??= at;
        at++;
        continue;
      }
      const begins = fragment.type === fullRecord || fragment.type === firstFragment;
      if (unreadable !== undefined && begins) return { damage: unreadable };
      if (begins) begun = at;
      if (fragment.type === fullRecord || fragment.type === lastFragment) begun = undefined;
      at = fragment.to;
    }
  }
  return { dropped: begun ?? unreadable };
}

/** Returns the complete records of an undamaged log. An incomplete record at the end is omitted. */
export function logRecords(log: Buffer): Buffer[] {
  const records: Buffer[] = [];
  let fragments: Buffer[] = [];
  for (let block = 0; block < log.length; block += blockSize) {
    const end = Math.min(block + blockSize, log.length);
    for (let at = block; at + headerSize <= end; ) {
      const fragment = fragmentAt(log, at, end);
      if (fragment === undefined) return records;
      fragments.push(log.subarray(fragment.from, fragment.to));
      if (fragment.type === fullRecord || fragment.type === lastFragment) {
        records.push(Buffer.concat(fragments));
        fragments = [];
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
