const blockSize = 32 * 1024;
/** Checksum (4 bytes), length (2), type (1). */
const headerSize = 7;
const fullRecord = 1;
const firstFragment = 2;
const lastType = 4;

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
      const next = at + headerSize + log.readUInt16LE(at + 4);
      const type = log.readUInt8(at + 6);
      const readable =
        next <= end && type > 0 && type <= lastType && log.readUInt32LE(at) === checksum(log, at + 6, next);
      if (!readable) {
        // Its length cannot be trusted either: the next record may begin anywhere.
        unreadable ??= at;
        at++;
        continue;
      }
      if (unreadable !== undefined && (type === fullRecord || type === firstFragment)) return unreadable;
      at = next;
    }
  }
  return undefined;
}

/** CRC-32C, turned and shifted as LevelDB keeps it. */
function checksum(bytes: Buffer, from: number, to: number): number {
  crcTable ??= makeCrcTable();
  let crc = 0xffffffff;
  for (let index = from; index < to; index++) {
    crc = (crcTable[(crc ^ (bytes[index] ?? 0)) & 0xff] ?? 0) ^ (crc >>> 8);
  }
  crc = ~crc;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

let crcTable: Uint32Array | undefined;

function makeCrcTable(): Uint32Array {
  const polynomial = 0x82f63b78;
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
    return value;
  });
}
