/** Turned and shifted as LevelDB keeps it, so that a checksum of bytes that hold checksums is not a weak one. */
export function levelChecksum(bytes: Buffer, from: number, to: number): number {
  const crc = crc32c(bytes, from, to);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

/** CRC-32C, which Node does not have. */
function crc32c(bytes: Buffer, from: number, to: number): number {
  table ??= makeTable();
  let crc = -1;
  for (let index = from; index < to; index++) {
    crc = (table[(crc ^ (bytes[index] ?? 0)) & 0xff] ?? 0) ^ (crc >>> 8);
  }
  return ~crc;
}

let table: Int32Array | undefined;

function makeTable(): Int32Array {
  const polynomial = 0x82f63b78;
  return Int32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
    return value;
  });
}
