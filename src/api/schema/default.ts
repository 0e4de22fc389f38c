import { cloneJson, getMember, isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import { memberSchema } from './member-schema.ts';
import type { Schema } from './schema.ts';

/**
 * Sets absent members to the defaults of the schema, in place. Null counts as absent unless the schema allows it: it is
 * replaced by the default, or removed if there is none (rule DEC-22).
 */
export function applyDefaults(schema: Schema, value: JsonValue): void {
  if (Array.isArray(value)) {
    if (schema.items !== undefined) defaultItems(schema.items, value);
  } else if (isJsonObject(value)) {
    defaultMembers(schema, value);
  }
}

function defaultMembers(schema: Schema, object: JsonObject): void {
  for (const [name, value] of defaultsOf(schema)) {
    if (!Object.hasOwn(object, name)) setMember(object, name, cloneJson(value));
  }
  for (const name in object) {
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

const defaultsCache = new WeakMap<Schema, readonly (readonly [string, JsonValue])[]>();

/** Returns the members of the schema that have a default. Cached per schema. */
function defaultsOf(schema: Schema): readonly (readonly [string, JsonValue])[] {
  const found = defaultsCache.get(schema);
  if (found !== undefined) return found;
  const defaults = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    member.default === undefined ? [] : [[name, member.default] as const],
  );
  defaultsCache.set(schema, defaults);
  return defaults;
}

/**
 * Sets null items to their default. A null item without a default is kept, because its removal would shift the others.
 */
function defaultItems(schema: Schema, items: JsonValue[]): void {
  for (let index = 0; index < items.length; index++) {
    const filled = items[index] === null && schema.nullable !== true && schema.default !== undefined;
    if (filled) items[index] = cloneJson(schema.default);
    applyDefaults(schema, items[index] ?? null);
  }
}
