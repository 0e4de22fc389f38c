/** Decodes LevelDB's encodings sequentially. Throws RangeError if the bytes end too early. */
export class LevelBytes {
  readonly bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get atEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  /** A varint: seven bits per byte, lowest first. Exact up to 2^53. */
  varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.bytes.readUInt8(this.at++);
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  /** A little-endian number of one to four bytes. */
  number(length: number): number {
    const from = this.skip(length);
    return length === 1 ? this.bytes.readUInt8(from) : this.bytes.readUIntLE(from, length);
  }

  take(length: number): Buffer {
    const from = this.skip(length);
    return this.bytes.subarray(from, from + length);
  }

  /** Skips bytes and returns the offset of the first one. */
  skip(length: number): number {
    if (length > this.bytes.length - this.at) throw new RangeError('the bytes end too early');
    const from = this.at;
    this.at += length;
    return from;
  }
}
