import { BinaryReader, type BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { type JsonValue, parseJson, writeJson } from '@flotilla/json';
import type { GoScalarType } from '../../api/structs/go-struct.ts';
import { type DecodeLimits, skipUnknown } from './decode-limits.ts';
import { readTime, writeTime } from './time.ts';

/**
 * Decodes a scalar. Returns `undefined` for a zero value that Go prints in JSON as null, such as a zero time. Throws if
 * the bytes are invalid or contain too many values.
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
      return readTime(type, reader.bytes(), limits);
    case 'bytes':
      return Buffer.from(reader.bytes()).toString('base64');
    case 'quantity':
      return wrappedStrings(reader.bytes(), limits).at(-1) ?? '0';
    case 'strings':
      return wrappedStrings(reader.bytes(), limits);
    case 'intOrString':
      return readIntOrString(reader.bytes(), limits);
    case 'rawExtension': {
      const raw = wrappedStrings(reader.bytes(), limits).at(-1);
      return raw === undefined ? undefined : readJson(raw, limits);
    }
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
    case 'intOrString':
      writeIntOrString(writer, single);
      break;
    default:
      wrapStrings(writer, single === null ? [] : [writeJson(single, { sorted: false })]);
  }
}

/**
 * Decodes an IntOrString message. Field 1 is the type (0: integer, 1: string), field 2 is the integer, and field 3 is
 * the string.
 */
function readIntOrString(bytes: Uint8Array, limits: DecodeLimits): JsonValue {
  const reader = new BinaryReader(bytes);
  let isText = false;
  let number = 0;
  let text = '';
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === 1 && wireType === WireType.Varint) isText = reader.int32() === 1;
    else if (field === 2 && wireType === WireType.Varint) number = reader.int32();
    else if (field === 3 && wireType === WireType.LengthDelimited) text = reader.string(true);
    else skipUnknown(reader, field, wireType, limits);
  }
  return isText ? text : number;
}

function writeIntOrString(writer: BinaryWriter, single: JsonValue): void {
  const isText = typeof single === 'string';
  writer.fork();
  writer.tag(1, WireType.Varint).int32(isText ? 1 : 0);
  writer.tag(2, WireType.Varint).int32(isText ? 0 : Number(single));
  writer.tag(3, WireType.LengthDelimited).string(isText ? single : '');
  writer.join();
}

/** Parses JSON inside a message. The values in the JSON count toward the limit like the values of the message. */
function readJson(text: string, limits: DecodeLimits): JsonValue {
  // Count these characters instead of the values: a comma, `[` or `{` precedes each value except the first.
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
    else skipUnknown(reader, number, wireType, limits);
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
