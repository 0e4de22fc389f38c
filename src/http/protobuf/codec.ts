import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import { type GoField, type GoFieldType, type GoStruct, isStruct } from '../../api/structs/go-struct.ts';
import { DecodeLimits, skipUnknown } from './decode-limits.ts';
import { readScalar, writeScalar } from './scalar.ts';

/**
 * Decodes a protobuf message to the JSON object of a Go struct. Throws an Error if the bytes are invalid or contain too
 * many values.
 */
export function decodeMessage(struct: GoStruct, bytes: Uint8Array, limits = new DecodeLimits()): JsonObject {
  limits.enter();
  const found = new Map<GoField, JsonValue>();
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    const field = struct.find(number);
    if (field === undefined) {
      skipUnknown(reader, number, wireType, limits);
      continue;
    }
    const expected = field.shape === 'map' ? WireType.LengthDelimited : wireTypeOf(field.type);
    if (wireType !== expected) throw new Error(`wrong wireType = ${wireType} for field ${field.name}`);
    collect(found, field, reader, limits);
  }
  const object: JsonObject = {};
  for (const field of struct.fields) {
    const decoded = found.get(field) ?? (field.shown && field.shape === 'value' ? zeroOf(field.type) : undefined);
    if (decoded === undefined) continue;
    if (field.name === '') Object.assign(object, decoded);
    else if (field.shape !== 'value' || field.shown || !isZero(decoded)) setMember(object, field.name, decoded);
  }
  limits.leave();
  return object;
}

function collect(found: Map<GoField, JsonValue>, field: GoField, reader: BinaryReader, limits: DecodeLimits): void {
  if (field.shape === 'map') {
    const known = found.get(field);
    const target = isJsonObject(known) ? known : {};
    const [key, member] = readMapEntry(field.type, reader.bytes(), limits);
    setMember(target, key, member);
    found.set(field, target);
  } else if (field.shape === 'list') {
    const known = found.get(field);
    const target = Array.isArray(known) ? known : [];
    target.push(readSingle(field.type, reader, limits) ?? null);
    found.set(field, target);
  } else {
    const single = readSingle(field.type, reader, limits);
    if (single !== undefined) found.set(field, single);
  }
}

function readMapEntry(type: GoFieldType, bytes: Uint8Array, limits: DecodeLimits): [string, JsonValue] {
  limits.count(1);
  const reader = new BinaryReader(bytes);
  let key = '';
  let member: JsonValue = zeroOf(type) ?? null;
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === 1 && wireType === WireType.LengthDelimited) key = reader.string(true);
    else if (number === 2 && wireType === wireTypeOf(type)) member = readSingle(type, reader, limits) ?? member;
    else skipUnknown(reader, number, wireType, limits);
  }
  return [key, member];
}

/** Decodes one value. Returns `undefined` for a zero value that Go prints in JSON as null, such as a zero time. */
function readSingle(type: GoFieldType, reader: BinaryReader, limits: DecodeLimits): JsonValue | undefined {
  if (typeof type === 'string') return readScalar(type, reader, limits);
  return isStruct(type) ? decodeMessage(type, reader.bytes(), limits) : readEither(type, reader.bytes(), limits);
}

/**
 * Decodes a type with two alternatives, such as JSONSchemaPropsOrBool, from a message with two fields. Only one of the
 * fields is used.
 */
function readEither(
  { struct, or }: Exclude<GoFieldType, string | GoStruct>,
  bytes: Uint8Array,
  limits: DecodeLimits,
): JsonValue {
  const reader = new BinaryReader(bytes);
  const others: JsonValue[] = [];
  let single: JsonObject | undefined;
  let allowed = false;
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (or === 'bool' && number === 1) allowed = reader.bool();
    else if (number === (or === 'bool' ? 2 : 1)) single = decodeMessage(struct, reader.bytes(), limits);
    else if (number === 2) {
      limits.count(1);
      others.push(or === 'strings' ? reader.string(true) : decodeMessage(struct, reader.bytes(), limits));
    } else skipUnknown(reader, number, wireType, limits);
  }
  if (single !== undefined && others.length === 0) return single;
  return or === 'bool' ? allowed : others;
}

/**
 * Encodes a JSON object as protobuf, byte for byte like Go. Fields are in the order of their numbers, and map entries
 * in the order of their keys. Fields of the shape `value` are written even if they are zero. Throws TypeError if the
 * object does not match the struct, which would be a bug in this server.
 */
export function encodeMessage(struct: GoStruct, object: JsonObject): Uint8Array {
  const writer = new BinaryWriter();
  for (const field of struct.byNumber) {
    if (field.number === 0) continue;
    const given = field.name === '' ? object : Object.hasOwn(object, field.name) ? object[field.name] : undefined;
    const member = given ?? (field.shape === 'value' ? zeroOf(field.type) : undefined);
    if (field.shape === 'value' && member === undefined)
      writer.tag(field.number, WireType.LengthDelimited).bytes(new Uint8Array());
    if (member === undefined || member === null) continue;
    if (field.shape === 'map') writeMap(writer, field, member as JsonObject);
    else {
      for (const single of field.shape === 'list' ? asList(member) : [member]) {
        writeSingle(writer, field.number, field.type, single);
      }
    }
  }
  return writer.finish();
}

function writeMap(writer: BinaryWriter, field: GoField, members: JsonObject): void {
  for (const key of Object.keys(members).toSorted()) {
    writer.tag(field.number, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).string(key);
    const member = members[key] ?? zeroOf(field.type);
    if (member === undefined) writer.tag(2, WireType.LengthDelimited).bytes(new Uint8Array());
    else writeSingle(writer, 2, field.type, member);
    writer.join();
  }
}

function writeSingle(writer: BinaryWriter, number: number, type: GoFieldType, single: JsonValue): void {
  writer.tag(number, wireTypeOf(type));
  if (typeof type === 'string') writeScalar(writer, type, single);
  else if (isStruct(type)) writer.bytes(encodeMessage(type, asObject(single)));
  else writeEither(writer, type, single);
}

function writeEither(
  writer: BinaryWriter,
  { struct, or }: Exclude<GoFieldType, string | GoStruct>,
  single: JsonValue,
): void {
  writer.fork();
  // Go writes the boolean field even if there is a schema. The boolean then means that additional properties are
  // allowed.
  if (or === 'bool') writer.tag(1, WireType.Varint).bool(single !== false);
  if (isJsonObject(single)) {
    writer.tag(or === 'bool' ? 2 : 1, WireType.LengthDelimited).bytes(encodeMessage(struct, single));
  } else if (or !== 'bool') {
    for (const item of asList(single)) writeSingle(writer, 2, or === 'strings' ? 'string' : struct, item);
  }
  writer.join();
}

function wireTypeOf(type: GoFieldType): WireType {
  if (type === 'double') return WireType.Bit64;
  return type === 'bool' || type === 'int32' || type === 'int64' ? WireType.Varint : WireType.LengthDelimited;
}

/** Returns the zero value of a type; `undefined` for types whose zero value Go prints in JSON as null. */
function zeroOf(type: GoFieldType): JsonValue | undefined {
  switch (type) {
    case 'string':
    case 'bytes':
      return '';
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'double':
    case 'intOrString':
      return 0;
    case 'quantity':
      return '0';
    case 'time':
    case 'microTime':
    case 'rawExtension':
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

function asObject(member: JsonValue): JsonObject {
  if (!isJsonObject(member)) throw new TypeError('expected an object');
  return member;
}
