import { isJsonObject, type JsonObject, type JsonValue, setMember, sortByBytes } from '@flotilla/json';
import type { KubeObject, ObjectMeta } from '../meta.ts';
import { type GoField, type GoFieldType, type GoStruct, isNullIfZero, isStruct } from './go-struct.ts';
import { goStructOf } from './kind-structs.ts';
import { objectMeta } from './meta-structs.ts';
import { relevantFields } from './relevant-fields.ts';

/**
 * Returns the object as Kubernetes prints it: members in struct order, empty members omitted or printed as the Go
 * struct specifies, map keys sorted (rule DEC-25). Objects without a Go struct and values of the wrong type are
 * returned unchanged. Unchanged parts are shared with the argument.
 */
export function toPrintedForm(object: KubeObject): KubeObject {
  return inStructForm(object, true);
}

/**
 * Returns the object in its stored form: the result of `toPrintedForm` without the nulls that Go prints for empty
 * lists, times and pointers. Code that reads stored objects therefore need not handle nulls. Does not change the
 * metadata.
 */
export function toStoredForm(object: KubeObject): KubeObject {
  return { ...inStructForm(object, false), metadata: object.metadata };
}

/**
 * Returns an object of the kind without any fields set. It contains only the members that Go prints even if they are
 * empty. In a newly created object, members that equal these get no field manager.
 */
export function emptyObjectOf(apiVersion: string, kind: string): JsonObject {
  return inStructForm({ apiVersion, kind, metadata: {} }, true) as JsonObject;
}

function inStructForm(object: KubeObject, nulls: boolean): KubeObject {
  const { apiVersion, kind } = object;
  const its = goStructOf(apiVersion, kind);
  if (its === undefined) return object;
  const shaped: JsonObject = { kind, apiVersion };
  fill(shaped, its, object as JsonObject, nulls);
  return shaped as KubeObject;
}

/** Returns the members of a struct as Go prints them. */
export function toPrintedStruct(struct: GoStruct, members: JsonObject): JsonObject {
  const shaped: JsonObject = {};
  fill(shaped, struct, members, true);
  return shaped;
}

/** Returns the metadata as Kubernetes prints it, for an object whose kind has a Go struct. */
export function toPrintedMetadata(metadata: ObjectMeta): ObjectMeta {
  return toPrintedStruct(objectMeta, metadata as JsonObject) as ObjectMeta;
}

function fill(target: JsonObject, struct: GoStruct, source: JsonObject, nulls: boolean): void {
  for (const field of relevantFields(struct, source)) {
    const { name } = field;
    if (name === '') {
      if (isStruct(field.type)) fill(target, field.type, source, nulls);
      continue;
    }
    const given = Object.hasOwn(source, name) ? source[name] : undefined;
    const member = memberOf(field, given ?? undefined, nulls);
    if (member !== undefined) target[name] = member;
  }
}

function memberOf(field: GoField, given: JsonValue | undefined, nulls: boolean): JsonValue | undefined {
  const { shape, shown, type } = field;
  const nothing = shown && nulls ? null : undefined;
  if (given === undefined) {
    return shape !== 'value' || isNullIfZero(type) ? nothing : shown ? single(type, zeroOf(type), nulls) : undefined;
  }
  if (shape === 'list') {
    if (!Array.isArray(given)) return given;
    if (given.length === 0) return nothing;
    return typeof type === 'string' && !given.includes(null) ? given : given.map((item) => single(type, item, nulls));
  }
  if (shape === 'map') {
    if (!isJsonObject(given)) return given;
    return Object.keys(given).length === 0 ? nothing : mapOf(type, given, nulls);
  }
  return shape === 'value' && !shown && isEmpty(given) ? undefined : single(type, given, nulls);
}

function mapOf(type: GoFieldType, members: JsonObject, nulls: boolean): JsonObject {
  if (typeof type === 'string' && isSorted(members)) return members;
  const sorted: JsonObject = {};
  for (const key of sortByBytes(Object.keys(members)))
    setMember(sorted, key, single(type, members[key] ?? null, nulls));
  return sorted;
}

/** True if the keys are sorted and no value is null. This is true for most maps, because they were printed before. */
function isSorted(members: JsonObject): boolean {
  let previous = '';
  for (const key in members) {
    if (key < previous || key >= '\ud800' || members[key] === null) return false;
    previous = key;
  }
  return true;
}

function single(type: GoFieldType, given: JsonValue, nulls: boolean): JsonValue {
  if (typeof type === 'string') return given === null && type === 'string' ? '' : given;
  if (isJsonObject(given)) {
    const shaped: JsonObject = {};
    fill(shaped, isStruct(type) ? type : type.struct, given, nulls);
    return shaped;
  }
  if (!Array.isArray(given) || isStruct(type)) return given;
  return given.map((item) => single(type.or === 'structs' ? type.struct : 'string', item, nulls));
}

function zeroOf(type: GoFieldType): JsonValue {
  switch (type) {
    case 'string':
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
    default:
      return {};
  }
}

function isEmpty(given: JsonValue): boolean {
  return given === '' || given === 0 || given === false;
}
