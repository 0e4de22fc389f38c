import { levelChecksum } from './level-checksum.ts';

const blockSize = 32 * 1024;
/** Checksum (4 bytes), length (2), type (1). */
const headerSize = 7;
const fullRecord = 1;
const firstFragment = 2;
const lastFragment = 4;

/** A fragment of a record of a log. */
interface Fragment {
  readonly type: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Looks for damage in a log of LevelDB, which itself drops what it cannot read there without a word, and with it writes
 * that were acknowledged. Gives the offset of the first damaged record.
 *
 * A log may end in anything: that is the batch that was being written when the machine stopped, and nobody was told it
 * was done. But the store begins a batch only when the one before is safe; so where something unreadable is followed by
 * the beginning of a batch, what is unreadable had been safe.
 */
export function findLogDamage(log: Buffer): number | undefined {
  let unreadable: number | undefined;
  for (let block = 0; block < log.length; block += blockSize) {
    const end = Math.min(block + blockSize, log.length);
    for (let at = block; at + headerSize <= end; ) {
      const fragment = fragmentAt(log, at, end);
      if (fragment === undefined) {
        // Its length cannot be trusted either: the next record may begin anywhere.
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

/** The whole records of a log that has no damage; one that is not whole is the last and is left out. */
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
