import {
  cloneJson,
  getMember,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  setMember,
} from '../../lib/json-value.ts';
import type { Schema } from './schema.ts';
import { memberSchema } from './schema-members.ts';

/**
 * Fills in what the schema decides, in place. An explicit null counts as absent where the schema does not allow null:
 * the default takes its place, or it goes (rule DEC-22).
 */
export function applyDefaults(schema: Schema, value: JsonValue): void {
  if (Array.isArray(value)) {
    if (schema.items !== undefined) defaultItems(schema.items, value);
  } else if (isJsonObject(value)) {
    defaultMembers(schema, value);
  }
}

function defaultMembers(schema: Schema, object: JsonObject): void {
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    if (member.default !== undefined && !Object.hasOwn(object, name))
      setMember(object, name, cloneJson(member.default));
  }
  for (const name of Object.keys(object)) {
    const member = memberSchema(schema, name);
    if (member === undefined) continue;
    if (object[name] === null && member.nullable !== true) {
      if (member.default === undefined) {
        delete object[name];
        continue;
      }
      setMember(object, name, cloneJson(member.default));
    }
    applyDefaults(member, getMember(object, name) ?? null);
  }
}

/** A null among items stays where there is no default: an item's place says something. */
function defaultItems(schema: Schema, items: JsonValue[]): void {
  for (const [index, item] of items.entries()) {
    const filled = item === null && schema.nullable !== true && schema.default !== undefined;
    if (filled) items[index] = cloneJson(schema.default);
    applyDefaults(schema, items[index] ?? null);
  }
}
