import { isJsonObject, type JsonObject, type JsonValue, setMember, sortByBytes } from '@flotilla/json';
import { canonicalQuantity, isDateTime, QuantityError } from '@flotilla/kubernetes-formats';
import { apiVersionOf } from '../meta.ts';
import { formatMicroTime } from '../micro-time.ts';
import type { ResourceKind } from '../resource.ts';
import { type GoField, type GoFieldType, type GoScalarType, type GoStruct, isStruct } from '../structs/go-struct.ts';
import { goStructOf } from '../structs/kind-structs.ts';
import { relevantFields } from '../structs/relevant-fields.ts';
import { base64Fault, canonicalBase64 } from './base64.ts';
import { DecodeError, wrongTypeError } from './decode-error.ts';

/**
 * Converts a document as if Go decoded it into the struct of a built-in kind and encoded it again. Checks types, puts
 * members in struct order, sorts map members by name, replaces null by the zero value, and gives bytes and quantities
 * their canonical form. `members` must not contain unknown members or metadata, and is not modified. Throws
 * DecodeError.
 */
export function decodeIntoGoStruct(
  kind: Pick<ResourceKind, 'group' | 'version' | 'kind'>,
  members: JsonObject,
): JsonObject {
  const struct = goStructOf(apiVersionOf(kind), kind.kind);
  if (struct === undefined) return members;
  const shaped: JsonObject = {};
  for (const name of ['kind', 'apiVersion', 'metadata']) {
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    if (member !== undefined) shaped[name] = member;
  }
  fill(shaped, struct, members, '');
  return shaped;
}

/**
 * Converts members as if Go decoded them into a struct that is not a kind, and encoded them again. Throws DecodeError.
 */
export function decodeStruct(struct: GoStruct, members: JsonObject): JsonObject {
  const shaped: JsonObject = {};
  fill(shaped, struct, members, '');
  return shaped;
}

/**
 * The location of a value as Go's decoder prints it: the struct that contains the value, and a path without list
 * indexes and map keys.
 */
interface Location {
  readonly struct: string;
  readonly path: string;
}

function fill(target: JsonObject, struct: GoStruct, source: JsonObject, parent: string): void {
  for (const field of relevantFields(struct, source)) {
    const { name, type } = field;
    if (name === '') {
      if (isStruct(type)) fill(target, type, source, parent);
      continue;
    }
    const given = Object.hasOwn(source, name) ? source[name] : undefined;
    if (given === undefined || given === null || Object.hasOwn(target, name)) continue;
    const path = parent === '' ? name : `${parent}.${name}`;
    setMember(target, name, shapedField(field, given, { struct: shortName(struct), path }));
  }
}

function shapedField({ shape, type }: GoField, given: JsonValue, location: Location): JsonValue {
  if (shape === 'list') {
    if (!Array.isArray(given)) throw mismatch(given, location, `[]${goType(type)}`);
    return given.map((item) => (item === null ? zeroOf(type) : convertValue(type, item, location)));
  }
  if (shape !== 'map') return convertValue(type, given, location);
  if (!isJsonObject(given)) throw mismatch(given, location, `map[string]${goType(type)}`);
  const sorted: JsonObject = {};
  for (const key of sortByBytes(Object.keys(given))) {
    const member = given[key] ?? null;
    setMember(sorted, key, member === null ? zeroOf(type) : convertValue(type, member, location));
  }
  return sorted;
}

function convertValue(type: GoFieldType, given: JsonValue, location: Location): JsonValue {
  if (typeof type === 'string') return convertScalar(type, given, location);
  // Go types that accept more than one JSON type (unions) have their own decoder, which keeps the value.
  if (!isStruct(type)) return given;
  if (!isJsonObject(given)) throw mismatch(given, location, goType(type));
  const shaped: JsonObject = {};
  fill(shaped, type, given, location.path);
  return shaped;
}

function convertScalar(type: GoScalarType, given: JsonValue, location: Location): JsonValue {
  switch (type) {
    case 'string':
      return text(type, given, location);
    case 'bytes': {
      const encoded = text(type, given, location);
      const fault = base64Fault(encoded);
      if (fault !== undefined) throw new DecodeError(fault);
      return canonicalBase64(encoded);
    }
    case 'quantity':
      return quantity(given);
    case 'bool':
      if (typeof given !== 'boolean') throw mismatch(given, location, goType(type));
      return given;
    case 'int32':
    case 'int64':
    case 'double':
      return number(type, given, location);
    case 'time':
    case 'microTime':
      return time(type, given);
    case 'intOrString':
      return intOrString(given, location);
    default:
      return given;
  }
}

function intOrString(given: JsonValue, location: Location): JsonValue {
  return typeof given === 'string' ? given : number('int32', given, location);
}

function text(type: GoScalarType, given: JsonValue, location: Location): string {
  if (typeof given !== 'string') throw mismatch(given, location, goType(type));
  return given;
}

/** Returns the canonical text of a quantity. Parses a JSON number like the same text in quotes. */
function quantity(given: JsonValue): string {
  const written = typeof given === 'number' || typeof given === 'bigint' ? String(given) : given;
  try {
    return canonicalQuantity(typeof written === 'string' ? written : '');
  } catch (error) {
    throw error instanceof QuantityError ? new DecodeError(error.message) : error;
  }
}

function number(type: 'int32' | 'int64' | 'double', given: JsonValue, location: Location): JsonValue {
  if (typeof given !== 'number' && typeof given !== 'bigint') throw mismatch(given, location, goType(type));
  if (type === 'double' || fits(type, given)) return given;
  const what = `number ${given} into Go struct field ${location.struct}.${location.path}`;
  throw new DecodeError(`json: cannot unmarshal ${what} of type ${goType(type)}`);
}

function fits(type: 'int32' | 'int64', given: number | bigint): boolean {
  if (typeof given === 'number' && !Number.isInteger(given)) return false;
  const limit = type === 'int32' ? 2 ** 31 : 2 ** 63;
  return given >= -limit && given < limit;
}

/**
 * Checks a time. Go's time types have their own decoder, so the errors contain no path. The caller formats the time.
 */
function time(type: 'time' | 'microTime', given: JsonValue): JsonValue {
  if (typeof given !== 'string') {
    throw new DecodeError(wrongTypeError(given, '', '').message.replace(/ into .*$/, ' into Go value of type string'));
  }
  if (isDateTime(given)) return given;
  if (type === 'microTime') {
    try {
      return formatMicroTime(given) ?? null;
    } catch (error) {
      throw new DecodeError(error instanceof Error ? error.message : String(error));
    }
  }
  const [shown, layout] = [given, '2006-01-02T15:04:05Z07:00'].map((each) => JSON.stringify(each));
  throw new DecodeError(`parsing time ${shown} as ${layout}: cannot parse ${shown} as "2006"`);
}

function zeroOf(type: GoFieldType): JsonValue {
  if (typeof type !== 'string') return isStruct(type) ? {} : null;
  switch (type) {
    case 'string':
    case 'bytes':
      return '';
    case 'quantity':
      return '0';
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'double':
    case 'intOrString':
      return 0;
    default:
      return null;
  }
}

function mismatch(given: JsonValue, location: Location, type: string): DecodeError {
  return wrongTypeError(given, `${location.struct}.${location.path}`, type);
}

const scalarTypes: Partial<Record<GoScalarType, string>> = {
  bytes: '[]uint8',
  double: 'float64',
  quantity: 'resource.Quantity',
};

function goType(type: GoFieldType): string {
  if (typeof type === 'string') return scalarTypes[type] ?? type;
  const { name } = isStruct(type) ? type : type.struct;
  return name.split('.').slice(-2).join('.');
}

function shortName({ name }: GoStruct): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
