import { BinaryReader, type BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { type JsonValue, parseJson, writeJson } from '@flotilla/json';
import type { GoScalarType } from '../../api/structs/go-struct.ts';
import type { DecodeLimits } from './decode-limits.ts';
import { readTime, writeTime } from './time.ts';

/**
 * Decodes a scalar. Returns `undefined` for a zero time, which JSON cannot express. Throws if the bytes are invalid or
 * contain too many values.
 */
export function readScalar(type: GoScalarType, reader: BinaryReader, limits: DecodeLimits): JsonValue | undefined {
  limits.count(1);
  switch (type) {
    case 'string':
      return reader.string(true);
    case 'bool':
      return reader.bool();
    case 'int32':
      return reader.int32();
    case 'int64':
      return exactInteger(BigInt(reader.int64()));
    case 'double':
      return finite(reader.double());
    case 'time':
    case 'microTime':
      return readTime(type, reader.bytes());
    case 'bytes':
      return Buffer.from(reader.bytes()).toString('base64');
    case 'quantity':
      return wrappedStrings(reader.bytes(), limits).at(-1) ?? '0';
    case 'strings':
      return wrappedStrings(reader.bytes(), limits);
    default:
      return readJson(wrappedStrings(reader.bytes(), limits).at(-1) ?? (type === 'json' ? 'null' : '{}'), limits);
  }
}

/** Encodes a scalar. Throws TypeError if the value has the wrong type, which would be a bug in this server. */
export function writeScalar(writer: BinaryWriter, type: GoScalarType, single: JsonValue): void {
  switch (type) {
    case 'string':
      writer.string(expectType(single, 'string'));
      break;
    case 'bool':
      writer.bool(expectType(single, 'boolean'));
      break;
    case 'int32':
      writer.int32(Number(single));
      break;
    case 'int64':
      writer.int64(typeof single === 'bigint' ? single : expectType(single, 'number'));
      break;
    case 'double':
      writer.double(Number(single));
      break;
    case 'time':
    case 'microTime':
      writer.bytes(writeTime(expectType(single, 'string')));
      break;
    case 'bytes':
      writer.bytes(Buffer.from(expectType(single, 'string'), 'base64'));
      break;
    case 'quantity':
      wrapStrings(writer, [typeof single === 'string' ? single : String(single)]);
      break;
    case 'strings':
      if (!Array.isArray(single)) throw new TypeError('expected a list');
      wrapStrings(writer, single);
      break;
    default:
      wrapStrings(writer, single === null ? [] : [writeJson(single, { sorted: false })]);
  }
}

/** Parses JSON inside a message. Its values count like those of the message. */
function readJson(text: string, limits: DecodeLimits): JsonValue {
  // Each value follows one of these characters, except the first.
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x2c || code === 0x5b || code === 0x7b) limits.count(1);
  }
  return parseJson(text).value;
}

/** Decodes a message that has only one field: repeated strings with field number 1. */
function wrappedStrings(bytes: Uint8Array, limits: DecodeLimits): string[] {
  const reader = new BinaryReader(bytes);
  const strings: string[] = [];
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    limits.count(1);
    if (number === 1 && wireType === WireType.LengthDelimited) strings.push(reader.string(true));
    else reader.skip(wireType, number);
  }
  return strings;
}

function wrapStrings(writer: BinaryWriter, strings: readonly JsonValue[]): void {
  writer.fork();
  for (const text of strings) writer.tag(1, WireType.LengthDelimited).string(expectType(text, 'string'));
  writer.join();
}

function exactInteger(integer: bigint): number | bigint {
  const rounded = Number(integer);
  return Number.isSafeInteger(rounded) ? rounded : integer;
}

/** Throws if the number is infinite or NaN, which JSON cannot express. */
function finite(number: number): number {
  if (!Number.isFinite(number)) throw new Error('number is not finite');
  return number;
}

type Named = { string: string; boolean: boolean; number: number };

function expectType<T extends keyof Named>(member: JsonValue, type: T): Named[T] {
  if (typeof member !== type) throw new TypeError(`expected a ${type}, got a ${typeof member}`);
  return member as Named[T];
}
