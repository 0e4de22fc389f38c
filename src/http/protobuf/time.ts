import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { type DecodeLimits, skipUnknown } from './decode-limits.ts';

/**
 * Decodes a time message to an RFC 3339 text in UTC. Field 1 contains seconds, field 2 nanoseconds. The text has whole
 * seconds for `time` and microseconds for `microTime`. Returns `undefined` if the message is empty. Throws an Error if the
 * message has too many fields.
 */
export function readTime(type: 'time' | 'microTime', bytes: Uint8Array, limits: DecodeLimits): string | undefined {
  const reader = new BinaryReader(bytes);
  let seconds = 0;
  let nanoseconds = 0;
  let given = false;
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    limits.count(1);
    if (number === 1 && wireType === WireType.Varint) seconds = Number(reader.int64());
    else if (number === 2 && wireType === WireType.Varint) nanoseconds = reader.int32();
    else {
      skipUnknown(reader, number, wireType, limits);
      continue;
    }
    given = true;
  }
  if (!given) return undefined;
  const whole = new Date(seconds * 1000);
  if (Number.isNaN(whole.getTime()) || whole.getUTCFullYear() < 0 || whole.getUTCFullYear() > 9999) {
    throw new Error('time out of range');
  }
  const text = whole.toISOString().slice(0, 19);
  const fraction = type === 'time' ? '' : `.${String(Math.floor(nanoseconds / 1000)).padStart(6, '0')}`;
  return `${text}${fraction}Z`;
}

export function writeTime(text: string): Uint8Array {
  const milliseconds = Date.parse(text);
  if (Number.isNaN(milliseconds)) throw new TypeError('expected an RFC 3339 time');
  const fraction = /\.(\d{1,9})/.exec(text)?.[1] ?? '';
  return new BinaryWriter()
    .tag(1, WireType.Varint)
    .int64(Math.floor(milliseconds / 1000))
    .tag(2, WireType.Varint)
    .int32(Number(fraction.padEnd(9, '0')))
    .finish();
}
