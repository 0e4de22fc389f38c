import { LevelBytes } from './level-bytes.ts';

/** Unpacks a block that LevelDB has packed. Throws RangeError if it is not one. */
export function unpackSnappy(packed: Buffer): Buffer {
  const input = new LevelBytes(packed);
  const output = Buffer.alloc(input.varint());
  let length = 0;
  const append = (bytes: Buffer) => {
    if (length + bytes.length > output.length) throw new RangeError('the block is longer than it says');
    length += bytes.copy(output, length);
  };
  while (!input.atEnd) {
    const tag = input.take(1).readUInt8();
    const rest = tag >> 2;
    switch (tag & 3) {
      case 0: {
        const extra = rest < 60 ? 0 : rest - 59;
        append(input.take(1 + (extra === 0 ? rest : input.take(extra).readUIntLE(0, extra))));
        break;
      }
      case 1:
        repeat(((tag >> 5) << 8) | input.take(1).readUInt8(), 4 + (rest & 7));
        break;
      case 2:
        repeat(input.take(2).readUInt16LE(), 1 + rest);
        break;
      default:
        repeat(input.take(4).readUInt32LE(), 1 + rest);
    }
  }
  if (length !== output.length) throw new RangeError('the block is shorter than it says');
  return output;

  /** What is repeated may reach into what the repetition itself writes. */
  function repeat(back: number, count: number): void {
    if (back === 0 || back > length) throw new RangeError('a repetition begins before the block');
    for (let done = 0; done < count; ) {
      const from = length - back;
      const piece = output.subarray(from, Math.min(length, from + count - done));
      append(piece);
      done += piece.length;
    }
  }
}
