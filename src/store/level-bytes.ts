/** Reads LevelDB's own encodings from the beginning on. Throws RangeError where the bytes end too early. */
export class LevelBytes {
  readonly bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get atEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  /** Seven bits a byte, the lowest first. Exact up to 2^53. */
  varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.bytes.readUInt8(this.at++);
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  take(length: number): Buffer {
    if (length > this.bytes.length - this.at) throw new RangeError('the bytes end too early');
    const taken = this.bytes.subarray(this.at, this.at + length);
    this.at += length;
    return taken;
  }
}
