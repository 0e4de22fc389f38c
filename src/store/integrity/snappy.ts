import { LevelByteReader } from './level-byte-reader.ts';

/** Decompresses a Snappy block. Throws RangeError if the block is invalid. */
export function decompressSnappy(packed: Buffer): Buffer {
  const input = new LevelByteReader(packed);
  const output = Buffer.alloc(input.varint());
  let length = 0;
  while (!input.atEnd) {
    const tag = input.uint(1);
    const rest = tag >> 2;
    switch (tag & 3) {
      case 0: {
        const count = 1 + (rest < 60 ? rest : input.uint(rest - 59));
        const from = input.skip(count);
        assertFits(count);
        length += packed.copy(output, length, from, from + count);
        break;
      }
      case 1:
        repeat(((tag >> 5) << 8) | input.uint(1), 4 + (rest & 7));
        break;
      case 2:
        repeat(input.uint(2), 1 + rest);
        break;
      default:
        repeat(input.uint(4), 1 + rest);
    }
  }
  if (length !== output.length) throw new RangeError('the block is shorter than its declared length');
  return output;

  /**
   * Appends `count` bytes (at most 64) to the output. The bytes are copied from `back` bytes before the end of the
   * output. The source and the target may overlap.
   */
  function repeat(back: number, count: number): void {
    if (back === 0 || back > length) throw new RangeError('a back-reference points before the start of the block');
    assertFits(count);
    for (const end = length + count; length < end; length++) output[length] = output[length - back] as number;
  }

  function assertFits(count: number): void {
    if (length + count > output.length) throw new RangeError('the block is longer than its declared length');
  }
}
