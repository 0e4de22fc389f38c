import { fastPathsEnabled } from '@flotilla/fast-paths';
import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { setOfFields } from './fast/fields-cache.ts';
import { FieldSet } from './field-set.ts';
import { type FieldPath, parseElement } from './path-element.ts';

/** The FieldsV1 that a set was read from, if that is exactly its wire form and is frozen. */
const sources = new WeakMap<FieldSet, JsonObject>();

/** The wire form of a set (rule SSA-20). */
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

/** Deeper than any set written here; a client may send anything. */
const maxDepth = 500;

/** Throws if the value is not a FieldsV1; elements of an unknown type are skipped. */
export function fromFieldsV1(fields: JsonValue): FieldSet {
  const mayShare = fastPathsEnabled() && isJsonObject(fields);
  return mayShare ? setOfFields(fields, () => readSet(fields)) : readSet(fields);
}

function readSet(fields: JsonValue): FieldSet {
  const set = new FieldSet();
  const isExact = read(fields, [], set);
  if (isExact && isJsonObject(fields) && Object.isFrozen(fields)) sources.set(set, fields);
  return set;
}

/** Returns true if the set would be written exactly as it was read. */
function read(fields: JsonValue, path: FieldPath, set: FieldSet): boolean {
  if (fields !== null && !isJsonObject(fields)) throw new Error('fieldsV1 is not an object');
  if (path.length > maxDepth) throw new Error('fieldsV1 is nested too deeply');
  let isExact = fields !== null;
  let isMember = false;
  let leaf = true;
  for (const [key, below] of Object.entries(fields ?? {})) {
    if (key === '.') {
      set.insert(path);
      isMember = true;
      if (path.length === 0 || !isJsonObject(below) || Object.keys(below).length > 0) isExact = false;
      continue;
    }
    const element = parseElement(key);
    if (element?.text !== key) isExact = false;
    if (element === undefined) continue;
    leaf = false;
    if (!read(below, [...path, element], set)) isExact = false;
  }
  if (!leaf) return isExact;
  set.insert(path);
  return isExact && !isMember;
}
