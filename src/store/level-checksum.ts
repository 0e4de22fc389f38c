/** Turned and shifted as LevelDB keeps it, so that a checksum of bytes that hold checksums is not a weak one. */
export function levelChecksum(bytes: Buffer, from: number, to: number): number {
  const crc = crc32c(bytes, from, to);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

/** Bytes taken in one step, each with a table of its own. A start reads the whole store with it. */
const stride = 8;

/** CRC-32C, which Node does not have. */
function crc32c(bytes: Buffer, from: number, to: number): number {
  tables ??= makeTables();
  const [t0, t1, t2, t3, t4, t5, t6, t7] = tables as Tables;
  let crc = -1;
  let at = from;
  for (const end = to - stride; at <= end; at += stride) {
    crc ^= byte(bytes, at) | (byte(bytes, at + 1) << 8) | (byte(bytes, at + 2) << 16) | (byte(bytes, at + 3) << 24);
    crc =
      entry(t7, crc & 0xff) ^
      entry(t6, (crc >>> 8) & 0xff) ^
      entry(t5, (crc >>> 16) & 0xff) ^
      entry(t4, crc >>> 24) ^
      entry(t3, byte(bytes, at + 4)) ^
      entry(t2, byte(bytes, at + 5)) ^
      entry(t1, byte(bytes, at + 6)) ^
      entry(t0, byte(bytes, at + 7));
  }
  for (; at < to; at++) crc = entry(t0, (crc ^ byte(bytes, at)) & 0xff) ^ (crc >>> 8);
  return ~crc;
}

function byte(bytes: Buffer, at: number): number {
  return bytes[at] as number;
}

function entry(table: Int32Array, at: number): number {
  return table[at] as number;
}

type Tables = readonly [Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array];

let tables: Tables | undefined;

/** The first is the usual one; each other says what a byte is that many places before the last of a step. */
function makeTables(): Tables {
  const polynomial = 0x82f63b78;
  const first = Int32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
    return value;
  });
  const after = (table: Int32Array) => table.map((value) => entry(first, value & 0xff) ^ (value >>> 8));
  const second = after(first);
  const third = after(second);
  const fourth = after(third);
  const fifth = after(fourth);
  const sixth = after(fifth);
  const seventh = after(sixth);
  return [first, second, third, fourth, fifth, sixth, seventh, after(seventh)];
}
