import { fastPathsEnabled } from '@flotilla/fast-paths';
import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { setOfFields } from '../fast/fields-cache.ts';
import { FieldSet } from './field-set.ts';
import { type PathElement, parseElement } from './path-element.ts';

/**
 * The frozen FieldsV1 from which a set was parsed. Present only for sets from which `write` would produce exactly that
 * FieldsV1.
 */
const sources = new WeakMap<FieldSet, JsonObject>();

/** Converts a set to FieldsV1, the format of managedFields (rule SSA-20). */
export function toFieldsV1(set: FieldSet): JsonObject {
  return (fastPathsEnabled() ? sources.get(set) : undefined) ?? write(set, {});
}

function write(set: FieldSet, fields: JsonObject): JsonObject {
  for (const { element, member, below } of set.members()) {
    const under: JsonObject = below !== undefined && member ? { '.': {} } : {};
    fields[element.text] = below === undefined ? under : write(below, under);
  }
  return fields;
}

/** The maximum nesting depth of FieldsV1 from a client. The server itself writes less. */
const maxDepth = 500;

/** Converts FieldsV1 to a set. Throws if the value is not FieldsV1. Ignores elements of an unknown type. */
export function fromFieldsV1(fields: JsonValue): FieldSet {
  const mayShare = fastPathsEnabled() && isJsonObject(fields);
  return mayShare ? setOfFields(fields, () => readSet(fields)) : readSet(fields);
}

function readSet(fields: JsonValue): FieldSet {
  const set = new FieldSet();
  const isExact = read(fields, { set, depth: 0 });
  if (isExact && isJsonObject(fields) && Object.isFrozen(fields)) sources.set(set, fields);
  return set;
}

/** A position in the set while FieldsV1 is read: an element of `set`, or the whole set if `element` is absent. */
interface FieldsV1Position {
  readonly set: FieldSet;
  readonly element?: PathElement;
  readonly depth: number;
}

/** Adds the paths of FieldsV1 to a set. Returns true if writing the set would produce exactly the same FieldsV1. */
function read(fields: JsonValue, { set, element: parent, depth }: FieldsV1Position): boolean {
  if (fields !== null && !isJsonObject(fields)) throw new Error('fieldsV1 is not an object');
  if (depth > maxDepth) throw new Error('fieldsV1 is nested too deeply');
  let isExact = fields !== null;
  let isMember = false;
  let inner: FieldSet | undefined;
  for (const key in fields) {
    const below = fields[key] as JsonValue;
    if (key === '.') {
      if (parent !== undefined) set.insertElement(parent);
      isMember = true;
      if (parent === undefined || !isJsonObject(below) || Object.keys(below).length > 0) isExact = false;
      continue;
    }
    const element = parseElement(key);
    if (element?.text !== key) isExact = false;
    if (element === undefined) continue;
    // Reading the part below adds at least one path, so the opened set does not stay empty.
    inner ??= parent === undefined ? set : set.openBelow(parent);
    if (!read(below, { set: inner, element, depth: depth + 1 })) isExact = false;
  }
  if (inner !== undefined) return isExact;
  if (parent !== undefined) set.insertElement(parent);
  return isExact && !isMember;
}
