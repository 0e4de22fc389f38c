import { LevelBytes } from './level-bytes.ts';

/** Unpacks a block that LevelDB has packed. Throws RangeError if it is not one. */
export function unpackSnappy(packed: Buffer): Buffer {
  const input = new LevelBytes(packed);
  const output = Buffer.alloc(input.varint());
  let length = 0;
  while (!input.atEnd) {
    const tag = input.number(1);
    const rest = tag >> 2;
    switch (tag & 3) {
      case 0: {
        const count = 1 + (rest < 60 ? rest : input.number(rest - 59));
        const from = input.skip(count);
        assertRoom(count);
        length += packed.copy(output, length, from, from + count);
        break;
      }
      case 1:
        repeat(((tag >> 5) << 8) | input.number(1), 4 + (rest & 7));
        break;
      case 2:
        repeat(input.number(2), 1 + rest);
        break;
      default:
        repeat(input.number(4), 1 + rest);
    }
  }
  if (length !== output.length) throw new RangeError('the block is shorter than it says');
  return output;

  /** What is repeated may reach into what the repetition itself writes. At most 64 bytes. */
  function repeat(back: number, count: number): void {
    if (back === 0 || back > length) throw new RangeError('a repetition begins before the block');
    assertRoom(count);
    for (const end = length + count; length < end; length++) output[length] = output[length - back] as number;
  }

  function assertRoom(count: number): void {
    if (length + count > output.length) throw new RangeError('the block is longer than it says');
  }
}
