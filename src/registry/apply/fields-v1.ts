import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json-value.ts';
import { FieldSet } from './field-set.ts';
import { type FieldPath, parseElement } from './path-element.ts';

/** The wire form of a set (rule SSA-20). */
export function toFieldsV1(set: FieldSet): JsonObject {
  const fields: JsonObject = {};
  for (const { element, member, below } of set.members()) {
    fields[element.text] = below === undefined ? {} : { ...(member ? { '.': {} } : {}), ...toFieldsV1(below) };
  }
  return fields;
}

/** Deeper than any set that is written here can be; a client may send what it likes. */
const maxDepth = 500;

/** Throws if it is no FieldsV1; elements of a type that is not known are dropped. */
export function fromFieldsV1(fields: JsonValue): FieldSet {
  const set = new FieldSet();
  read(fields, [], set);
  return set;
}

function read(fields: JsonValue, path: FieldPath, set: FieldSet): void {
  if (fields !== null && !isJsonObject(fields)) throw new Error('fieldsV1 is no object');
  if (path.length > maxDepth) throw new Error('fieldsV1 is nested too deep');
  let leaf = true;
  for (const [key, below] of Object.entries(fields ?? {})) {
    if (key === '.') {
      set.insert(path);
      continue;
    }
    const element = parseElement(key);
    if (element === undefined) continue;
    leaf = false;
    read(below, [...path, element], set);
  }
  if (leaf) set.insert(path);
}
