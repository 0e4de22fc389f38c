import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { isJsonObject, type JsonObject, type JsonValue, setMember } from '../../lib/json-value.ts';
import type { Field, Message, Scalar } from './message.ts';
import { readTime, writeTime } from './time.ts';

/** Throws an Error for bytes that are no such message; the caller says whose fault that is. */
export function decodeMessage(message: Message, bytes: Uint8Array): JsonObject {
  const found = new Map<Field, JsonValue>();
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    const field = message.find(number);
    if (field === undefined) {
      reader.skip(wireType, number);
      continue;
    }
    const expected = field.shape === 'map' ? WireType.LengthDelimited : wireTypeOf(field.type);
    if (wireType !== expected) throw new Error(`wrong wireType = ${wireType} for field ${field.name}`);
    collect(found, field, reader);
  }
  const object: JsonObject = {};
  for (const field of message.fields) {
    const decoded = found.get(field) ?? (field.shown ? zeroOf(field.type) : undefined);
    if (decoded !== undefined && (field.shape !== 'value' || field.shown || !isZero(decoded))) {
      object[field.name] = decoded;
    }
  }
  return object;
}

function collect(found: Map<Field, JsonValue>, field: Field, reader: BinaryReader): void {
  if (field.shape === 'map') {
    const known = found.get(field);
    const target = isJsonObject(known) ? known : {};
    const [key, member] = readMapEntry(field.type, reader.bytes());
    setMember(target, key, member);
    found.set(field, target);
  } else if (field.shape === 'list') {
    const known = found.get(field);
    const target = Array.isArray(known) ? known : [];
    target.push(readSingle(field.type, reader) ?? null);
    found.set(field, target);
  } else {
    const single = readSingle(field.type, reader);
    if (single !== undefined) found.set(field, single);
  }
}

function readMapEntry(type: Scalar | Message, bytes: Uint8Array): [string, JsonValue] {
  const reader = new BinaryReader(bytes);
  let key = '';
  let member: JsonValue = zeroOf(type) ?? {};
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === 1 && wireType === WireType.LengthDelimited) key = reader.string(true);
    else if (number === 2 && wireType === wireTypeOf(type)) member = readSingle(type, reader) ?? member;
    else reader.skip(wireType, number);
  }
  return [key, member];
}

/** undefined: a zero time, which JSON does not have. */
function readSingle(type: Scalar | Message, reader: BinaryReader): JsonValue | undefined {
  switch (type) {
    case 'string':
      return reader.string(true);
    case 'bool':
      return reader.bool();
    case 'int32':
      return reader.int32();
    case 'int64':
      return exactInteger(BigInt(reader.int64()));
    case 'time':
    case 'microTime':
      return readTime(type, reader.bytes());
    case 'strings':
      return readStrings(reader.bytes());
    case 'fieldsV1':
      return readFieldsV1(reader.bytes());
    default:
      return decodeMessage(type, reader.bytes());
  }
}

function exactInteger(integer: bigint): number | bigint {
  const rounded = Number(integer);
  return Number.isSafeInteger(rounded) ? rounded : integer;
}

function readStrings(bytes: Uint8Array): JsonValue[] {
  const reader = new BinaryReader(bytes);
  const strings: JsonValue[] = [];
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === 1 && wireType === WireType.LengthDelimited) strings.push(reader.string(true));
    else reader.skip(wireType, number);
  }
  return strings;
}

function readFieldsV1(bytes: Uint8Array): JsonValue {
  const reader = new BinaryReader(bytes);
  let text = '{}';
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === 1 && wireType === WireType.LengthDelimited) text = reader.string(true);
    else reader.skip(wireType, number);
  }
  return JSON.parse(text);
}

/**
 * The same bytes that Go writes: fields in the order of their numbers, `value` fields also when they are zero, maps in
 * the order of their keys. Throws TypeError for an object that does not fit the message: a fault of ours.
 */
export function encodeMessage(message: Message, object: JsonObject): Uint8Array {
  const writer = new BinaryWriter();
  for (const field of message.byNumber) {
    const member = object[field.name] ?? (field.shape === 'value' ? zeroOf(field.type) : undefined);
    if (field.shape === 'value' && member === undefined)
      writer.tag(field.number, WireType.LengthDelimited).bytes(new Uint8Array());
    if (member === undefined || member === null) continue;
    if (field.shape === 'map') {
      for (const key of Object.keys(member).toSorted()) {
        writer.tag(field.number, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).string(key);
        writeSingle(writer, 2, field.type, (member as JsonObject)[key] ?? null);
        writer.join();
      }
    } else {
      for (const single of field.shape === 'list' ? asList(member) : [member]) {
        writeSingle(writer, field.number, field.type, single);
      }
    }
  }
  return writer.finish();
}

function writeSingle(writer: BinaryWriter, number: number, type: Scalar | Message, single: JsonValue): void {
  writer.tag(number, wireTypeOf(type));
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
    case 'time':
    case 'microTime':
      writer.bytes(writeTime(expectType(single, 'string')));
      break;
    case 'strings':
      writer.fork();
      for (const text of asList(single)) writer.tag(1, WireType.LengthDelimited).string(expectType(text, 'string'));
      writer.join();
      break;
    case 'fieldsV1':
      writer.fork().tag(1, WireType.LengthDelimited).string(JSON.stringify(single)).join();
      break;
    default:
      if (!isJsonObject(single)) throw new TypeError('expected an object');
      writer.bytes(encodeMessage(type, single));
  }
}

function wireTypeOf(type: Scalar | Message): WireType {
  return type === 'bool' || type === 'int32' || type === 'int64' ? WireType.Varint : WireType.LengthDelimited;
}

/** Times have no zero in JSON: undefined. */
function zeroOf(type: Scalar | Message): JsonValue | undefined {
  switch (type) {
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
      return 0;
    case 'time':
    case 'microTime':
      return undefined;
    case 'strings':
      return [];
    default:
      return {};
  }
}

function isZero(single: JsonValue): boolean {
  return single === '' || single === 0 || single === false;
}

function asList(member: JsonValue): JsonValue[] {
  if (!Array.isArray(member)) throw new TypeError('expected a list');
  return member;
}

type Named = { string: string; boolean: boolean; number: number };

function expectType<T extends keyof Named>(member: JsonValue, type: T): Named[T] {
  if (typeof member !== type) throw new TypeError(`expected a ${type}, have a ${typeof member}`);
  return member as Named[T];
}
