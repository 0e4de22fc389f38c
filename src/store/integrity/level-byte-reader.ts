/** Reads numbers and bytes in the encodings of LevelDB. Throws RangeError if the bytes end too early. */
export class LevelByteReader {
  readonly bytes: Buffer;
  offset = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get atEnd(): boolean {
    return this.offset >= this.bytes.length;
  }

  /** Reads a varint: seven bits per byte, lowest bits first. The result is exact up to 2^53. */
  varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.bytes.readUInt8(this.offset++);
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  /** Reads a little-endian number of one to four bytes. */
  uint(length: number): number {
    const from = this.skip(length);
    return length === 1 ? this.bytes.readUInt8(from) : this.bytes.readUIntLE(from, length);
  }

  take(length: number): Buffer {
    const from = this.skip(length);
    return this.bytes.subarray(from, from + length);
  }

  /** Skips bytes and returns the offset of the first skipped byte. */
  skip(length: number): number {
    if (length > this.bytes.length - this.offset) throw new RangeError('the bytes end too early');
    const from = this.offset;
    this.offset += length;
    return from;
  }
}
